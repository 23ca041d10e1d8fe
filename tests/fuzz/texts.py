"""Texts of every kind that people paste: plain registers, other scripts, marks, code, and what is plainly broken."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

NAMES = [
    "Ana",
    "Ben Hall",
    "Mrs. Okoro",
    "Dr. Osei",
    "Mr. Vane",
    "J. R. Tully",
    "Zoë",
    "Ó Briain",
    "Ada Quist",
]
BODIES = ["the council", "Harbour Corp.", "Tarn & Sons Ltd.", "the U.S. agency", "our team", "the museum"]
NOUNS = [
    "budget",
    "ferry",
    "roof",
    "report",
    "engine",
    "bakery",
    "river",
    "choir",
    "licence",
    "well-kept lawn",
]
VERBS = ["opened", "sold", "repaired", "missed", "painted", "counted", "lent", "moved", "found", "closed"]
SAID = ["said", "admitted", "hopes", "fears", "knew", "did not say", "could n't believe", "can't say"]
ADJECTIVES = ["old", "narrow", "late", "second-hand", "blue", "very small", "unlit", "20-year-old"]
ADVERBS = ["again", "slowly", "however", "of course", "yesterday", "in part", "never", "not", "almost"]
TIMES = [
    "on Monday",
    "at 5 p.m.",
    "in Jan. 2031",
    "by noon",
    "before the war",
    "at 10:45",
    "last week",
    "e.g. today",
]
AMOUNTS = [
    "$4.5 million",
    "12%",
    "3 km",
    "£1,200",
    "half",
    "20 °C",
    "−7.5",
    "1/2 cup",
    "No. 9",
    "two or three",
]
CHATTER = ["lol", "ok", "u", "thx", "tbh", "idk", "gonna", "wanna", "pls", "brb", "imho", "so", "yeah", "omg"]
PICTURES = ["😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇵🇹", "❤️", "1️⃣", "→", "✓", ":-)", "<3", "^_^"]
WEB = [
    "https://example.org/a_b?c=d&e=(f)",
    "www.example.com.",
    "ana@example.org",
    "@ben_h",
    "#topic",
    "foo.py",
    "C:\\dir\\file.txt",
    "x_1=f(y)[0];",
    "a->b",
    "</b>",
    "&amp;",
    "`ls -l`",
    "**bold**",
    "[link](http://e.org)",
    "$x^2$",
    "--flag=1",
]
SCRIPTS = [
    "שלום",
    "עולם,",
    "مرحبا",
    "؟",
    "你好世界。",
    "東京で",
    "नमस्ते",
    "สวัสดีครับ",
    "Привет,",
    "e\u0301te\u0301",
    "Z͑ͫ̓ͪ̂ͫ̽",
    "ﬁne",
    "ǅ",
    "İstanbul",
    "straße",
    "ŉ",
    "\u202eabc\u202c",
    "Ⅷ",
    "٣٤",
    "½",
]
BROKEN = [
    "\ud800",
    "x\udfff",
    "\x00",
    "a\x00b",
    "\x1b[0m",
    "\u200b",
    "a\u200bb",
    "\ufeff",
    "\u2028",
    "\u0085",
    "\x0b",
    "\u00ad",
    "\u0301",
    "\u200d",
    "\U0010ffff",
    "\ufffd",
    "�",
]
MARKS = [
    *".,;:!?…\"'“”‘’()[]{}«»-–—/\\|*#%&@$€°`~^<>=+_",
    "...",
    "--",
    "''",
    "``",
    "?!",
    ".,",
    '."',
    "-LRB-",
]
GAPS = ["\t", "\u00a0", "  ", "\n", "\u2003", " \u200b", "\r\n", "\u3000", "\x0c"]
ABBREVIATED = [
    "U.S.",
    "Mr.",
    "Corp.",
    "p.m.",
    "e.g.",
    "etc.",
    "Inc.",
    "vs.",
    "St.",
    "Ph.D.",
    "No.",
    "J.",
    "Oct.",
]


def plain_sentence(random: Random) -> str:
    """A sentence as written: clauses, asides, quotes and lists around a subject and a verb."""
    pick = random.choice

    def noun() -> str:
        return f"{pick(('the', 'a', 'its', 'some'))} {pick(ADJECTIVES)} {pick(NOUNS)}"

    def clause() -> str:
        object_ = pick([noun(), f"the {pick(NOUNS)}", pick(AMOUNTS)])
        return f"{pick([*NAMES, *BODIES])} {pick(VERBS)} {object_}"

    shape = pick(
        [
            "{c}.",
            "{c}.",
            "{t}, {c}.",
            "{c} {t}, {n} {s}.",
            "“{c},” {n} {s}.",
            "{c} ({x}) {t}.",
            "{c}, which {n} {v}, and {d}!",
            "{c}; {d}.",
            "Did {n} {s}: {c}?",
            "{n}'s {o} isn't {a}.",
            '"{c}" was {a}, {b}.',
            "{c} – {x} – {t}",
            "{a}, {b} and {x} {v} {m}.",
            "{c} {t}…",
            "If {c}, then {d} {b}.",
            "Although {x} {v}, {c} because {d}, {n} {s} {t}.",
            "{x} {v} {m} {t} at {m}, up {m}.",
            "{b}",
        ]
    )
    text = shape.format(
        c=clause(),
        d=clause(),
        t=pick(TIMES),
        n=pick(NAMES),
        s=pick(SAID),
        v=pick(VERBS),
        x=noun(),
        o=pick(NOUNS),
        a=pick(ADJECTIVES),
        b=pick(ADVERBS),
        m=pick(AMOUNTS),
    )
    return text[0].upper() + text[1:]


def chat(random: Random) -> str:
    """Small letters, no stops, pictures."""
    words = random.choices([*CHATTER, *NOUNS, *VERBS, *ADVERBS, *PICTURES], k=random.randint(1, 12))
    return " ".join(words)


def shouting(random: Random) -> str:
    """All capitals."""
    return plain_sentence(random).upper()


def mixture(random: Random) -> str:
    """Odd pieces among words, with odd white space."""
    odd = random.choice(
        [SCRIPTS, WEB, BROKEN, MARKS, PICTURES, ABBREVIATED, [*SCRIPTS, *WEB, *BROKEN, *MARKS]]
    )
    pieces = [
        random.choice(odd)
        if random.random() < 0.4
        else random.choice([*NOUNS, *VERBS, "the", "it", "is", "I"])
        for _ in range(random.randint(1, 11))
    ]
    return "".join(piece + (random.choice(GAPS) if random.random() < 0.1 else " ") for piece in pieces)


def marks_only(random: Random) -> str:
    """Nothing but punctuation."""
    return random.choice(["", " "]).join(random.choices(MARKS, k=random.randint(0, 8)))


def marked_up(random: Random) -> str:
    """Markup, tables and lists around plain words."""
    inside = " ".join(random.choices([*NOUNS, *VERBS, *ADJECTIVES], k=random.randint(1, 5)))
    shape = random.choice(
        [
            "<p>{}</p>",
            "| {} | 12 | n/a |",
            "* {}",
            "1. {}",
            "## {}",
            "- [ ] {}",
            "{{{}: 1}}",
            "<i>{}",
            "a\t{}\t3",
        ]
    )
    return shape.format(inside)


def unbalanced(random: Random) -> str:
    """A plain sentence with quotes and brackets where they do not belong."""
    words = plain_sentence(random).split(" ")
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(words))
        mark = random.choice("\"'“”‘’()[]«»,;")
        words[place] = mark + words[place] if random.random() < 0.5 else words[place] + mark
    return " ".join(words)


def characters(random: Random) -> str:
    """Any characters at all."""
    pools = [
        "abc ABC .,'\"()-",
        "aé\u0301\u200d👩 ",
        "".join(map(chr, range(32, 127))),
        "\ud800\x00\u2028 a.",
    ]
    return "".join(random.choices(random.choice(pools), k=random.randint(0, 30)))


def dotted(random: Random) -> str:
    """Abbreviations wherever they can stand, the end included."""
    words = random.choices([*ABBREVIATED, *NOUNS, *VERBS, "the", "of"], k=random.randint(1, 9))
    return " ".join(words) + random.choice(["", ".", "?", "...", ")"])


def long_sentence(random: Random, least: int = 60, most: int = 380) -> str:
    """Clauses strung together."""
    wanted = random.randint(least, most)
    text = ""
    while len(text.split()) < wanted:
        text += plain_sentence(random).strip(".!?…") + random.choice(
            [", and ", "; ", ", ", " because ", " – "]
        )
    return text.strip(" ,;–") + "."


def long_list(random: Random, least: int = 60, most: int = 380) -> str:
    """One word after the other, with a comma behind each or behind none: phrases with hundreds of parts."""
    words = " ".join(random.choice([NOUNS, VERBS, ADJECTIVES, NAMES, AMOUNTS, CHATTER])).split()
    count = random.randint(least, most)
    return random.choice([", ", " "]).join(random.choices(words, k=count)) + "."


SHORT: list[tuple[Callable[[Random], str], int]] = [
    (plain_sentence, 40),
    (unbalanced, 12),
    (mixture, 14),
    (dotted, 8),
    (chat, 6),
    (shouting, 4),
    (marked_up, 5),
    (marks_only, 3),
    (characters, 6),
]


def short_text(random: Random) -> str:
    """A sentence, or what someone takes for one, of seldom more than twenty words."""
    [kind] = random.choices([kind for kind, _ in SHORT], [weight for _, weight in SHORT])
    return kind(random)


def tiny_text(random: Random) -> str:
    """The beginning of a short text: few enough words to try every selection of them."""
    words = short_text(random).split(" ")
    start = random.randrange(max(1, len(words) - 5))
    return " ".join(words[start : start + random.randint(2, 7)])


def document(random: Random, *, tiny: bool = False) -> str:
    """Several sentences with what their author puts between them."""
    kind = tiny_text if tiny else short_text
    count = random.randint(1, 3) if tiny else random.randint(1, 6)
    texts = [kind(random) for _ in range(count)]
    if not tiny and random.random() < 0.02:
        texts = _many(random, random.randint(100, 390))
    if random.random() < 0.004:
        texts.append(long_sentence(random, 150, 300))
    return "".join(text + random.choice([" ", " ", " ", "  ", "\n", "\n\n", ""]) for text in texts)


def _many(random: Random, most: int) -> list[str]:
    """Short texts of so many words together at most."""
    texts: list[str] = []
    while True:
        text = short_text(random)
        most -= len(text.split())
        if most < 0:
            return texts or [text]
        texts.append(text)
