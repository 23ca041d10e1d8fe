"""The transducer as a system: it learns what it is shown, keeps to budgets and pins, and survives a disk."""

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from laconic.budget import Budget
from laconic.corpora.pair import Pair
from laconic.decode.transducer import Transducer
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.formats.penn import parse_tree
from laconic.grammar.rule_features import FeatureGroup
from laconic.learn.structured_svm import SvmOptions
from laconic.learn.training import Schedule
from laconic.ngram import EstimationOptions, estimate
from laconic.sentence import Sentence
from laconic.systems.system import System
from laconic.systems.transducer.examples import TransductionExample, aligned_trees, make_lessons
from laconic.systems.transducer.features import RuleFeatures
from laconic.systems.transducer.learning import LearningOptions
from laconic.systems.transducer.losses import TokenHamming
from laconic.systems.transducer.system import TreeTransducer
from laconic.trees.transform import with_root
from tests.oracles.derivations import derivation_steps
from tests.storage.crafting import craft

TRAIN = (
    (
        "(S (ADVP (RB Today)) (, ,) (NP (DT the) (JJ old) (NN dog)) (VP (VBD barked)) (. .))",
        "(S (NP (DT the) (NN dog)) (VP (VBD barked)) (. .))",
    ),
    (
        "(S (NP (DT the) (JJ big) (NN cat)) (VP (VBD slept) (ADVP (RB well))) (. .))",
        "(S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .))",
    ),
    (
        "(S (ADVP (RB Here)) (, ,) (NP (DT a) (JJ red) (NN bird)) (VP (VBD sang) (ADVP (RB loudly))) (. .))",
        "(S (NP (DT a) (NN bird)) (VP (VBD sang)) (. .))",
    ),
)
UNSEEN = (
    "(S (ADVP (RB Now)) (, ,) (NP (DT the) (JJ grey) (NN wolf)) (VP (VBD howled) (ADVP (RB again))) (. .))"
)


def sentence(tree: str) -> Sentence:
    parsed = with_root(parse_tree(tree))
    return Sentence.from_words(parsed.words, tree=parsed)


def pair(source: str, target: str, name: str = "p") -> Pair:
    reference = with_root(parse_tree(target))
    found = Pair.aligned(name, sentence(source), [reference.words])
    return replace(found, reference_trees=(reference,))


PAIRS = [pair(*trees) for trees in TRAIN]
STRICT = LearningOptions(least=1, svm=SvmOptions(regularisation=100.0, gap=0.01))


@pytest.fixture(scope="module")
def fitted() -> TreeTransducer:
    return TreeTransducer(language=None).fit(PAIRS, options=STRICT)


def test_it_is_a_system() -> None:
    assert isinstance(TreeTransducer(language=None), System)


@pytest.mark.parametrize("gold", ["rules", "score"])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_what_was_shown_is_learnt(gold: str, rescaling: str) -> None:
    options = replace(STRICT, gold=gold, svm=replace(STRICT.svm, rescaling=rescaling))  # type: ignore[arg-type]
    system = TreeTransducer(language=None).fit(PAIRS, options=options)
    for each in PAIRS:
        found = system.compress(each.source)
        assert found.words == each.references[0]
        assert found.kept == each.kept[0]
        assert found.tree == each.reference_trees[0]


def test_the_perceptron_learns_it_too() -> None:
    options = LearningOptions(least=1, learner="perceptron", schedule=Schedule(epochs=10, batch=1))
    system = TreeTransducer(language=None).fit(PAIRS, options=options)
    assert [system.compress(each.source).words for each in PAIRS] == [each.references[0] for each in PAIRS]


def test_with_a_language_model(fitted: TreeTransducer) -> None:
    model = estimate([each.references[0] for each in PAIRS], EstimationOptions(order=2))
    system = TreeTransducer(language=model).fit(PAIRS, options=STRICT)
    assert [system.compress(each.source).words for each in PAIRS] == [each.references[0] for each in PAIRS]
    within = replace(system, beam=None).compress(sentence(UNSEEN), Budget.exactly(4, unit="pieces"))
    assert len(within.words) == 4
    with pytest.raises(ModelError, match="news model or none"):
        system.save(Path("nowhere"))


def test_an_unseen_tree_is_compressed_by_the_rules(fitted: TreeTransducer) -> None:
    source = sentence(UNSEEN)
    found = fitted.compress(source)
    assert found.words == ("the", "wolf", "howled", ".")
    assert found.text == "The wolf howled ."
    lines = list(derivation_steps(found.derivation, source.tree))  # type: ignore[arg-type]
    assert lines[0].startswith("[ROOT/ROOT [S [ADVP [RB Now]]")
    assert lines[-1] == "[ROOT [S [NP [DT the] [NN wolf]] [VP [VBD howled]] [. .]]]"


