"""Beyond deletion: what the tree transducer learns from Microsoft's abstractive compressions.

Pairs of one or two sentences are cut into pairs of single sentences; the trees are the embedded parser's. The
report shows the most frequent rules that substitute or reorder, and sentences of our own that they rewrite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Row, Table

from laconic.annotate import load_annotator
from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.decode.cube_pruning import Beam
from laconic.errors import LaconicError
from laconic.grammar.rules import Rule
from laconic.learn.structured_svm import SvmOptions
from laconic.sentence import Sentence
from laconic.systems.transducer.learning import LearningOptions
from laconic.systems.transducer.system import TreeTransducer
from laconic.text.split import split_sentences
from laconic.text.tokenise import tokenise

LONGEST = 30  # words of a source
SHARED = 0.6  # of the words of a target, those that its source must have
SHOWN = 24  # rules of a kind
PRICES = (-0.2, -0.4, -0.8)
RATIOS = (0.85, 0.7)
BEAM = Beam(30, 90)
OPTIONS = LearningOptions(svm=SvmOptions(regularisation=10.0, gap=0.05, iterations=20))

SENTENCES = (
    "The United States will not sign the treaty this year.",
    "About forty percent of the students and teachers were absent on Monday.",
    "The company said that it would cut two thousand jobs in order to save money.",
    "He is the director of the national museum and a member of the board.",
    "We have no information about the second accident.",
    "They are not able to provide a complete answer.",
    "Two of the three bridges across the river have been closed since the flood.",
    "She has been given the opportunity to work with a very old instrument.",
    "It is a small and beautiful town in the mountains.",
    "In 1988, the president of the bank resigned.",
    "The price rose by 12 percent, according to the report.",
    "A new study shows that children who read every day do better in school.",
    "The report of the committee was published on Tuesday.",
    "The house, which was built in 1920, is still owned by the family.",
    "I would like to thank all of the people who have helped us.",
    '"We have never seen such a storm," said the mayor of the city.',
    "The government has announced that it will spend five million dollars on new roads.",
    "You can find more information on our website.",
    "Your donation will provide food and shelter for three families.",
    "He could not come because of the weather.",
    "There are many reasons for the decline of the industry.",
    "The machine is used to clean the floors of the hospital.",
    "This is the first time that a woman has won the race.",
    "The museum is open from nine until five and there is no charge.",
    "The owner of the shop closed the door early.",
    "The results of the survey were sent to the director of the school.",
    "The mayor of the town thanked the members of the club.",
    "The bill would cost the United States five million dollars.",
    "He will have the opportunity to see the roof of the church.",
    "More information is available from the secretary of the college.",
    "The price of the ticket is 20 percent higher than last year.",
    "This is the second report about the safety of the bridge.",
    "The study was paid for by the owners of the factory.",
    "They have not seen the first draft of the letter.",
)


def sentence_pairs(name: str, data: Path) -> Iterator[Pair]:
    """Pairs of single sentences: every target sentence with the source sentence that has most of its words.

    Left out are targets that share too little with any source sentence, those that share a source sentence
    with another, and long sources.
    """
    for pair in open_pairs(name, data, tokenise=tokenise):
        sources = split_sentences(pair.source.text)
        chosen: dict[int, list[Sentence]] = {}
        for target in split_sentences(" ".join(pair.references[0])):
            overlaps = [shared(source.words, target.words) for source in sources]
            best = max(range(len(sources)), key=overlaps.__getitem__)
            if overlaps[best] >= SHARED * len(target):
                chosen.setdefault(best, []).append(target)
        for place, targets in chosen.items():
            if len(targets) == 1 and len(sources[place]) <= LONGEST:
                yield Pair.aligned(f"{pair.id}.{place}", sources[place], [targets[0].words])


def shared(source: Sequence[str], target: Sequence[str]) -> int:
    """How many words two sentences have in common, case folded."""
    counts = (Counter(word.casefold() for word in words) for words in (source, target))
    return sum((next(counts) & next(counts)).values())


def parsed(pairs: Sequence[Pair], cache: Path) -> Iterator[Pair]:
    """The pairs with the embedded parser's trees."""
    annotator = load_annotator()
    sources = annotator.annotate((pair.source for pair in pairs), cache=cache)
    targets = (Sentence.from_words(pair.references[0]) for pair in pairs)
    for pair, source, target in zip(
        pairs, list(sources), annotator.annotate(targets, cache=cache), strict=True
    ):
        assert target.tree is not None
        yield replace(pair, source=source, reference_trees=(target.tree,))


def substitutes(rule: Rule) -> bool:
    """Whether a rule brings a word that its source side does not have, case folded."""
    return not {word.casefold() for word in rule.target.words} <= {
        word.casefold() for word in rule.source.words
    }


