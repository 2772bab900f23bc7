"""What a student may learn from its teacher: the file between them, line by line, with a teacher that knows nothing."""

import hashlib
from pathlib import Path

import pytest
from pretend import Pretend, PretendSegmenter, pretend_model

from plait import Sentence
from plait.errors import DataError, OptionError
from plait.pipeline import distilling
from plait.pipeline.distilling import (
    Collected,
    Selection,
    choose,
    collect,
    confidence,
    distill,
    read_units,
    resume,
)


class Sure(Pretend):
    """The longer a word, the surer."""

    def annotate_with(self, sentence, request):
        super().annotate_with(sentence, request)
        sentence.scores = [len(form) / 10 for form in sentence.forms] if request.scores else None


ALL = Selection(0.0, 1)
UNITS = [Sentence(["aaaa", "bb"], comments=["# x = 1"]), Sentence(["cc", "dd", "eeeeeeee"]), Sentence(["f"])]


def scored(*scores):
    sentence = Sentence(["w"] * len(scores))
    sentence.scores = list(scores)
    return sentence


def test_a_sentence_is_taken_by_its_length_and_its_mean_score():
    selection = Selection(0.5, 2, 3)
    assert confidence(scored(1.0, 0.5)) == 0.75
    assert confidence(scored()) == confidence(Sentence(["a"])) == 0.0
    for scores, taken in (((1.0, 0.0), True), ((0.9, 0.0), False), ((1.0,), False), ((1.0,) * 3, True),
                          ((1.0,) * 4, False)):  # fmt: skip
        assert selection.takes(scored(*scores)) == taken
    assert (Selection().threshold, Selection().shortest, Selection().longest) == (0.9, 3, 60)


def test_what_was_kept_is_told_in_one_line():
    assert Collected(4000, 1000, 20000).line() == "1,000 of 4,000 sentences kept (25 %), 20,000 words"
    assert Collected(2, 2, 3).line() == "2 of 2 sentences kept (100 %), 3 words"
    assert Collected().line() == "0 of 0 sentences kept (0 %), 0 words"


def test_the_file_says_where_a_sentence_comes_from_and_how_sure_the_teacher_was(tmp_path):
    teacher, path = pretend_model(Sure()), tmp_path / "kept"
    found = collect(teacher, UNITS, path, Selection(0.25, 1))
    assert found == Collected(3, 2, 5)
    identity = hashlib.sha256(teacher.to_bytes() + repr(Selection(0.25, 1)).encode()).hexdigest()[:32]
    text = path.read_bytes().decode()
    assert text.split("\n\n")[0].split("\n")[:5] == [
        f"# distill_identity = {identity}", "# distill_unit = 0", "# distill_confidence = 0.3000", "# x = 1",
        "1\taaaa\t_\tX\t_\t_\t_\t_\t_\t_",
    ]  # fmt: skip
    assert text.split("\n\n")[1].split("\n")[1:3] == ["# distill_unit = 1", "# distill_confidence = 0.4000"]
    assert text.count("\n\n") == 2
    assert all(call[-1].scores for call in teacher.system.calls)


def test_the_next_run_goes_on_after_the_last_whole_unit(tmp_path):
    teacher, path = pretend_model(Sure()), tmp_path / "kept"
    assert collect(teacher, UNITS[:2], path, ALL) == Collected(2, 2, 5)
    first = path.read_bytes()
    teacher.system.calls.clear()
    assert collect(teacher, UNITS, path, ALL) == Collected(2, 2, 4)  # the second is read again
    assert [call[1] for call in teacher.system.calls] == [["cc", "dd", "eeeeeeee"], ["f"]]
    assert path.read_bytes().startswith(first)
    assert path.read_bytes().count(b"\n\n") == 3
    other = pretend_model(Sure(mark="other"))
    with pytest.raises(DataError) as found:
        collect(other, UNITS, path, ALL)
    assert str(found.value) == (f"{path}: made by another teacher or selection, or not by plait; choose a new file")


def block(unit, form, identity="me"):
    return f"# distill_identity = {identity}\n# distill_unit = {unit}\n# text = a = b = c\n1\t{form}\n\n".encode()


