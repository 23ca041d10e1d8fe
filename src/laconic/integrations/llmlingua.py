"""A class that is called like LLMLingua's `PromptCompressor` and answers in its form, and meets its limits.

It needs neither that package nor its models: prompts are shortened by `laconic.documents.prompts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any

from laconic.budget import TextCost
from laconic.documents.prompts import SEPARATOR, compress_prompt, own_tokens
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.text.tokenise import tokenise
from laconic.units.tokenizers import open_tokenizer

_TUNING = frozenset(
    [
        *("iterative_size", "force_context_ids", "force_context_number", "use_sentence_level_filter"),
        *("use_context_level_filter", "use_token_level_filter", "keep_split", "high_priority_bonus"),
        *("context_budget", "token_budget_ratio", "reorder_context", "dynamic_context_compression_ratio"),
        *("condition_compare", "add_instruction", "rank_method", "target_context", "context_level_rate"),
        *("context_level_target_token", "token_to_word", "drop_consecutive", "chunk_end_tokens"),
        *("strict_preserve_uncompressed", "force_reserve_digit"),
    ]
)
"""Options of LLMLingua for its own models and stages; they are taken and change nothing. Digits always stay."""

_SEGMENT = re.compile(r"<llmlingua(?P<options>[^>]*)>(?P<text>.*?)</llmlingua>", re.DOTALL)
_RATE = re.compile(r"\brate\s*=\s*([\d.]+)")
_COMPRESS = re.compile(r"\bcompress\s*=\s*(True|False)")


class PromptCompressor:
    """Shortens prompts; what LLMLingua's takes to load its models is taken and not needed.

    `tokenizer` says whose tokens are counted, by name, file or object; without one, laconic's own.
    """

    def __init__(
        self,
        model_name: str | None = None,  # noqa: ARG002
        device_map: str | None = None,  # noqa: ARG002
        model_config: dict[str, Any] | None = None,  # noqa: ARG002
        open_api_config: dict[str, Any] | None = None,  # noqa: ARG002
        use_llmlingua2: bool = False,  # noqa: ARG002
        llmlingua2_config: dict[str, Any] | None = None,  # noqa: ARG002
        *,
        tokenizer: object = None,
        system: str = "default",
    ) -> None:
        self._tokens: TextCost = own_tokens() if tokenizer is None else open_tokenizer(tokenizer)
        self._system = system

    def compress_prompt(
        self,
        context: str | Sequence[str],
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        *,
        force_tokens: Sequence[str] = (),
        condition_in_question: str = "after",
        concate_question: bool = True,
        structured: bool = False,
        **tuning: Any,
    ) -> dict[str, Any]:
        """The prompt with at most `target_token` tokens, or `rate` of its own: always, instruction and question whole.

        The question is heeded unless `condition_in_question` is "none". Words of `force_tokens` stay wherever they
        stand; marks stay as grammar has them. `structured` contexts are in segments, such as
        `<llmlingua, rate=0.2>…</llmlingua>`: those with a rate of their own are shortened to it, those with
        `compress=False` stay as they are; all others are shortened together until the prompt meets its limit.
        """
        for name in tuning:
            if name not in _TUNING:
                raise LaconicError(f"compress_prompt has no option {name!r}")
        contexts = [context] if isinstance(context, str) else list(context)
        asked = _Asked(
            contexts,
            instruction,
            question if concate_question else "",
            "" if condition_in_question == "none" else question,
            force_tokens,
        )
        if structured:
            return self._in_segments(asked, rate, target_token)
        source = self._count(contexts, asked)
        found = compress_prompt(
            contexts,
            tokens=_limit(source, rate, target_token),
            tokenizer=self._tokens,
            instruction=instruction,
            question=asked.question,
            query=asked.query,
            keep=_words_in(contexts, force_tokens),
            system=self._system,
        )
        return _answer(found.text, list(found.documents), source, found.cost)

    structured_compress_prompt = partialmethod(compress_prompt, structured=True)
    """The same for contexts in segments."""

    def _in_segments(self, asked: _Asked, rate: float, target_token: float) -> dict[str, Any]:
        segments = [
            segment for number, text in enumerate(asked.contexts) for segment in _segments(text, number)
        ]
        source = self._count(_joined(segments), asked)
        options: dict[str, Any] = {
            "tokenizer": self._tokens,
            "query": asked.query,
            "system": self._system,
            "separator": "",
        }
        done = list(segments)
        for place, segment in enumerate(segments):
            if segment.rate is not None and segment.compress:
                keep = _words_in([segment.text], asked.force_tokens)
                found = compress_prompt([segment.text], ratio=segment.rate, keep=keep, **options)
                done[place] = segment.with_text(found.documents[0])
        free = [
            place
            for place, segment in enumerate(segments)
            if segment.compress and segment.rate is None and segment.text.strip()
        ]
        limit = _limit(source, rate, target_token)
        texts = [segments[place].text for place in free]
        options["keep"] = _words_in(texts, asked.force_tokens)
        others = [each for place, each in enumerate(done) if place not in free]
        room = limit - self._count(_joined(others), asked)
        while (cost := self._count(_joined(done), asked)) > limit:
            if not free and target_token <= 0:
                break  # every segment has a rate of its own
            if not free or room < 0:
                raise InfeasibleBudget(
                    f"the prompt cannot have at most {limit} tokens: its other segments fill it"
                )
            found = compress_prompt(texts, tokens=room, **options)
            for place, text in zip(free, found.documents, strict=True):
                done[place] = segments[place].with_text(text)
            room -= max(1, self._count(_joined(done), asked) - limit)
        documents = _joined(done)
        return _answer(asked.prompt(documents), documents, source, cost)

    def _count(self, documents: Sequence[str], asked: _Asked) -> int:
        return self._tokens.count(asked.prompt(documents))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The contexts, what stands around them, what is heeded, and what stays in them."""

    contexts: Sequence[str]
    instruction: str
    question: str
    query: str
    force_tokens: Sequence[str]

    def prompt(self, documents: Sequence[str]) -> str:
        """The prompt with documents in the place of the contexts."""
        return SEPARATOR.join(part for part in (self.instruction, *documents, self.question) if part)