def test_every_length_is_met_exactly(fitted: TreeTransducer) -> None:
    source = sentence(UNSEEN)
    for length in range(1, len(source) + 1):
        found = fitted.compress(source, Budget.exactly(length, unit="pieces"))
        assert len(found.words) == length
        assert found.tree is not None
        assert found.tree.words == found.words
    assert len(fitted.compress(source, Budget.at_most(20, unit="characters")).text) <= 20
    with pytest.raises(InfeasibleBudget, match=r"possible: 8$"):
        fitted.compress(source, Budget.exactly(9, unit="pieces"))


def test_pins_hold(fitted: TreeTransducer) -> None:
    source = sentence(UNSEEN)
    found = fitted.compress(source, keep=[0, 3], drop=[7])
    assert {0, 3} <= set(found.kept or ())
    assert 7 not in (found.kept or ())
    assert 3 in (fitted.compress(source, Budget.exactly(4, unit="pieces"), keep=[3]).kept or ())


def test_k_best_are_different_and_ordered(fitted: TreeTransducer) -> None:
    found = fitted.k_best(sentence(UNSEEN), 5)
    assert len({each.words for each in found}) == 5
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert found[0].words == fitted.compress(sentence(UNSEEN)).words


def test_a_price_for_words_lengthens(fitted: TreeTransducer) -> None:
    source = sentence(UNSEEN)
    longer = replace(fitted, word_price=100.0).compress(source)
    assert longer.words == source.words


def test_rules_substitute_and_reorder() -> None:
    pairs = [
        pair(
            f"(S (NP (NN rain)) (VP (VBD {old}) (NP (NN {when}))))",
            f"(S (NP (NN {when})) (VP (VBD fell) (NP (NN rain))))",
        )
        for old, when in (("descended", "yesterday"), ("descended", "today"), ("descended", "Monday"))
    ]
    assert all(each.kept == (None,) for each in pairs)
    system = TreeTransducer(language=None).fit(pairs, options=STRICT)
    found = system.compress(sentence("(S (NP (NN rain)) (VP (VBD descended) (NP (NN Tuesday))))"))
    assert found.words == ("Tuesday", "fell", "rain")
    assert found.kept is None
    assert found.text == "Tuesday fell rain"
    short = system.compress(
        sentence("(S (NP (NN rain)) (VP (VBD descended) (NP (NN Tuesday))))"),
        Budget.at_most(9, unit="characters"),
    )
    assert len(short.text) <= 9


def test_saved_systems_answer_alike(fitted: TreeTransducer, tmp_path: Path) -> None:
    fitted.save(tmp_path)
    loaded = TreeTransducer.load(tmp_path)
    for tree in (UNSEEN, *(source for source, _ in TRAIN)):
        one, other = fitted.compress(sentence(tree)), loaded.compress(sentence(tree))
        assert (one.words, one.score) == (other.words, pytest.approx(other.score))
    assert loaded.groups == fitted.groups


def test_damaged_models_are_named(fitted: TreeTransducer, tmp_path: Path) -> None:
    fitted.save(tmp_path)
    craft(tmp_path, lines={"grammar": ["1\t<NP,NP> -> <[NP NN_1], [NP NN_2]>"]})
    with pytest.raises(ModelError, match=r"grammar:1: .*not the same"):
        TreeTransducer.load(tmp_path)
    fitted.save(tmp_path)
    craft(tmp_path, lines={"features": [*fitted.names[:2], "one"]})
    with pytest.raises(ModelError, match=r"`weights` must be an array of float32\[3\]"):
        TreeTransducer.load(tmp_path)
    craft(tmp_path, lines={"features": ["one", "two"]}, arrays={"weights": np.zeros(2, np.float32)})
    with pytest.raises(ModelError, match="`features` must be a text that starts with"):
        TreeTransducer.load(tmp_path)
    fitted.save(tmp_path)
    craft(tmp_path, settings={"beam": {"unique": 1.5, "total": 2.5}})
    with pytest.raises(ModelError, match=r"`beam\.unique` must be a whole number"):
        TreeTransducer.load(tmp_path)


def test_feature_groups_are_kept(tmp_path: Path) -> None:
    options = replace(STRICT, groups=FeatureGroup.TERMINALS | FeatureGroup.ROOT)
    system = TreeTransducer(language=None).fit(PAIRS, options=options)
    assert not any(name.startswith(("type", "α", "non-terminal")) for name in system.names)
    system.save(tmp_path)
    assert TreeTransducer.load(tmp_path).groups == FeatureGroup.TERMINALS | FeatureGroup.ROOT


