"""Stems of English verbs, by rules and a list of irregular forms: enough to pool the forms of one verb."""

from __future__ import annotations

_IRREGULAR = {
    form: stem
    for stem, forms in {
        "be": "am is are was were been being 's 're 'm",
        "have": "has had having 've 'd",
        "do": "does did done doing",
        "go": "goes went gone",
        "say": "said",
        "make": "made",
        "take": "took taken",
        "get": "got gotten",
        "come": "came",
        "give": "gave given",
        "find": "found",
        "think": "thought",
        "tell": "told",
        "become": "became",
        "leave": "left",
        "feel": "felt",
        "bring": "brought",
        "begin": "began begun",
        "keep": "kept",
        "hold": "held",
        "write": "wrote written",
        "stand": "stood",
        "hear": "heard",
        "mean": "meant",
        "meet": "met",
        "pay": "paid",
        "sit": "sat",
        "speak": "spoke spoken",
        "lead": "led",
        "grow": "grew grown",
        "lose": "lost",
        "fall": "fell fallen",
        "send": "sent",
        "build": "built",
        "understand": "understood",
        "draw": "drew drawn",
        "break": "broke broken",
        "spend": "spent",
        "rise": "rose risen",
        "drive": "drove driven",
        "buy": "bought",
        "wear": "wore worn",
        "choose": "chose chosen",
        "see": "saw seen",
        "know": "knew known",
        "show": "shown",
        "run": "ran",
        "win": "won",
        "sell": "sold",
        "will": "wo 'll would",
        "can": "ca could",
        "shall": "sha should",
        "may": "might",
    }.items()
    for form in forms.split()
}
_VOWELS = frozenset("aeiouy")
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def verb_stem(word: str) -> str:
    """The stem shared by the forms of a verb; a final e is dropped, so that rules need no dictionary.

    >>> [verb_stem(form) for form in ("tries", "trying", "stopped", "closing", "closed", "Went")]
    ['try', 'try', 'stop', 'clos', 'clos', 'go']
    """
    form = word.lower()
    return _regular_stem(_IRREGULAR.get(form, form))


def _regular_stem(form: str) -> str:
    if form.endswith(("ies", "ied")) and len(form) > 4:
        return form[:-3] + "y"
    for suffix in ("ing", "ed"):
        rest = form.removesuffix(suffix)
        if rest != form and len(rest) > 1 and any(letter in _VOWELS for letter in rest):
            return _undoubled(rest)
    if form.endswith("es") and form[:-2].endswith(_SIBILANTS):
        return form[:-2]
    if form.endswith("s") and not form.endswith("ss") and len(form) > 3:
        return form[:-1].removesuffix("e")
    return form.removesuffix("e") if len(form) > 3 else form


def _undoubled(rest: str) -> str:
    doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeioulsz"
    return rest[:-1] if doubled else rest