@dataclass(frozen=True, slots=True)
class _Segment:
    """A stretch of one of the contexts."""

    context: int
    text: str
    rate: float | None = None
    compress: bool = True

    def with_text(self, text: str) -> _Segment:
        """The same with another text; white space at its edges belongs to the form, and stays."""
        start, end = len(self.text) - len(self.text.lstrip()), len(self.text.rstrip())
        return replace(self, text=self.text[:start] + text.strip() + self.text[end:]) if start < end else self


def _segments(text: str, context: int) -> Iterator[_Segment]:
    position = 0
    for match in _SEGMENT.finditer(text):
        if text[position : match.start()]:
            yield _Segment(context, text[position : match.start()])
        rate, compress = _RATE.search(match["options"]), _COMPRESS.search(match["options"])
        yield _Segment(
            context,
            match["text"],
            None if rate is None else float(rate[1]),
            compress is None or compress[1] == "True",
        )
        position = match.end()
    if text[position:]:
        yield _Segment(context, text[position:])


def _joined(segments: Sequence[_Segment]) -> list[str]:
    """The contexts, each of its segments."""
    texts = [""] * (1 + max((segment.context for segment in segments), default=-1))
    for segment in segments:
        texts[segment.context] += segment.text
    return texts


def _limit(source: int, rate: float, target_token: float) -> int:
    if target_token > 0:
        return int(target_token)
    if not 0 <= rate <= 1:
        raise LaconicError(f"a rate lies between 0 and 1, not {rate}")
    return int(rate * source + 1e-9)


def _words_in(texts: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Those of the wanted tokens that are words and stand in a text."""
    present = {word.casefold() for text in texts for word in tokenise(text).words}
    return [word for word in wanted if any(map(str.isalnum, word)) and word.strip().casefold() in present]


def _answer(prompt: str, documents: list[str], source: int, tokens: int) -> dict[str, Any]:
    """What LLMLingua answers; what is saved is priced as it prices it, at 0.06 dollars a thousand tokens."""
    return {
        "compressed_prompt": prompt,
        "compressed_prompt_list": documents,
        "origin_tokens": source,
        "compressed_tokens": tokens,
        "ratio": f"{source / max(1, tokens):.1f}x",
        "rate": f"{tokens / max(1, source):.1%}",
        "saving": f", Saving ${(source - tokens) * 0.06 / 1000:.1f} in GPT-4.",
    }