def test_one_bad_pair_does_not_stop_training() -> None:
    stranger = pair("(S (NP (NN rain)) (VP (VBD fell)))", "(S (NP (NNS cats)) (ADVP (RB now)))", "bad")
    empty = Pair("empty", PAIRS[0].source, ((),), ((),))
    complaints: list[LaconicError] = []
    system = TreeTransducer(language=None).fit(
        [stranger, *PAIRS, empty], options=STRICT, on_error=complaints.append
    )
    assert system.compress(PAIRS[0].source).words == PAIRS[0].references[0]
    assert {str(each).partition(":")[0] for each in complaints} == {"pair 'bad'", "pair 'empty'"}
    with pytest.raises(LaconicError, match="no pair to learn from"):
        TreeTransducer(language=None).fit([stranger], options=STRICT)


KILLED = """
import os, signal, sys
from pathlib import Path
from laconic.systems.transducer.system import TreeTransducer
from tests.storage.crafting import craft
from tests.systems.transducer.test_system import PAIRS, STRICT

def stop(progress):
    if progress.iteration == 2:
        os.kill(os.getpid(), signal.SIGKILL)

TreeTransducer(language=None).fit(PAIRS, options=STRICT, checkpoint=Path(sys.argv[1]), progress=stop)
"""


def test_training_goes_on_after_a_kill(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    root = Path(__file__).parents[3]
    killed = subprocess.run([sys.executable, "-c", KILLED, str(state)], cwd=root, check=False)
    assert killed.returncode == -signal.SIGKILL
    seen: list[int] = []
    resumed = TreeTransducer(language=None).fit(
        PAIRS, options=STRICT, checkpoint=state, progress=lambda each: seen.append(each.iteration)
    )
    assert seen[0] == 3
    assert resumed.compress(PAIRS[0].source).words == PAIRS[0].references[0]


def test_both_rounds_of_the_best_score_keep_their_state(tmp_path: Path) -> None:
    options = replace(STRICT, gold="score")
    straight = TreeTransducer(language=None).fit(PAIRS, options=options)
    for _ in range(2):  # the second time nothing is left to do
        kept = TreeTransducer(language=None).fit(PAIRS, options=options, checkpoint=tmp_path / "state.npz")
        assert kept.weights == pytest.approx(straight.weights, abs=0.05)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state.npz", "state.score.npz"]


@pytest.mark.parametrize("learner", ["svm", "perceptron"])
def test_scaled_features_learn_the_same(learner: str) -> None:
    options = replace(STRICT, learner=learner, schedule=Schedule(epochs=10, batch=1), scale=0.5)  # type: ignore[arg-type]
    system = TreeTransducer(language=None).fit(PAIRS, options=options)
    assert [system.compress(each.source).words for each in PAIRS] == [each.references[0] for each in PAIRS]
    with pytest.raises(LaconicError, match="scale above 0"):
        LearningOptions(scale=0.0)


def test_mistakes_of_callers() -> None:
    with pytest.raises(ModelError, match="not trained"):
        TreeTransducer(language=None).compress(sentence(UNSEEN))
    with pytest.raises(ModelError, match="cannot be saved"):
        TreeTransducer(language=None).save(Path("nowhere"))
    with pytest.raises(LaconicError, match="the tree's words are not the sentence's"):
        Sentence.from_words(["other", "words"], tree=parse_tree(UNSEEN))
    with pytest.raises(LaconicError, match="no trees"):
        aligned_trees(replace(PAIRS[0], reference_trees=None))
    with pytest.raises(LaconicError, match="'rules' or best 'score'"):
        LearningOptions(gold="luck")  # type: ignore[arg-type]


def test_an_empty_sentence_stays_empty(fitted: TreeTransducer) -> None:
    empty = Sentence((), ())
    assert fitted.compress(empty).text == ""
    with pytest.raises(InfeasibleBudget):
        fitted.compress(empty, Budget.at_least(1, unit="pieces"))


def test_answers_come_one_at_a_time(fitted: TreeTransducer) -> None:
    assert fitted.grammar is not None
    transducer = Transducer(fitted.grammar, RuleFeatures(names=fitted.names))
    [lesson] = make_lessons([aligned_trees(PAIRS[0])], transducer)
    example = TransductionExample.of(lesson, TokenHamming())
    weights = np.zeros(len(fitted.names))
    with pytest.raises(LaconicError, match="one derivation at a time"):
        example.answers(weights, k=2)
