"""A committee: what it elects, keeps and stores, and what it refuses."""

import numpy as np
import pytest

import plait
from plait import Sentence
from plait.cli.main import main
from plait.committee import training
from plait.committee.options import CommitteeOptions
from plait.committee.reliability import Rates
from plait.committee.system import Committee
from plait.errors import ModelError, OptionError
from plait.pipeline.combining import vote
from plait.system.modelfile import model_bytes, parse_model
from plait.system.request import Request

MEMBERS = "transition-joint beam=2 epochs=2; graph-joint epochs=2; easyfirst-joint epochs=2"


class Fixed(plait.system.System):
    """A member that always says the same."""

    name = "easyfirst-joint"
    supports = frozenset({"constrain"})

    def __init__(self, upos, heads, deprels, xpos=None, scores=None):
        self.says = {"upos": upos, "heads": heads, "deprels": deprels, **({"xpos": xpos} if xpos else {})}
        self.scores = scores
        self.options, self.training = None, {}

    @property
    def predicts(self):
        return tuple(self.says)

    @property
    def takes(self):
        return frozenset()

    def annotate(self, sentence):
        for column, values in self.says.items():
            setattr(sentence, column, list(values))

    def annotate_with(self, sentence, request):
        super().annotate_with(sentence, Request(constrain=request.constrain))
        sentence.scores = self.scores if request.scores else None

    def parts(self):
        raise NotImplementedError

    _open = parts


def committee(*members, reliabilities=None, **options):
    return Committee(
        CommitteeOptions(**{"weights": "equal", **options}), members, reliabilities or [None] * len(members)
    )


A = Fixed(["NOUN", "VERB"], [2, 0], ["nsubj", "root"])
B = Fixed(["VERB", "NOUN"], [0, 1], ["root", "obj"])


def test_the_majority_wins():
    sentence = Sentence(["dogs", "bark"])
    committee(B, A, A).annotate(sentence)
    assert (sentence.upos, sentence.heads, sentence.deprels) == (["NOUN", "VERB"], [2, 0], ["nsubj", "root"])


def test_weights_turn_a_vote():
    trusted = {column: Rates(0.9, {}) for column in B.predicts}
    doubted = {column: Rates(0.3, {}) for column in A.predicts}
    sentence = Sentence(["dogs", "bark"])
    committee(B, A, A, reliabilities=[trusted, doubted, doubted]).annotate(sentence)
    assert (sentence.upos, sentence.heads) == (["VERB", "NOUN"], [0, 1])


def test_weights_are_those_of_the_tag():
    """The same members win for one tag and lose for another."""
    nouns = {"heads": Rates(0.5, {"NOUN": 0.9, "VERB": 0.1})}
    verbs = {"heads": Rates(0.5, {"NOUN": 0.1, "VERB": 0.9})}
    one = Fixed(["NOUN", "VERB", "VERB"], [3, 3, 0], ["a", "b", "root"])
    other = Fixed(["NOUN", "VERB", "VERB"], [2, 3, 0], ["c", "d", "root"])
    for first, second, label in ((nouns, verbs, "a"), (verbs, nouns, "c")):
        sentence = Sentence(["x", "y", "z"])
        committee(one, other, reliabilities=[first, second]).annotate(sentence)
        assert sentence.deprels[0] == label


def test_probabilities_of_arcs_are_weights():
    class Sure(Fixed):
        arc_probabilities = True

    sure = Sure(["NOUN", "VERB"], [2, 0], ["nsubj", "root"], scores=[0.9, 0.9])
    unsure = Sure(["NOUN", "VERB"], [0, 1], ["root", "obj"], scores=[0.3, 0.3])
    for order in ((sure, unsure), (unsure, sure)):
        sentence = Sentence(["dogs", "bark"])
        committee(*order, weights="probability").annotate(sentence)
        assert sentence.heads == [2, 0]
    sentence = Sentence(["dogs", "bark"])
    committee(unsure, sure, unsure, weights="equal").annotate(sentence)
    assert sentence.heads == [0, 1]