def reorders(rule: Rule) -> bool:
    """Whether variables of a rule change their order."""
    order = [node.link or 0 for node in rule.target.variables]
    return order != sorted(order)


def distinct(rules: Iterable[tuple[int, Rule]]) -> Iterator[tuple[int, Rule]]:
    """The first rule of each change of words and of order, as specific rules repeat general ones."""
    seen = set()
    for times, rule in rules:
        removed = tuple(word for word in rule.source.words if word not in rule.target.words)
        added = tuple(word for word in rule.target.words if word not in rule.source.words)
        order = tuple((node.label, node.link) for node in rule.target.variables) if reorders(rule) else ()
        if (removed, added, order) not in seen:
            seen.add((removed, added, order))
            yield times, rule


def learn(at: Workplace) -> Found:
    """Learn from the pairs: the rules beyond deletion, and what they make of our sentences."""
    pairs = list(parsed(list(sentence_pairs("msr.train", at.data)), at.annotations))
    faults: list[LaconicError] = []
    system = TreeTransducer(beam=BEAM).fit(
        pairs, options=OPTIONS, on_error=faults.append, progress=at.check_time
    )
    assert system.grammar is not None
    rules = list(zip(system.grammar.counts, system.grammar.rules, strict=True))
    kinds = {
        "substitute": [(times, rule) for times, rule in rules if substitutes(rule)],
        "reorder": [(times, rule) for times, rule in rules if reorders(rule)],
    }
    return {
        "pairs": len(pairs),
        "beyond deletion": sum(pair.kept[0] is None for pair in pairs),
        "passed over": len(faults),
        "rules": len(system.grammar),
        "kinds": {kind: len(found) for kind, found in kinds.items()},
        "shown": {
            kind: [(times, str(rule)) for times, rule in islice(distinct(found), SHOWN)]
            for kind, found in kinds.items()
        },
        "rewritten": list(rewritten(system)),
    }


def rewritten(system: TreeTransducer) -> Iterator[tuple[str, str, str, str]]:
    """Our sentences with a condition, the output, and the rules beyond deletion that made it."""
    for text in SENTENCES:
        shown = set()
        for condition, compression in under_conditions(system, tokenise(text)):
            applied = [part.rule for part in compression.derivation.applications()]
            beyond = [rule for rule in applied if substitutes(rule) or reorders(rule)]
            if beyond and compression.text not in shown:
                shown.add(compression.text)
                yield text, condition, compression.text, ", ".join(f"`{rule}`" for rule in beyond)


def under_conditions(system: TreeTransducer, sentence: Sentence) -> Iterator[tuple[str, Compression]]:
    """The sentence at the system's own length, at prices for the words that are kept, and in fewer characters."""
    yield "own length", system.compress(sentence)
    for price in PRICES:
        yield f"{price} a kept word", replace(system, word_price=price).compress(sentence)
    for ratio in RATIOS:
        budget = Budget.at_most(ratio=ratio, unit="characters")
        yield f"{ratio:.0%} of the characters", system.compress(sentence, budget)


def rewriting_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    job = found["pairs"]
    tables = [
        Table(
            [("rule", "times"), *((f"`{rule}`", str(times)) for times, rule in rules)], f"Rules that {kind}"
        )
        for kind, rules in job["shown"].items()
    ]
    rows: list[Row] = [("sentence", "condition", "output", "rules beyond deletion")]
    rows += [tuple(row) for row in job["rewritten"]]
    note = (
        "A word is substituted only now and then by those who wrote the pairs, so at its own length the system mostly "
        "copies; short texts are where the rules pay. Conditions without such rules, or with an output shown "
        "before, are "
        "left out."
    )
    tables.append(Table(rows, "What they make of sentences of our own", note))
    yield Page(
        "rewriting",
        "Rewriting beyond deletion",
        f"Learnt from {job['pairs']} pairs of single sentences, cut from Microsoft's abstractive training pairs; "
        f"{job['beyond deletion']} of them do more than delete. {job['passed over']} were passed over: no rules within "
        f"the limits derive them. Of {job['rules']} rules seen at least {OPTIONS.least} times, "
        f"{job['kinds']['substitute']} substitute and {job['kinds']['reorder']} reorder.",
        tables,
        plotted="times",
    )


EXPERIMENTS = (
    Experiment(
        "transducer/rewriting",
        "Cohn & Lapata 2009, beyond deletion: rules that substitute and reorder",
        12,
        (Job("pairs", learn, reads=("msr.train",), uses=("parser",)),),
        rewriting_pages,
    ),
)
