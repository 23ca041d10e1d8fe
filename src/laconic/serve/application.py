"""The service put together: paths, answers, refusals, and the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from importlib.resources import files
from typing import Annotated, Any, Literal

from laconic import __version__
from laconic.errors import LaconicError, MissingExtra
from laconic.formats.jsonl import format_line
from laconic.serve.problems import MEDIA_TYPE, Refusal
from laconic.serve.settings import Settings

try:
    from fastapi import Body, FastAPI, Query, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import Response, StreamingResponse
    from pydantic import Discriminator, Tag, ValidationError
    from starlette.exceptions import HTTPException
    from starlette.middleware.cors import CORSMiddleware

    from laconic.serve import models
    from laconic.serve.edge import Edge
    from laconic.serve.logs import LOGGER
    from laconic.serve.metrics import Metrics
except ImportError as error:
    raise MissingExtra(error.name or "fastapi", "serve") from None
from laconic.serve.pool import Deadline, WorkPool
from laconic.serve.work import Work, answer_or_problem

_PAGE = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_SUBTITLES = {
    "srt": "application/x-subrip",
    "vtt": "text/vtt",
    "ttml": "application/ttml+xml",
    "json": "application/json",
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.ProblemModel, "description": why, "content": {MEDIA_TYPE: {}}}
    for status, why in {
        401: "An API key is needed.",
        413: "The request is larger than a limit, which is named.",
        422: "A value is wrong, the text is above a limit, or no compression meets what is asked for.",
        503: "All workers are busy (with Retry-After), or the answer took too long.",
    }.items()
}
_FIELDS = ("text", "detail", "content", "target_ratio", "format")
_QUERY = ("cps", "line", "lines", "count_spaces", "extend", "drop_sentences", "answer")
_IN_FLIGHT = 4  # lines of a batch for each worker, so that none waits for the client


def _shape(body: Any) -> str:
    return "content" if isinstance(body, dict) and "content" in body and "text" not in body else "text"


CompressBody = Annotated[
    Annotated[models.CompressRequest, Tag("text")] | Annotated[models.ContentRequest, Tag("content")],
    Discriminator(_shape),
    Body(),
]


def json_response(
    record: dict[str, Any], status: int = 200, media_type: str = "application/json", **headers: str
) -> Response:
    """An object as an answer."""
    return Response(format_line(record), status, headers, media_type)


def problem_response(refusal: Refusal) -> Response:
    """A refusal as an answer."""
    return json_response(refusal.problem, refusal.status, MEDIA_TYPE, **refusal.headers)


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service as an application that any ASGI server can run; it warms itself when it starts."""
    settings = settings or Settings()
    pool = WorkPool(settings.workers, settings.queue)
    service = _Service(settings, pool, Work(settings))
    app = FastAPI(
        title="laconic",
        version=__version__,
        description="Shortens English text by deleting what can go; limits are met exactly, nothing is made up.",
        docs_url=None,  # which fetches its scripts from elsewhere
        redoc_url=None,
        lifespan=service.lifespan,
        responses=_PROBLEMS,
        separate_input_output_schemas=False,
    )
    service.add_paths(app)
    app.add_exception_handler(Refusal, service.refused)
    app.add_exception_handler(LaconicError, service.refused)
    app.add_exception_handler(RequestValidationError, service.invalid)
    app.add_exception_handler(HTTPException, service.elsewhere)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    paths = frozenset(str(getattr(route, "path", "")) for route in app.routes)
    app.add_middleware(Edge, settings=settings, metrics=service.metrics, pool=pool, paths=paths)
    app.state.service = service
    return app


