"""Damaged treebanks through every command that reads one: a result, or one line and an exit code, and never a fault."""

import io
import os
import random
import sys
from pathlib import Path

import pytest

import plait
from plait.cli.main import main
from plait.errors import DataError, FormatError
from plait.formats import Skipped, read, stream, write
from plait.formats.source import Source
from plait.formats.validation import Validation

sys.path.insert(0, str(Path(__file__).parents[1] / "formats"))

from mutations import mutants, mutate

MUTANTS = int(os.environ.get("PLAIT_MUTANTS", "60"))  # for each command; more for an afternoon

pytestmark = pytest.mark.filterwarnings("ignore::plait.errors.FormatWarning")

EVERYTHING = """# newdoc id = d
# sent_id = a-1
# text = Vámonos al mar.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tP\tCase=Acc\t1\tobj\t1:obj|1.1:obj\t_
2.1\tsí\t_\tADV\t_\t_\t_\t_\t1:advmod\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tI\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tD\tGender=Masc\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t1:obl\tSpaceAfter=No|Extra:chunk=B-NP
6\t.\t.\tPUNCT\tZ\t_\t1\tpunct\t1:punct\t_

# sent_id = a-2
# text = 他 走
1\t他\t_\tPRON\t_\t_\t2\tnsubj\t_\t_
2\t走\t_\tVERB\t_\t_\t0\troot\t_\t_

""".encode()


def test_the_same_seed_does_the_same_damage():
    assert mutate(EVERYTHING, 7) == mutate(EVERYTHING, 7)
    assert len({content for _, content in mutants(EVERYTHING, 200)}) > 150


def other_format(name: str) -> bytes:
    file = io.BytesIO()
    write(read(EVERYTHING, "conllu"), file, name)
    return file.getvalue()


@pytest.mark.parametrize("name", ["conllu", "conllx", "conll09", "conll2000", "segmented", "json"])
def test_readers_and_validation_meet_nothing_they_cannot_name(name):
    messages: list[str] = []
    for seed, content in mutants(other_format(name), 25 * MUTANTS, random.Random(name).randrange(10**6)):
        skipped = Skipped()
        try:
            sentences = list(stream(content, name, on_error="skip", skipped=skipped))
            try:
                write(sentences, io.BytesIO(), name)
            except DataError:
                assert name in ("segmented", "conll2000", "json"), seed  # see test_fuzz
            read(content, name)
        except FormatError as error:
            messages.append(str(error))
        if name == "conllu":
            try:
                messages += map(str, Validation(Source(content), level=2))
            except FormatError as error:
                messages.append(str(error))
    assert len(messages) > MUTANTS
    assert [message for message in messages if "\n" in message or "please report" in message] == []


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("model") / "m.plait"
    plait.train("transition-joint", train=read(EVERYTHING, "conllu").sentences, epochs=1).save(path)
    return str(path)


COMMANDS = {
    "validate": "validate --level 2 {bad}",
    "convert": "convert --input {bad} --from conllu --output {out}.json",
    "draw": "convert --input {bad} --from conllu --output {out}.html --on-error skip",
    "columns": "convert --input {bad} --from conllu --output {out}.conll09 --on-error skip",
    "text": "convert --input {bad} --from conllu --output {out}.txt --on-error skip",
    "gold": "evaluate {bad} {good} --from conllu --json --by length --by label",
    "predicted": "evaluate {good} {bad} --from conllu --against {bad}",
    "parse": "parse --model {model} --input {bad} --from conllu --output {out}.conllu",
    "constrain": "parse --model {model} --input {bad} --from conllu --constrain --on-error skip --output {out}.conllu",
    "guess": "convert --input {bad} --to conllu --output {out}.conllu",
    "cluster": "cluster {bad} --from conllu --clusters 2 --min-count 1 --output {out}.clusters",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_ends_in_a_fault_of_its_own(name, model, tmp_path, capsys):
    (tmp_path / "good.conllu").write_bytes(EVERYTHING)
    places = {"bad": tmp_path / "bad", "good": tmp_path / "good.conllu", "out": tmp_path / "out", "model": model}
    for seed, content in mutants(EVERYTHING, MUTANTS, random.Random(name).randrange(10**6)):
        places["bad"].write_bytes(content)
        code = main(COMMANDS[name].format(**places).split())
        error = capsys.readouterr().err
        assert code in (0, 1, 2), seed
        assert "internal error" not in error, (seed, error)
        if code == 2:
            assert error.splitlines()[-1].startswith("error: "), (seed, error)
        assert not list(tmp_path.glob(".*")), seed
        for path in tmp_path.glob("out.*"):
            assert code == 0, seed
            path.unlink()


@pytest.mark.parametrize("system", ["perceptron-tagger", "easyfirst-joint", "transition-parser", "crf-segmenter"])
def test_training_on_damage_ends_in_a_model_or_in_one_line(system, tmp_path, capsys):
    for seed, content in mutants(EVERYTHING * 3, MUTANTS // 5, random.Random(system).randrange(10**6)):
        (tmp_path / "bad.conllu").write_bytes(content)
        out = tmp_path / "m.plait"
        code = main(
            ["train", system, "--train", str(tmp_path / "bad.conllu"), "--output", str(out), "--on-error", "skip"]
        )
        error = capsys.readouterr().err
        assert "internal error" not in error, (seed, error)
        assert (code == 0) == out.exists(), (seed, error)
        out.unlink(missing_ok=True)