def test_the_score_is_the_share_of_the_votes():
    sentence = Sentence(["dogs", "bark"])
    committee(A, A, B).annotate_with(sentence, Request(scores=True))
    assert sentence.scores == pytest.approx([2 / 3, 2 / 3])


def test_a_finer_tag_comes_from_members_who_agree_on_the_coarser():
    members = (
        Fixed(["NOUN"], [0], ["root"], xpos=["NN"]),
        Fixed(["NOUN"], [0], ["root"], xpos=["NNS"]),
        Fixed(["VERB"], [0], ["root"], xpos=["VB"]),
    )
    trusted = {"xpos": Rates(1.0, {})}
    doubted = {"xpos": Rates(0.2, {})}
    sentence = Sentence(["runs"])
    committee(*members, reliabilities=[doubted, doubted, trusted]).annotate(sentence)
    assert (sentence.upos, sentence.xpos) == (["NOUN"], ["NN"])


def test_what_is_given_stays():
    sentence = Sentence(["dogs", "bark"], upos=["_", "NOUN"], heads=[0, -1])
    committee(A, A, B).annotate_with(sentence, Request(constrain=True))
    assert sentence.upos == ["NOUN", "NOUN"]
    assert sentence.heads == [0, 1]


def test_an_empty_sentence_is_left_alone():
    sentence = Sentence([])
    committee(A, B).annotate(sentence)
    assert len(sentence) == 0


@pytest.mark.parametrize("members", [[A], [A] * 17])
def test_too_few_or_too_many_members_are_refused(members):
    with pytest.raises(OptionError, match="expected 2 to 16"):
        committee(*members)


def test_rates_of_rare_tags_lean_on_all_words():
    rates = Rates.count([("NOUN", True)] * 900 + [("NOUN", False)] * 100 + [("X", False)])
    assert rates.of("NOUN") == pytest.approx(0.9, abs=0.001)
    assert 0.8 < rates.of("X") < 0.9
    assert rates.of("Y") == rates.overall


def test_what_the_development_set_leaves_open_says_nothing_of_a_member():
    gold = [Sentence(["a", "b"], upos=["NOUN", "X"], heads=[2, -1], deprels=["nsubj", "_"])]
    rates = training.learn_reliability(Fixed(["NOUN", "VERB"], [2, 0], ["nsubj", "root"], ["N", "V"]), gold)
    assert {column: rate.overall for column, rate in rates.items()} == {
        "upos": 0.5, "heads": 1.0, "deprels": 1.0, "xpos": 1.0,
    }  # fmt: skip


@pytest.fixture(scope="module")
def trained(tiny_file):
    return plait.train("committee", train=tiny_file, dev=tiny_file, members=MEMBERS)


@pytest.mark.parametrize("request_", [Request(), Request(scores=True), Request(constrain=True)], ids=str)
def test_members_vote_on_each_sentence_of_a_block(trained, tiny_file, request_):
    given = [Sentence([]), *(Sentence(s.forms) for s in plait.read(tiny_file)), Sentence(["new", "words"])]
    if request_.constrain:
        given[1].heads[0] = 0
    singly = [s.copy() for s in given]
    for sentence in singly:
        trained.system.annotate_with(sentence, request_)
    trained.system.annotate_each(given, request_)
    assert given == singly
    assert [s.scores for s in given] == [s.scores for s in singly]
    assert not request_.constrain or given[1].heads[0] == 0


def test_a_trained_committee_is_stored_and_read_back(trained, tiny_file, tmp_path):
    trained.save(tmp_path / "m.plait")
    again = plait.load(tmp_path / "m.plait")
    assert again.to_bytes() == trained.to_bytes()
    gold = plait.read(tiny_file)
    assert [s.heads for s in again(gold)] == [s.heads for s in trained(gold)]
    assert trained.header["training"]["dev"]["las"] > 90
    assert set(trained.header["training"]) == {"member1", "member2", "member3", "dev"}