@pytest.mark.parametrize(
    ("content", "left", "unit"),
    [
        (b"", b"", 0),
        (block(0, "a"), b"", 0),
        (block(0, "a") + block(0, "b"), b"", 0),
        (block(0, "a") + block(3, "b"), block(0, "a"), 3),
        (block(0, "a") + block(3, "b") + block(3, "c") + b"# distill", block(0, "a"), 3),
        (block(0, "a") + block(3, "b") + block(7, "汉") + block(7, "c")[:-1], block(0, "a") + block(3, "b"), 7),
        (b"# distill_identity", b"", 0),
    ],
)
def test_an_interrupted_file_is_cut_back_to_its_last_whole_unit(tmp_path, content, left, unit):
    path = tmp_path / "kept"
    assert resume(path, "me") == 0
    path.write_bytes(content)
    assert resume(path, "me") == unit
    assert path.read_bytes() == left


@pytest.mark.parametrize("content", [block(0, "a", "you"), b"1\ta\n\n", b"1\tdistill_identity = me\n\n"])
def test_a_file_of_somebody_else_is_left_alone(tmp_path, content):
    path = tmp_path / "kept"
    path.write_bytes(content)
    with pytest.raises(DataError, match="another teacher"):
        resume(path, "me")
    assert path.read_bytes() == content


def test_the_teacher_works_with_so_many_threads(tmp_path, trainings):
    teacher, asked = pretend_model(Sure()), []
    plain = teacher.pipe
    teacher.pipe = lambda units, **options: asked.append(options) or plain(units, **options)
    collect(teacher, UNITS, tmp_path / "a", ALL)
    collect(teacher, UNITS, tmp_path / "b", ALL, threads=3)
    distill(teacher, UNITS, train=UNITS, work=tmp_path / "c", selection=ALL, threads=4)
    assert asked == [{"as_tuples": True, "threads": threads, "scores": True} for threads in (1, 3, 4)]


def test_sentences_are_chosen_until_there_are_enough_words(tmp_path):
    path = tmp_path / "kept.json"  # whatever it is called
    collect(pretend_model(Sure()), UNITS, path, ALL)
    assert choose(path, 0, 1) == []
    for words in (1, 2, 3, 4, 5, 6):
        chosen = [len(s) for s in choose(path, words, 1)]
        assert sum(chosen) >= words
        assert sum(chosen[:-1]) < words
    assert sorted(len(s) for s in choose(path, 99, 1)) == [1, 2, 3]
    assert len({tuple(len(s) for s in choose(path, 99, seed)) for seed in range(9)}) > 1
    (tmp_path / "empty").touch()
    assert choose(tmp_path / "empty", 9, 1) == []


@pytest.fixture
def trainings(monkeypatch):
    seen = []
    monkeypatch.setattr(
        distilling, "train_system", lambda system, **options: seen.append((system, options)) or "student"
    )
    return seen


def test_the_student_is_trained_on_both_with_what_was_asked_for(trainings, tmp_path):
    collected = []
    gold = [Sentence(["g"] * 2)]
    assert distill(
        pretend_model(Sure()), UNITS, train=gold, dev=gold, system="s", work=str(tmp_path / "w"), selection=ALL,
        ratio=1.5, seed=4, threads=2, on_collected=collected.append, on_epoch=print, track=zip, beam=8,
    ) == "student"  # fmt: skip
    ((system, options),) = trainings
    automatic = options.pop("train")
    assert automatic[:1] == gold
    assert [s.forms for s in automatic[1:]] == [s.forms for s in choose(tmp_path / "w", 3, 4)]
    assert not any("distill_" in comment for s in automatic for comment in s.comments)
    assert system == "s"
    assert options == {"dev": gold, "seed": 4, "threads": 2, "on_epoch": print, "track": zip, "beam": 8}
    assert collected == [Collected(3, 3, 6)]


