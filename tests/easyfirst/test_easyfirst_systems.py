"""The three systems on a tiny treebank of our own: learnt by heart, saved, loaded, traced."""

import json
import pickle
import re
import subprocess
import sys

import pytest

import plait
from plait.data.document import Sentence
from plait.data.trees import is_tree
from plait.draw.steps import steps_page
from plait.easyfirst.trace import format_trace, trace_of
from plait.errors import DataError, ModelError, OptionError
from plait.pipeline import Model, train

WORDS = {
    "the": ("DET", "det"), "a": ("DET", "det"), "old": ("ADJ", "amod"), "dog": ("NOUN", "x"), "cat": ("NOUN", "x"),
    "saw": ("VERB", "root"), "heard": ("VERB", "root"), "loudly": ("ADV", "advmod"),
}  # fmt: skip


def sentence(text: str, heads: list[int], deprels: str) -> Sentence:
    forms = text.split()
    return Sentence(forms, upos=[WORDS[f][0] for f in forms], heads=heads, deprels=deprels.split())


TREEBANK = [
    sentence("the dog saw a cat", [2, 3, 0, 5, 3], "det nsubj root det obj"),
    sentence("the old cat heard the dog", [3, 3, 4, 0, 6, 4], "det amod nsubj root det obj"),
    sentence("a dog heard the old cat loudly", [2, 3, 0, 6, 6, 3, 3], "det nsubj root det amod obj advmod"),
    sentence("a cat saw the dog", [2, 3, 0, 5, 3], "det nsubj root det obj"),
    sentence("heard", [0], "root"),
    sentence("a cat saw the dog loudly old", [2, 3, 0, 5, 3, 3, 2], "det nsubj root det obj advmod amod"),  # crossing
]

SYSTEMS = {
    "easyfirst-tagger": {},
    "easyfirst-parser": {"folds": 2, "tagger_epochs": 4},
    "easyfirst-joint": {},
}
GUIDED = {"tag_templates": "guided+Syn", "folds": 2, "guide_epochs": 4}


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {name: train(name, train=TREEBANK, epochs=12, **options) for name, options in SYSTEMS.items()}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_tiny_treebank_is_learnt_by_heart(models, name):
    for gold in TREEBANK:
        found = models[name](gold.forms)[0]
        assert found.upos == gold.upos
        if name != "easyfirst-tagger":
            assert (found.heads, found.deprels) == (gold.heads, gold.deprels)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("beam", [1, 4])
def test_beam_training_learns_it_too_and_every_update_is_valid(name, beam):
    options = dict(SYSTEMS[name], beam=beam, check=beam > 1, epochs=20) | ({"after_error": "stop"} if beam == 1 else {})
    model = train(name, train=TREEBANK, **options)
    wrong = sum(model(gold.forms)[0].upos != gold.upos for gold in TREEBANK)
    assert wrong == 0
    if name != "easyfirst-tagger":
        assert sum(model(gold.forms)[0].heads != gold.heads for gold in TREEBANK) <= 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_saved_and_loaded_models_predict_the_same(models, name, tmp_path):
    models[name].save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    for gold in TREEBANK:
        one, two = models[name](gold.forms)[0], loaded(gold.forms)[0]
        assert one == two
        assert list(one.trace) == list(two.trace)
    assert loaded.to_bytes() == models[name].to_bytes()


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_same_data_and_seed_give_the_same_bytes(models, name):
    again = train(name, train=TREEBANK, epochs=12, **SYSTEMS[name])
    assert again.to_bytes() == models[name].to_bytes()


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("forms", [[], ["unheard-of"], ["x"] * 300, ["🙂", "的", "\u200d"], ["dog"] * 2])
def test_any_words_get_an_analysis_and_a_valid_tree(models, name, forms):
    document = models[name](Sentence(forms))
    for found in document:
        assert "_" not in found.upos
        if name != "easyfirst-tagger" and forms:
            assert is_tree(found.heads)
            assert "_" not in found.deprels


def test_the_trace_tells_every_decision_in_order(models):
    found = models["easyfirst-joint"](TREEBANK[0].forms)[0]
    steps = list(found.trace)
    n = len(found)
    assert len(steps) == 2 * n
    assert sorted(s.word for s in steps if s.action == "tag") == list(range(1, n + 1))
    assert {s.word: s.label for s in steps if s.action == "tag"} == dict(enumerate(found.upos, 1))
    assert {s.word: s.head for s in steps if s.action != "tag"} == dict(enumerate(found.heads, 1))
    assert steps[-1].action == "set_root"
    tagged: set[int] = set()
    for step in steps:  # attach only between tagged words
        if step.action == "tag":
            tagged.add(step.word)
        else:
            assert {step.word, step.head} - {0} <= tagged
    assert found.trace[0] == steps[0]
    assert found.trace[-2:] == steps[-2:]