class _Service:
    """What the paths do."""

    def __init__(self, settings: Settings, pool: WorkPool, work: Work) -> None:
        self.settings, self.pool, self.work = settings, pool, work
        self.metrics = Metrics(pool)
        self.is_ready = False
        self.failure: str | None = None

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Warm up while health checks are answered; when stopped, wait for what is at work."""
        warming = asyncio.create_task(self._warm())
        yield
        self.is_ready = False
        warming.cancel()
        await asyncio.get_running_loop().run_in_executor(None, self.pool.close)

    async def _warm(self) -> None:
        try:
            await self.pool.run(self.work.warm, Deadline(600))
            self.is_ready = True
            LOGGER.info("ready")
        except Exception as error:
            self.failure = str(error)
            LOGGER.exception("the service cannot be warmed")

    def add_paths(self, app: FastAPI) -> None:
        """Tell the application what is where."""
        post: Any = app.post
        post(
            "/compress", response_model=models.CompressAnswer | models.CompressAnswers | models.ContentAnswer
        )(self.compress)
        post("/frontier", response_model=models.FrontierAnswer)(self.frontier)
        post("/explain", response_model=models.ExplainAnswer)(self.explain)
        post("/parse", response_model=models.ParseAnswer)(self.parse)
        post(
            "/subtitles",
            response_class=Response,
            openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}, "required": True}},
        )(self.subtitles)
        post(
            "/batch",
            response_class=StreamingResponse,
            openapi_extra={"requestBody": {"content": {"application/x-ndjson": {}}, "required": True}},
        )(self.batch)
        app.get("/systems", response_model=models.SystemsAnswer)(self.systems)
        app.get("/health")(self.health)
        app.get("/ready")(self.ready)
        app.get("/metrics", response_class=Response)(self.numbers)
        for path, content, kind in page_files():
            app.get(path, include_in_schema=False)(_asset(content, kind))

    async def compress(self, body: CompressBody, request: Request) -> Response:
        """Shorten a text, or many, to a limit, or each sentence to the length that is natural for it.

        With `content` and `target_ratio` it answers in the shape of remote compressors of proxies.
        """
        if isinstance(body, models.ContentRequest):
            return await self._answered(
                request, lambda end: self.work.compress_content(body.content, body.target_ratio, end)
            )
        given = models.given(body)
        if isinstance(body.text, list):
            return await self._answered(
                request, lambda end: self.work.compress_all(body.text, given, end, detail=body.detail)
            )
        one = self.work.compress_in_detail if body.detail else self.work.compress
        return await self._answered(request, lambda end: one(body.text, given, end))

    async def frontier(self, body: models.FrontierRequest, request: Request) -> Response:
        """Every length of every sentence: the best at each exact number of words, in one answer."""
        return await self._answered(
            request, lambda end: self.work.frontier(body.text, models.given(body), end)
        )

    async def explain(self, body: models.TextRequest, request: Request) -> Response:
        """Shorten a text and say of each word why it stayed or went."""
        return await self._answered(
            request, lambda end: self.work.explain(body.text, models.given(body), end)
        )

    async def parse(self, body: models.ParseRequest, request: Request) -> Response:
        """The sentences of a text with tags, phrase structure and dependencies; as JSON, CoNLL-U or brackets."""
        from laconic.formats.conllu import format_conllu, from_sentence
        from laconic.formats.jsonl import sentence_to_json
        from laconic.formats.penn import format_tree

        found = await self._made(request, lambda end: self.work.parse(body.text, end))
        if body.format == "json":
            return json_response({"sentences": [sentence_to_json(sentence) for sentence in found]})
        if body.format == "conllu":
            lines = [format_conllu(from_sentence(sentence)) for sentence in found]
        else:
            lines = [f"{format_tree(sentence.tree)}\n" for sentence in found]
        return Response("".join(lines).encode("utf-8", "replace"), media_type="text/plain")

    async def subtitles(
        self,
        request: Request,
        for_: Annotated[str, Query(alias="for", description="The norm, such as netflix.")] = "netflix",
        cps: Annotated[float | None, Query(description="At most so many characters a second.")] = None,
        line: Annotated[int | None, Query(description="At most so many characters a line.")] = None,
        lines: Annotated[int | None, Query(description="At most so many lines.")] = None,
        count_spaces: Annotated[bool | None, Query(description="Whether spaces count.")] = None,
        extend: Annotated[bool, Query(description="Show cues longer first, where there is time.")] = False,
        keep: Annotated[list[str] | None, Query(description="Words or phrases that stay.")] = None,
        protect: Annotated[list[str] | None, Query(description="Kinds of words that stay.")] = None,
        drop_sentences: Annotated[bool, Query(description="Whole sentences may go.")] = False,
        like: Annotated[str | None, Query(description="Whose habits are imitated.")] = None,
        system: Annotated[str | None, Query(description="A system by its name.")] = None,
        to: Annotated[str | None, Query(description="Another format, such as srt.")] = None,
        answer: Annotated[
            Literal["file", "report"], Query(description="The file, or it and a report.")
        ] = "file",
    ) -> Response:
        """Bring a file of subtitles within a norm: file in, file out; what fits is unchanged, byte for byte."""
        content = await request.body()
        asked = {
            "for_": for_,
            "cps": cps,
            "line": line,
            "lines": lines,
            "count_spaces": count_spaces,
            "extend": extend,
            "keep": keep or (),
            "protect": protect or (),
            "drop_sentences": drop_sentences,
            "like": like,
            "system": system,
            "to": to,
        }
        fitted, report = await self._made(request, lambda end: self.work.subtitles(content, asked, end))
        if answer == "report":
            return json_response(
                {
                    "content": fitted.decode("utf-8", "replace"),
                    "summary": report.summary,
                    "cues": [
                        {**row, "stretches": cue.stretches}
                        for row, cue in zip(report.rows(), report.cues, strict=True)
                    ],
                }
            )
        media_type = _SUBTITLES.get(to or "srt", "application/octet-stream")
        return Response(fitted, media_type=media_type, headers={"X-Laconic-Summary": report.summary})

    async def batch(self, request: Request) -> StreamingResponse:
        """Many texts, one JSON object a line in and out, in order; a bad line has its problem and stops nothing.

        Each line is what `/compress` takes for one text; each answer is told the number of its line. Lines are
        worked on as answers are read.
        """
        body = await request.body()
        lines = [line for line in body.split(b"\n") if line.strip()]
        return StreamingResponse(self._answers(lines), media_type="application/x-ndjson")

    async def _answers(self, lines: list[bytes]) -> AsyncIterator[bytes]:
        waiting: list[asyncio.Task[dict[str, Any]]] = []
        numbered = enumerate(lines, start=1)
        try:
            while True:
                while len(waiting) < _IN_FLIGHT * self.pool.workers:
                    following = next(numbered, None)
                    if following is None:
                        break
                    waiting.append(asyncio.create_task(self._line(*following)))
                if not waiting:
                    return
                yield format_line(await waiting.pop(0)).encode() + b"\n"
        finally:
            for task in waiting:
                task.cancel()

    async def _line(self, number: int, line: bytes) -> dict[str, Any]:
        limits = self.settings.limits
        try:
            if len(line) > limits.body_bytes:
                most = limits.body_bytes
                raise Refusal(
                    413, "too-large", f"a line of {len(line):,} bytes", limit="body_bytes", most=most
                )
            body = models.CompressRequest.model_validate(_read_json(line))
            if not isinstance(body.text, str):
                raise Refusal(422, "wrong-value", "text: a line of a batch holds one text")
            one = self.work.compress_in_detail if body.detail else self.work.compress
            given = models.given(body)

            def work() -> dict[str, Any]:
                return answer_or_problem(lambda: one(body.text, given, Deadline(limits.seconds)))

            found = await self.pool.run_in_turn(work, limits.seconds)
        except ValidationError as error:
            found = {"problem": _invalid(error.errors()).problem}
        except Refusal as refusal:
            found = {"problem": refusal.problem}
        except Exception:
            LOGGER.exception("a line of a batch failed")
            found = {"problem": Refusal(500, "internal", "the service failed; its log says why").problem}
        return {"line": number, **found}

    async def systems(self) -> Response:
        """What can be asked for: systems, limits of the world, tokenizers, norms of subtitles, options."""
        return json_response(self.work.systems())

    async def health(self) -> Response:
        """Whether the process lives; touches no worker."""
        return json_response({"status": "ok"})

    async def ready(self) -> Response:
        """Whether requests are answered at full speed; touches no worker."""
        if not self.is_ready:
            why = self.failure or "the service is starting or stopping"
            return problem_response(Refusal(503, "stopping", why, headers={"Retry-After": "1"}))
        return json_response({"status": "ready", "version": __version__})

    async def numbers(self) -> Response:
        """The numbers of this service for Prometheus."""
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4")

    async def refused(self, _: Request, error: Exception) -> Response:
        """A refusal as problem details."""
        refusal = Refusal.of(error) if isinstance(error, LaconicError) else error
        assert isinstance(refusal, Refusal)
        self.metrics.refusals.labels(refusal.kind).inc()
        return problem_response(refusal)

    async def invalid(self, request: Request, error: RequestValidationError) -> Response:
        """A request that is not of the right shape."""
        self.metrics.refusals.labels("wrong-value").inc()
        return problem_response(_invalid(error.errors(), request.url.path))

    async def elsewhere(self, _: Request, error: HTTPException) -> Response:
        """What the framework refuses: unknown paths, other methods, what is no JSON."""
        kind = {404: "not-found", 405: "method"}.get(error.status_code, "bad-request")
        detail = _why_unread(error.__cause__) if error.status_code == 400 else str(error.detail)
        return problem_response(Refusal(error.status_code, kind, detail, headers=dict(error.headers or {})))

    async def _answered(self, request: Request, work: Callable[[Deadline], dict[str, Any]]) -> Response:
        return Response(
            await self._made(request, lambda end: format_line(work(end))), media_type="application/json"
        )

    async def _made(self, request: Request, work: Callable[[Deadline], Any]) -> Any:
        """What the work makes in the pool, which is told if the client goes away."""
        deadline = Deadline(self.settings.limits.seconds)
        watching = asyncio.create_task(_gone(request, deadline))
        try:
            return await self.pool.run(lambda: work(deadline), deadline)
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


async def _gone(request: Request, deadline: Deadline) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    deadline.cancel()


def _read_json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "bad-request", _why_unread(error)) from None


def _why_unread(error: BaseException | None) -> str:
    """What is wrong with what should be JSON."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error!s:.200}"
    if isinstance(error, ValueError) and not isinstance(error, UnicodeDecodeError):
        return "a number in the JSON has too many digits"
    return "the body is not JSON in UTF-8, or is nested too deeply"