def test_a_student_is_easy_first_and_twice_the_treebank_unless_told_otherwise(trainings, tmp_path):
    units = [Sentence(["aaaaaaaaa"] * 3)] * 10
    distill(pretend_model(Sure()), units, train=[Sentence(["g"] * 6)], work=tmp_path / "w")
    ((system, options),) = trainings
    assert system == "easyfirst-joint"
    assert len(options["train"]) == 1 + 4
    assert (options["dev"], options["seed"], options["threads"], options["on_epoch"]) == (None, 1, 1, None)
    plain = [c for s in options["train"] for c in s.comments]
    assert plain == []


def test_other_comments_of_a_sentence_stay(trainings, tmp_path):
    distill(pretend_model(Sure()), UNITS[:1], train=[Sentence(["g"])], work=tmp_path / "w", selection=ALL)
    assert trainings[0][1]["train"][1].comments == ["# x = 1"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ratio": 0}, "ratio is 0; expected more than 0"),
        ({"selection": Selection(2.0)},
         "{work}: the teacher was not sure of any sentence; lower the threshold or give more text"),
        ({"ratio": 1e-9}, "{work}: the teacher was not sure of any sentence; lower the threshold or give more text"),
    ],
)  # fmt: skip
def test_a_student_that_would_learn_nothing_is_refused(trainings, tmp_path, change, words):
    work = tmp_path / "w"
    with pytest.raises((OptionError, DataError)) as found:
        distill(pretend_model(Sure()), UNITS, **{"train": UNITS, "work": work, "selection": ALL, **change})
    assert str(found.value) == words.format(work=work)
    assert not trainings


def test_a_teacher_must_say_how_sure_it_is(tmp_path):
    class Silent(Pretend):
        def annotate_with(self, sentence, request):
            pass

    teacher = pretend_model(Silent())
    assert collect(teacher, [Sentence([])], tmp_path / "w", ALL) == Collected(1, 0, 0)
    with pytest.raises(OptionError, match=r"^the teacher \(pretend\) does not provide confidence scores$"):
        collect(teacher, [Sentence(["a"])], tmp_path / "w", ALL)


def test_units_are_texts_or_the_bare_words_of_treebanks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.conllu").write_text("# x = 1\n1\tdogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    Path("b.txt").write_text("One text.\n\nAnother.\n")
    (sentence,) = read_units(["a.conllu"], None, raw=False)
    assert (sentence.forms, sentence.upos, sentence.heads) == (["dogs"], ["_"], [-1])
    assert [unit.strip() for unit in read_units(["b.txt"], None, raw=True)] == ["One text.", "Another."]
    assert [unit.forms for unit in read_units(["a.conllu", "a.conllu"], "conllu", raw=True)] == [["dogs"]] * 2
    Path("a.conllu").rename("c.data")
    assert [unit.forms for unit in read_units(["c.data"], "conllu", raw=True)] == [["dogs"]]
    Path("e.data").write_text("1\tOne\n\nAnother.\n")
    assert [unit.strip() for unit in read_units(["e.data"], "text", raw=True)] == ["1\tOne", "Another."]
    Path("d.data").write_text("dogs bark\n")
    assert [unit.forms for unit in read_units(["d.data"], "segmented", raw=True)] == [["dogs", "bark"]]
    with pytest.raises(OptionError) as found:
        list(read_units(["b.txt"], None, raw=False))
    assert str(found.value) == (
        "b.txt: raw text, but the teacher expects words; segment it, or use a pipeline as the teacher"
    )


def test_texts_go_to_a_teacher_that_takes_them(tmp_path):
    class Both(PretendSegmenter):
        def segment(self, text, request):
            found = super().segment(text, request)
            for sentence in found:
                sentence.scores = [1.0] * len(sentence)
            return found

    assert collect(pretend_model(Both()), ["a b . c d", "e"], tmp_path / "w", ALL, threads=2) == Collected(3, 3, 6)
    assert sorted(len(s) for s in choose(tmp_path / "w", 99, 1)) == [1, 2, 3]
    found = collect(pretend_model(Both()), ["a . b c d"], tmp_path / "v", Selection(0.0, 3))
    assert found == Collected(2, 1, 3)  # one that is too short is no reason to leave the next one out