def test_traces_print_the_pending_list_like_the_figures(models):
    found = models["easyfirst-parser"](["a", "cat", "saw", "the", "dog"])[0]
    lines = list(format_trace(found.forms, found.trace, found.upos))
    assert lines[0] == "(0) p1:a_DET  p2:cat_NOUN  p3:saw_VERB  p4:the_DET  p5:dog_NOUN"
    assert lines[-1] == "    p3:[((a_DET) cat_NOUN) saw_VERB ((the_DET) dog_NOUN)]"
    assert len(lines) == 1 + 2 * 5


def test_the_valid_set_of_each_step_can_be_looked_at(models):
    found = models["easyfirst-joint"](["a", "cat", "saw"])[0]
    for k, step in enumerate(found.trace):
        valid = found.trace.valid(k)
        assert valid[0] == step  # greedy: the best is taken
        assert [s.score for s in valid] == sorted((s.score for s in valid), reverse=True)
        assert len({s[:4] for s in valid}) == len(valid)
    assert {s.action for s in found.trace.valid(0)} == {"tag"}  # nothing can be attached yet
    assert found.trace.valid(-1) == [found.trace[-1]]
    sets = found.trace.valid_sets(2)
    assert [(v.size, v.best) for v in sets] == [
        (len(found.trace.valid(k)), found.trace.valid(k)[:2]) for k in range(len(found.trace))
    ]
    with pytest.raises(IndexError):
        found.trace.valid(len(found.trace))
    stored = pickle.loads(pickle.dumps(found.trace))
    assert list(stored) == list(found.trace)
    with pytest.raises(ValueError, match="stored"):
        stored.valid(0)


def test_valid_sets_are_printed_and_drawn(models):
    found = models["easyfirst-joint"](["a", "dog", "heard"])[0]
    lines = list(trace_of(found))
    assert len(lines) == 1 + 3 * len(found.trace)
    for k, step in enumerate(found.trace):
        _, valid, _ = lines[1 + 3 * k : 4 + 3 * k]
        name = f"{step.action}:{step.label}"
        assert valid.strip().startswith(f"valid: [p{step.word} {name}")
        more = len(found.trace.valid(k)) - 6
        assert valid.endswith(f", {more} more") == (more > 0)
    page = steps_page([found])
    record = json.loads(re.search(r'id="records">(.*?)</script>', page)[1])[0]
    assert [valid["size"] for valid in record["valid"]] == [len(found.trace.valid(k)) for k in range(len(found.trace))]
    assert [valid["best"][0] for valid in record["valid"]] == [step._asdict() for step in found.trace]
    found.trace = pickle.loads(pickle.dumps(found.trace))
    assert '"valid"' not in steps_page([found])
    assert len(list(trace_of(found))) == 1 + 2 * len(found.trace)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_beam_gives_several_analyses_best_first(name):
    model = train(name, train=TREEBANK, epochs=6, beam=8, **SYSTEMS[name])
    for gold in TREEBANK:
        own = model(gold.forms)[0]
        found = [document[0] for document in model.nbest(gold.forms, 5)]
        assert found[0] == own
        assert list(found[0].trace) == list(own.trace)
        assert 1 <= len(found) <= 5
        assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
        assert len({(*s.upos, *s.heads, *s.deprels) for s in found}) == len(found)
        assert len(gold) == 1 or len(found) > 1
        if name == "easyfirst-parser":
            assert all(s.upos == own.upos for s in found)
        if name != "easyfirst-tagger":
            assert all(is_tree(s.heads) for s in found)
        assert len(model.nbest(gold.forms, 100)) <= 8
    assert [len(document[0]) for document in model.nbest(Sentence([]), 3)] == [0]


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_greedy_search_has_no_alternatives(models, name):
    with pytest.raises(OptionError, match=f"{name} does not support n-best analyses.*widen its --beam"):
        models[name].nbest(["a", "dog"], 2)
    assert len(models[name].with_beam(4).nbest(["a", "dog"], 2)) == 2


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("templates", ["G&E10", "VTT", "OP", "EFB13", "compact"])
def test_every_set_of_arc_templates_learns_the_treebank(templates, beam):
    model = train(
        "easyfirst-parser", train=TREEBANK, epochs=12, beam=beam, templates=templates, gold_tags=True, tagger_epochs=2
    )
    assert sum(model(gold)[0].heads != gold.heads for gold in TREEBANK) <= 1


def test_gold_tags_of_the_input_are_used_and_bare_words_still_work():
    model = train("easyfirst-parser", train=TREEBANK, epochs=8, gold_tags=True, tagger_epochs=4)
    given = Sentence(["dog", "saw"], upos=["NOUN", "ODD"])
    assert model(given)[0].upos == ["NOUN", "ODD"]
    assert model(["dog", "saw"])[0].upos == ["NOUN", "VERB"]


def test_unlabelled_parsers_leave_labels_open():
    model = train("easyfirst-parser", train=TREEBANK, epochs=8, labeled=False, gold_tags=True)
    found = model(TREEBANK[0])[0]
    assert found.heads == TREEBANK[0].heads
    assert set(found.deprels) == {"_", "root"}


