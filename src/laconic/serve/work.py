"""What each request asks for, made by the library: values in, JSON out, no web."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from laconic.budget import WORDS, TextCost
from laconic.compressed_text import CompressedText
from laconic.documents.compress import compress_with
from laconic.documents.explain import explain_with
from laconic.documents.lengths import SentenceLengths, lengths_in_time, lengths_with
from laconic.documents.prompts import compress_prompt, own_tokens
from laconic.documents.units import read, units_of
from laconic.errors import LaconicError
from laconic.formats.jsonl import sentence_to_json
from laconic.options import Options
from laconic.sentence import Sentence
from laconic.serve.pool import Deadline
from laconic.serve.problems import Refusal, over_limit
from laconic.serve.settings import Limits, Settings
from laconic.serve.timed import TimedSystem
from laconic.systems.annotation import annotated
from laconic.systems.manner import system_for
from laconic.systems.reasons import MOST
from laconic.systems.registry import JOINT, SYSTEMS, added_systems
from laconic.systems.system import System

OWN_TOKENS = "laconic"
"""The tokenizer that is always there: the pieces that laconic's own network reads."""

_WORDS_SEARCHED = 6000  # of a text, in all of the searches for rivals


@dataclass(frozen=True, slots=True)
class Work:
    """The requests that can be made, under the service's settings."""

    settings: Settings

    def compress(self, text: str, given: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """A shortened text."""
        options, system = self._asked(text, given, deadline)
        found = compress_with(system, text, options, options.budget())
        return self._written(found, options)

    def compress_in_detail(self, text: str, given: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """A shortened text with all that is known of its sentences."""
        options, system = self._asked(text, given, deadline)
        found = compress_with(system, text, options, options.budget())
        return {**found.to_dict(), **self._written(found, options)}

    def compress_all(
        self, texts: list[str], given: Mapping[str, Any], deadline: Deadline, *, detail: bool
    ) -> dict[str, Any]:
        """Shortened texts; one that is refused has its problem instead, and the others are not lost."""
        if len(texts) > self.settings.limits.texts:
            most = self.settings.limits.texts
            raise over_limit("texts", most, f"{len(texts):,} texts: at most {most:,} at a time")
        one = self.compress_in_detail if detail else self.compress
        return {"answers": [answer_or_problem(lambda: one(text, given, deadline)) for text in texts]}  # noqa: B023

    def compress_content(self, content: str, ratio: float | None, deadline: Deadline) -> dict[str, Any]:
        """A shortened content for a proxy that asks for a share of its tokens, or for what comes naturally."""
        count = own_tokens().count
        options, system = self._asked(content, {}, deadline)
        if ratio is None:
            short = compress_with(system, content, options).text
        else:
            short = compress_prompt(content, ratio=ratio, query="", system=system).text
        before, after = count(content), count(short)
        return {
            "compressed": short,
            "original_tokens": before,
            "compressed_tokens": after,
            "compression_ratio": round(after / max(1, before), 4),
            "model_used": "laconic",
        }

    def frontier(self, text: str, given: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """Every length of every sentence of a text, or of very long ones some; a tokenizer counts their tokens."""
        count = self._tokens(given)
        rest = {name: value for name, value in given.items() if name != "tokenizer"}
        options, system = self._asked(text, rest, deadline)
        found = lengths_with(system, text, options, wanted=lengths_in_time).sentences
        known = annotated([each.sentence for each in found])
        return {
            "sentences": [
                self._every_length(each, sentence, count) for each, sentence in zip(found, known, strict=True)
            ]
        }

    def explain(self, text: str, given: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """A shortened text, and why each word stayed or went."""
        options, system = self._asked(text, given, deadline)
        found = explain_with(system, text, options, options.budget())
        # Each rival is a search of all of the text, so there are fewer in long texts: somebody waits for the answer.
        rivals = min(MOST, _WORDS_SEARCHED // max(1, WORDS.count(text)))
        return {**self._written(found.compressed, options), "sentences": found.to_dict(rivals)["sentences"]}

    def parse(self, text: str, deadline: Deadline) -> list[Sentence]:
        """The sentences of a text with tags and trees."""
        from laconic.text.split import split_sentences

        deadline.check()
        sentences = [sentence for sentence in split_sentences(text) if sentence.words]
        check_sentences(sentences, self.settings.limits)
        return annotated(sentences)

    def subtitles(self, content: bytes, asked: Mapping[str, Any], deadline: Deadline) -> tuple[bytes, Any]:
        """A file of subtitles within its norm, and the report of what was done."""
        from laconic.documents.subtitles import Subtitles, fit

        deadline.check()
        subtitles = Subtitles.read(content)
        most = self.settings.limits.sentences
        if len(subtitles.file.cues) > most:
            raise over_limit(
                "sentences", most, f"{len(subtitles.file.cues):,} cues: at most {most:,} at a time"
            )
        for cue in subtitles.file.cues:
            check_words(cue.text.split(), self.settings.limits)
        manner = {name: asked[name] for name in ("like", "system", "protect") if asked.get(name)}
        system = TimedSystem(self._system(Options.of(manner)), deadline)
        rest = {name: value for name, value in asked.items() if name not in ("like", "system", "protect")}
        kinds = tuple(kind for kind in manner.get("protect", ()) if kind in ("urls", "code", "quotes"))
        fitted = fit(subtitles, **rest, system=system, protect=kinds)
        return fitted.content, fitted.report

    def systems(self) -> dict[str, Any]:
        """What can be asked for: systems, limits by name, tokenizers, norms of subtitles, options."""
        from laconic.documents.subtitles.norms import NORMS
        from laconic.limits import LIMITS
        from laconic.options import TABLE

        return {
            "systems": [
                {"name": name, "about": entry.summary, "default": name == "default"}
                for name, entry in {**SYSTEMS, **added_systems()}.items()
            ],
            "limits": [
                {"name": each.name, "about": each.purpose, "amount": each.amount, "unit": each.unit}
                for each in LIMITS.values()
            ],
            "tokenizers": [OWN_TOKENS, "bytes", *self.settings.tokenizers],
            "norms": [
                {"name": name, "cps": norm.cps, "line": norm.line, "lines": norm.lines, "about": norm.source}
                for name, norm in NORMS.items()
            ],
            "options": [
                {"name": name.rstrip("_"), "about": option.help, "choices": list(option.choices) or None}
                for name, option in TABLE.items()
            ],
            "service": asdict(self.settings.limits),
        }

    def warm(self) -> None:
        """Open the default system and compile what it needs, so that the first request is as fast as any."""
        text = "On Tuesday the council, which met in private, agreed to lower the fees. It did."
        deadline = Deadline(600)
        self.frontier(text, {}, deadline)
        self.compress(text, {"words": 8}, deadline)
        self.explain(text, {"characters": 40}, deadline)

    def _asked(self, text: str, given: Mapping[str, Any], deadline: Deadline) -> tuple[Options, TimedSystem]:
        deadline.check()
        options = self._options(given)
        system = TimedSystem(self._system(options), deadline)
        units, _ = units_of(read(text, options))
        check_sentences([unit.place.sentence for unit in units], self.settings.limits)
        return options, system

    def _options(self, given: Mapping[str, Any]) -> Options:
        """The options of a request: files of this machine are not to be named by others."""
        name = given.get("tokenizer")
        named = {} if name is None else {"tokenizer": self._tokenizer(name)}
        return Options.of({**given, **named})

    def _tokenizer(self, name: str) -> str | TextCost:
        if name == OWN_TOKENS:
            return own_tokens()
        if name in ("bytes", *self.settings.tokenizers):
            return name
        known = ", ".join((OWN_TOKENS, "bytes", *self.settings.tokenizers))
        raise LaconicError(f"tokenizer={name!r:.60}: this service has {known}")

    def _system(self, options: Options) -> System:
        name = options.system
        parts = str(name).removeprefix(JOINT).split("+") if str(name).startswith(JOINT) else [str(name)]
        for part in parts:
            if part not in SYSTEMS and part not in added_systems():
                raise LaconicError(
                    f"system={name!r:.60}: this service has {', '.join((*SYSTEMS, *added_systems()))}"
                )
        return system_for(options)

    def _tokens(self, given: Mapping[str, Any]) -> Callable[[str], int]:
        from laconic.units.tokenizers import open_tokenizer

        return open_tokenizer(self._tokenizer(given.get("tokenizer") or OWN_TOKENS)).count

    def _written(self, found: CompressedText, options: Options) -> dict[str, Any]:
        read = found.unmarked
        costs = {"words": WORDS.count(read), "characters": len(read)}
        if options.tokens is not None:
            budget = options.budget()
            assert budget is not None
            costs["tokens"] = budget.measure((), read)
        return {
            "text": found.text,
            "notes": list(found.notes),
            "repairs": [asdict(repair) for repair in found.repairs],
            "costs": costs,
        }

    def _every_length(
        self, each: SentenceLengths, known: Sentence, count: Callable[[str], int]
    ) -> dict[str, Any]:
        return {
            "start": each.start,
            "end": each.end,
            "source": each.sentence.text,
            **sentence_to_json(known),
            "answers": [
                {
                    "words": words,
                    "characters": len(answer.text),
                    "tokens": count(answer.text),
                    "text": answer.text,
                    "kept": None if answer.kept is None else list(answer.kept),
                    "repairs": [asdict(repair) for repair in answer.repairs],
                    "notes": list(answer.notes),
                    "score": None if answer.score is None else round(answer.score, 4),
                }
                for words, answer in each.answers.items()
            ],
        }


def answer_or_problem(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the work answers, or the problem that it has; a time that is up ends all."""
    try:
        return work()
    except LaconicError as error:
        return {"problem": Refusal.of(error).problem}
    except Refusal as refusal:
        if refusal.kind == "time-limit":
            raise
        return {"problem": refusal.problem}


def check_sentences(sentences: list[Sentence], limits: Limits) -> None:
    """Refuse what is too much to be worked on: too many sentences, too long a sentence, too long a word."""
    if len(sentences) > limits.sentences:
        raise over_limit(
            "sentences",
            limits.sentences,
            f"{len(sentences):,} sentences: at most {limits.sentences:,} at a time",
        )
    for number, sentence in enumerate(sentences, start=1):
        if len(sentence) > limits.sentence_words:
            raise over_limit(
                "sentence_words",
                limits.sentence_words,
                f"sentence {number} has {len(sentence):,} words and marks: at most {limits.sentence_words:,}",
            )
        check_words(sentence.words, limits)


def check_words(words: tuple[str, ...] | list[str], limits: Limits) -> None:
    """Refuse a word that nobody wrote."""
    longest = max(map(len, words), default=0)
    if longest > limits.word_characters:
        most = limits.word_characters
        raise over_limit("word_characters", most, f"a word of {longest:,} characters: at most {most:,}")