def test_what_members_have_in_common_is_stored_once(tiny_file):
    model = plait.train("graph-joint", train=tiny_file, epochs=1)
    twice = vote([model, model])
    assert len(twice.to_bytes()) < 1.2 * len(model.to_bytes()) + 20_000
    words = plait.read(tiny_file)[0].forms
    assert twice(words)[0].heads == model(words)[0].heads


def test_dropping_a_member_changes_the_file(trained):
    assert trained.system.members[0] is not trained.system.members[1]
    names = {member.name for member in trained.system.members}
    assert names == {"transition-joint", "graph-joint", "easyfirst-joint"}


def forged(model, change):
    header, arrays = parse_model(model.to_bytes(), "m")
    header = {key: value for key, value in header.items() if key not in ("format", "plait")}
    arrays = {name: np.array(array) for name, array in arrays.items()}
    change(header, arrays)
    return plait.Model.from_bytes(model_bytes(header, arrays))


@pytest.mark.parametrize(
    "change",
    [
        lambda h, a: h["reliability"].__setitem__(slice(1, None), []),
        lambda h, a: h["reliability"][0]["heads"].__setitem__("overall", 1.5),
        lambda h, a: h["reliability"][0]["heads"].__setitem__("overall", "high"),
        lambda h, a: h["reliability"][0].__setitem__("misc", {"overall": 1.0, "by_tag": {}}),
        lambda h, a: h["member1"].__setitem__("system", "committee"),
        lambda h, a: h["member1"].__setitem__("system", "crf-segmenter"),
        lambda h, a: h.pop("member2"),
    ],
)
def test_forged_files_are_refused(trained, change):
    with pytest.raises(ModelError, match="again"):
        forged(trained, change)


def test_pipelines_vote_with_their_parsers_and_take_raw_text(tiny_file, tmp_path):
    quick = {"segmenter_options": "structure=linear optimizer=adagrad epochs=2", "parser_options": "epochs=2"}
    one = plait.train("pipeline", train=tiny_file, **quick)
    other = plait.train("easyfirst-joint", train=tiny_file, epochs=3, seed=2)
    one.save(tmp_path / "a.plait")
    other.save(tmp_path / "b.plait")
    target = tmp_path / "v.plait"
    models = [str(tmp_path / "a.plait"), str(tmp_path / "b.plait")]
    assert main(["combine", "--vote", *models, "--dev", str(tiny_file), "--output", str(target)]) == 0
    voting = plait.load(target)
    assert voting.system.name == "pipeline"
    assert voting.system.parser.name == "committee"
    text = plait.read(tiny_file)[0].surface_text()
    assert [len(s.forms) for s in voting(text)] == [len(s.forms) for s in one(text)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "b", "--weights", "equal"], "need --vote"),
        (["a", "b", "c", "d", "e"], "expected SEGMENTER PARSER"),
        (["--vote", "a", "b", "--train", "t"], "no effect with --vote"),
        (["--vote", "en"], "committee of 1"),
        (["--vote", "en", "zh", "--weights", "accuracy"], "need a development set"),
    ],
)
def test_wrong_calls_are_reported(arguments, message, tmp_path, capsys):
    assert main(["combine", *arguments, "--output", str(tmp_path / "m.plait")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "m.plait").exists()


def test_votes_by_accuracy_without_a_development_set_are_refused_before_training(tiny_file, monkeypatch):
    monkeypatch.setattr(training, "find_trainer", lambda name: pytest.fail("a member was trained"))
    with pytest.raises(OptionError, match="need a development set"):
        plait.train("committee", train=tiny_file, members="graph-joint; easyfirst-joint")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ("graph-joint", "at least two"),
        ("graph-joint; ", "without a name"),
        ("graph-joint; crf-segmenter", "cannot vote"),
        ("graph-joint; nothing", "unknown system"),
        ("graph-joint; transition-joint beams=3", "no option"),
    ],
)
def test_members_that_cannot_be_are_refused_before_training(members, message, tiny_file):
    with pytest.raises(OptionError, match=message):
        plait.train("committee", train=tiny_file, dev=tiny_file, members=members)