@pytest.mark.parametrize("losses", ["joint", "joint,dep", "joint,pos"])
def test_losses_take_turns(losses):
    model = train("easyfirst-joint", train=TREEBANK, dev=TREEBANK, epochs=8, losses=losses)
    assert model.system.training["dev"]["accuracy"] > 90


@pytest.mark.parametrize(
    ("system", "options", "error", "words"),
    [
        ("easyfirst-joint", {"losses": "joint,deps"}, OptionError, "joint, dep, pos"),
        ("easyfirst-tagger", {"templates": "OP+Syn"}, OptionError, "only easyfirst-joint"),
        ("easyfirst-tagger", {"templates": "guided+Syn"}, OptionError, "only easyfirst-joint"),
        ("easyfirst-tagger", {"templates": "OPP"}, OptionError, "OP"),
        ("easyfirst-parser", {"templates": "nothing"}, OptionError, "G&E10"),
        ("easyfirst-tagger", {"tag": "xpos"}, DataError, "--tag"),
        ("easyfirst-parser", {"beam": 0}, OptionError, "1 to 256"),
    ],
)
def test_faults_say_what_would_do(system, options, error, words):
    with pytest.raises(error, match=words):
        train(system, train=TREEBANK, epochs=1, **options)


def test_data_without_trees_is_refused():
    with pytest.raises(DataError, match="no trees"):
        train("easyfirst-joint", train=[Sentence(["a"], upos=["X"])], epochs=1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("p0.w i0.t", "mixes p and i"),
        ("p-3.w", "not within"),
        ("p0.ww", "unknown atom"),
        ("dist(p0,p+4)", "not within"),
    ],
)
def test_bad_templates_of_a_user_are_explained(tmp_path, line, words):
    (tmp_path / "t.txt").write_text(f"set mine\n {line}\n")
    with pytest.raises(OptionError, match=words):
        train("easyfirst-parser", train=TREEBANK, epochs=1, gold_tags=True, templates=str(tmp_path / "t.txt"))


def test_a_damaged_model_is_refused(models):
    header, arrays = models["easyfirst-parser"].system.parts()
    system = models["easyfirst-parser"].system
    for broken in ({**header, "labels": []}, {**header, "tagger": {}}, {**header, "tables": {}}):
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, broken, arrays)


def test_the_command_line_prints_traces(models, tmp_path):
    models["easyfirst-joint"].save(tmp_path / "m.plait")
    run = [sys.executable, "-m", "plait", "parse", "--model", str(tmp_path / "m.plait"), "--trace", "a dog heard"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(0) p1:a  p2:dog  p3:heard\n(1) ")
    run += ["--to", "html", "--output", str(tmp_path / "t.html")]
    subprocess.run(run, check=True)
    assert "</html>" in (tmp_path / "t.html").read_text()


def test_training_can_be_resumed(tmp_path):
    whole = train("easyfirst-joint", train=TREEBANK, epochs=4)
    train("easyfirst-joint", train=TREEBANK, epochs=2, checkpoint=tmp_path / "c")
    resumed = train("easyfirst-joint", train=TREEBANK, epochs=4, checkpoint=tmp_path / "c", resume=True)
    assert json.dumps(whole.system.parts()[0]) == json.dumps(resumed.system.parts()[0])


def test_a_guide_is_trained_with_the_joint_model_saved_and_loaded(tmp_path):
    model = train("easyfirst-joint", train=TREEBANK, epochs=12, **GUIDED)
    model.save(tmp_path / "guided.plait")
    loaded = plait.load(tmp_path / "guided.plait")
    for gold in TREEBANK:
        found, again = model(gold.forms)[0], loaded(gold.forms)[0]
        assert (found.upos, found.heads, found.deprels) == (gold.upos, gold.heads, gold.deprels)
        assert [*found.trace] == [*again.trace]


def test_a_guided_model_without_its_guide_is_refused():
    system = train("easyfirst-joint", train=TREEBANK, epochs=1, **GUIDED).system
    header, arrays = system.parts()
    del header["guide"]
    with pytest.raises(ModelError, match="guide"):
        type(system).from_parts(system.options, header, arrays)


@pytest.mark.parametrize("name", ["easyfirst-tagger", "easyfirst-joint"])
def test_what_is_kept_of_words_changes_no_score(models, name):
    fresh = train(name, train=TREEBANK, epochs=12, **SYSTEMS[name])
    for gold in [*TREEBANK, *TREEBANK[::-1]]:
        fresh(gold.forms)  # now the sums of all words are there
    for gold in TREEBANK:
        new = type(fresh.system).from_parts(fresh.system.options, *fresh.system.parts())
        bare = Sentence(gold.forms)
        new.annotate(bare)
        assert [*bare.trace] == [*fresh(gold.forms)[0].trace]
