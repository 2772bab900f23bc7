"""Distilling: what is kept, how an interrupted run goes on, and that the student learns from it."""

import pytest

import plait
from plait import Sentence
from plait.cli.main import main
from plait.errors import DataError, OptionError
from plait.pipeline.combining import combine
from plait.pipeline.distilling import Collected, Selection, choose, collect, distill, resume

WORDS = [["dogs", "bark"], ["the", "dog", "sees", "a", "cat"], ["cats", "see", "the", "dog"]]
GOLD = [
    Sentence(WORDS[0], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]),
    Sentence(
        WORDS[1], upos=["DET", "NOUN", "VERB", "DET", "NOUN"], heads=[2, 3, 0, 5, 3],
        deprels=["det", "nsubj", "root", "det", "obj"],
    ),
    Sentence(
        WORDS[2], upos=["NOUN", "VERB", "DET", "NOUN"], heads=[2, 0, 4, 2], deprels=["nsubj", "root", "det", "obj"]
    ),
] * 3  # fmt: skip
UNITS = [Sentence(words) for words in (WORDS[1], WORDS[0], WORDS[2], WORDS[1])]
ALL = Selection(threshold=0.0, shortest=2)


@pytest.fixture(scope="module")
def teacher():
    return plait.train("graph-joint", train=GOLD, epochs=3)


def test_only_what_the_teacher_is_sure_of_is_kept(teacher, tmp_path):
    assert collect(teacher, UNITS, tmp_path / "all", ALL) == Collected(4, 4, 16)
    assert collect(teacher, UNITS, tmp_path / "long", Selection(0.0)).kept == 3
    assert collect(teacher, UNITS, tmp_path / "short", Selection(0.0, longest=4)).words == 4
    assert collect(teacher, UNITS, tmp_path / "none", Selection(1.1)).kept == 0
    scores = [sum(teacher(u, scores=True)[0].scores) / len(u) for u in UNITS]
    between = (min(scores) + max(scores)) / 2
    kept = collect(teacher, UNITS, tmp_path / "some", Selection(between, shortest=1)).kept
    assert kept == sum(score >= between for score in scores)


def test_sentences_that_are_too_long_are_not_analysed(teacher, tmp_path, monkeypatch):
    analysed, system = [], type(teacher.system)
    plain = system.annotate_with

    def counting(self, sentence, request):
        analysed.append(len(sentence))
        plain(self, sentence, request)

    monkeypatch.setattr(system, "annotate_with", counting)
    found = collect(teacher, UNITS, tmp_path / "short", Selection(0.0, shortest=2, longest=4))
    assert analysed == [2, 4]
    assert (found.sentences, found.kept, found.words) == (4, 2, 6)
    assert [line for line in (tmp_path / "short").read_text().split("\n") if "unit" in line] == [
        "# distill_unit = 1", "# distill_unit = 2",
    ]  # fmt: skip


@pytest.mark.parametrize("cut", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_an_interrupted_run_ends_with_the_same_file(teacher, tmp_path, cut):
    collect(teacher, UNITS, tmp_path / "whole", ALL)
    content = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut").write_bytes(content[: int(cut * len(content))])
    collect(teacher, UNITS, tmp_path / "cut", ALL)
    assert (tmp_path / "cut").read_bytes() == content


def test_a_document_that_was_cut_between_its_sentences_is_read_again(teacher, tmp_path):
    path = tmp_path / "kept"
    collect(teacher, UNITS, path, ALL)
    first = path.read_text().split("\n\n")[0]
    identity = first.split("distill_identity = ")[1].split("\n")[0]
    path.write_text(first + "\n\n" + first.replace("distill_unit = 0", "distill_unit = 1") + "\n\n")
    assert resume(path, identity) == 1
    assert path.read_text() == first + "\n\n"


def test_a_file_of_another_teacher_is_refused_and_stays(teacher, tmp_path):
    path = tmp_path / "kept"
    collect(teacher, UNITS, path, ALL)
    before = path.read_bytes()
    with pytest.raises(DataError, match="another teacher"):
        collect(teacher, UNITS, path, Selection(0.5))
    assert path.read_bytes() == before
    (tmp_path / "treebank").write_text("1\tdogs\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(DataError, match="not by plait"):
        collect(teacher, UNITS, tmp_path / "treebank", ALL)


def test_the_choice_is_seeded_and_bounded(teacher, tmp_path):
    path = tmp_path / "kept"
    collect(teacher, UNITS * 5, path, ALL)
    one, same, other = (choose(path, 30, seed) for seed in (1, 1, 2))
    assert [s.forms for s in one] == [s.forms for s in same]
    assert [s.forms for s in one] != [s.forms for s in other]
    assert 30 <= sum(map(len, one)) < 35
    assert len(choose(path, 10**6, 1)) == 20


def test_the_student_learns_from_the_teacher(teacher, tmp_path):
    """Words that only the teacher's text has are known to the student."""
    lone = [Sentence(["go"], upos=["INTJ"], heads=[0], deprels=["root"])]
    student = distill(
        teacher, UNITS, train=lone, work=tmp_path / "w", selection=ALL, ratio=100.0, system="easyfirst-joint", epochs=5
    )
    assert student(WORDS[1])[0].upos == teacher(WORDS[1])[0].upos
    assert student(WORDS[1])[0].heads == teacher(WORDS[1])[0].heads
    again = distill(
        teacher, UNITS, train=lone, work=tmp_path / "w", selection=ALL, ratio=100.0, system="easyfirst-joint", epochs=5
    )
    assert again.to_bytes() == student.to_bytes()


def test_a_teacher_without_scores_is_refused(tmp_path):
    teacher = plait.train("easyfirst-joint", train=GOLD, epochs=1)
    with pytest.raises(OptionError, match="scores"):
        distill(teacher, UNITS, train=GOLD, work=tmp_path / "w")


def test_nothing_to_learn_from_the_teacher_is_an_error(teacher, tmp_path):
    with pytest.raises(DataError, match="lower the threshold"):
        distill(teacher, UNITS, train=GOLD, work=tmp_path / "w", selection=Selection(2.0))


def test_from_the_command_line(teacher, tiny_file, tmp_path, capsys):
    segmenter = plait.train("crf-segmenter", train=tiny_file, structure="linear", optimizer="adagrad", epochs=2)
    parser = plait.train("graph-joint", train=tiny_file, epochs=2)
    combine(segmenter, parser).save(tmp_path / "teacher.plait")
    (tmp_path / "raw.txt").write_text("\n\n".join(s.surface_text() for s in plait.read(tiny_file)))
    command = [
        "distill",
        str(tmp_path / "teacher.plait"),
        "--text",
        str(tmp_path / "raw.txt"),
        "--train",
        str(tiny_file),
    ]
    rest = ["--output", str(tmp_path / "student.plait"), "--threshold", "0", "--options", "epochs=2"]
    assert main([*command, *rest]) == 0
    assert "sentences kept" in capsys.readouterr().err
    assert plait.load(tmp_path / "student.plait").system.name == "easyfirst-joint"
    parser.save(tmp_path / "words.plait")
    command[1] = str(tmp_path / "words.plait")
    assert main([*command, *rest, "--work", str(tmp_path / "w2")]) == 2
    assert "raw text" in capsys.readouterr().err