def _invalid(errors: Any, path: str = "/compress") -> Refusal:
    """The first thing that is wrong with a request, by its name; its value is not repeated."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return Refusal(400, "bad-request", f"not JSON: {first.get('ctx', {}).get('error', '')}")
    if first["type"] == "extra_forbidden":
        from laconic.options import unknown

        *within, name = map(str, first["loc"])
        shape = models.ContentRequest if "content" in within else models.SHAPES[path]
        return Refusal(422, "wrong-value", unknown(name, models.names_of(shape)))
    named = [str(part) for part in first["loc"] if str(part) in _FIELDS or str(part) in _QUERY]
    return Refusal(422, "wrong-value", f"{named[-1] if named else 'the request'}: {first['msg']}")


def page_files() -> list[tuple[str, bytes, str]]:
    """The files of the page: the path of each, its content and its kind."""
    found = []
    for file in files("laconic.serve").joinpath("page").iterdir():
        kind = _PAGE.get(file.name.rpartition(".")[2])
        if kind is not None:
            path = "/" if file.name == "index.html" else f"/page/{file.name}"
            found.append((path, file.read_bytes(), kind))
    return sorted(found)


def _asset(content: bytes, kind: str) -> Callable[[Request], Any]:
    tag = f'"{sha256(content).hexdigest()[:16]}"'

    async def asset(request: Request) -> Response:
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return asset
