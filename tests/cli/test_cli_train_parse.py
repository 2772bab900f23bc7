"""The whole path on the command line: train, look inside, parse, evaluate."""

import io
import json
import os
import subprocess
import sys

import pytest

import plait
from plait.cli.main import main

posix_shell = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


@pytest.fixture(scope="module")
def model(tiny_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny.plait"
    code = main(["train", "perceptron-tagger", "--train", str(tiny_file), "--output", str(path), "--epochs", "6"])
    assert code == 0
    return path


def test_training_reports_each_epoch_and_the_size(tiny_file, tmp_path, capsys):
    output = tmp_path / "m.plait"
    arguments = ["--train", str(tiny_file), str(tiny_file), "--dev", str(tiny_file), "--output", str(output)]
    assert main(["train", "perceptron-tagger", *arguments, "--epochs", "3", "--licence", "CC0"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line.split()[:2] for line in captured.err.splitlines()[:3]] == [["epoch", str(k)] for k in (1, 2, 3)]
    assert "dev accuracy" in captured.err
    assert f"{output}:" in captured.err
    header = plait.load(output).header
    assert header["data"]["train"]["sentences"] == 48
    assert header["licence"] == "CC0"


def test_the_scores_of_a_pipeline_are_called_those_of_raw_text(tiny_file, tmp_path, capsys):
    """They leave out subtypes of labels, so that their LAS is not comparable with that of the epochs."""
    output = tmp_path / "m.plait"
    arguments = ["--train", str(tiny_file), "--dev", str(tiny_file), "--output", str(output)]
    assert main(["train", "pipeline", *arguments, "--parser-options", "epochs=1 beam=2"]) == 0
    *_, last = capsys.readouterr().err.splitlines()
    assert "MB; from raw text, measured as in CoNLL 2018, dev words 100.00, dev sentences 100.00, dev upos" in last
    assert main(["train", "crf-tagger", *arguments]) == 0
    *_, last = capsys.readouterr().err.splitlines()
    assert "MB, dev accuracy 100.00" in last


def test_info_tells_options_training_sizes_and_features(model, capsys):
    assert main(["info", str(model)]) == 0
    text = capsys.readouterr().out
    for word in ("perceptron-tagger", "epochs", "sha256", "heaviest features", "NOUN", "MB"):
        assert word in text
    assert main(["info", str(model), "--json", "--label", "NOUN"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["system"] == "perceptron-tagger"
    assert record["file_bytes"] == model.stat().st_size
    assert list(record["heaviest"]) == ["NOUN"]
    assert main(["info", str(model), "--label", "NOPE"]) == 2


def test_info_tells_the_features_of_the_parts_of_a_pipeline(tiny_file, tmp_path, capsys):
    output = str(tmp_path / "m.plait")
    options = ["--parser", "perceptron-tagger", "--lemmatizer", "none", "--tagger", "morph-tagger"]
    options += ["--parser-options", "epochs=1", "--tagger-options", "epochs=1 tag=upos"]
    assert main(["train", "pipeline", "--train", str(tiny_file), "--output", output, *options]) == 0
    assert main(["info", output]) == 0
    text = capsys.readouterr().out
    assert "heaviest features of the tagger\n" in text
    assert "    upos=NOUN " in text.partition("of the tagger\n")[2]
    assert main(["info", output, "--label", "upos=NOUN"]) == 0
    text = capsys.readouterr().out
    assert "    upos=NOUN " in text
    assert "upos=VERB" not in text
    assert main(["info", output, "--json", "--label", "upos=NOUN"]) == 0
    training = json.loads(capsys.readouterr().out)["training"]
    assert [list(part["heaviest"]) for part in training.values() if "heaviest" in part] == [["upos=NOUN"]]
    assert main(["info", output, "--label", "NOPE"]) == 2
    assert "upos=NOUN" in capsys.readouterr().err


def test_text_on_the_command_line_is_parsed_to_conllu(model, capsys):
    assert main(["parse", "--model", str(model), "The cat sleeps .", "Dogs bark ."]) == 0
    document = plait.read(capsys.readouterr().out.encode(), "conllu")
    assert [s.upos for s in document] == [["DET", "NOUN", "VERB", "PUNCT"], ["NOUN", "VERB", "PUNCT"]]


def test_a_file_keeps_all_but_the_predicted_column(model, tiny_file, tmp_path):
    output = tmp_path / "out.conllu"
    assert main(["parse", "--model", str(model), "--input", str(tiny_file), "--output", str(output)]) == 0
    gold, predicted = plait.read(tiny_file), plait.read(output)
    assert [s.upos for s in predicted] == [s.upos for s in gold]
    told = f"# generator = plait {plait.__version__}, model {model.name}\n# plait_columns = upos\n"
    assert output.read_bytes() == told.encode() + tiny_file.read_bytes()
    assert main(["evaluate", str(tiny_file), str(output), "--json"]) == 0


@pytest.mark.parametrize("threads", ["1", "3"])
def test_lines_from_standard_input_to_segmented(model, threads, monkeypatch, capsys):
    text = "The cat sleeps .\nDogs bark .\n" * 100
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
    assert (
        main(["parse", "-m", str(model), "-i", "-", "--from", "lines", "--to", "segmented", "--threads", threads]) == 0
    )
    assert capsys.readouterr().out == "The_DET cat_NOUN sleeps_VERB ._PUNCT\nDogs_NOUN bark_VERB ._PUNCT\n" * 100


def test_broken_input_gives_one_line_and_no_output_file(model, tmp_path, capsys):
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\tDogs\t_\t_\t_\t_\t7\t_\t_\t_\n\n")
    output = tmp_path / "out.conllu"
    assert main(["parse", "-m", str(model), "-i", str(bad), "-o", str(output)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {bad}:1:")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == [bad]


def test_broken_sentences_are_skipped_on_request_and_reported(model, tmp_path, capsys):
    mixed = tmp_path / "mixed.conllu"
    good = "1\tDogs\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    mixed.write_text(good + good.replace("\t0\t", "\t7\t") + good)
    assert main(["parse", "-m", str(model), "-i", str(mixed), "--on-error", "skip"]) == 0
    captured = capsys.readouterr()
    assert len(plait.read(captured.out.encode(), "conllu")) == 2
    assert "1" in captured.err
    assert "HEAD" in captured.err


def test_a_broken_training_file_leaves_no_model(tmp_path, capsys):
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\tDogs\t_\n\n")
    output = tmp_path / "m.plait"
    assert main(["train", "perceptron-tagger", "--train", str(bad), "--output", str(output)]) == 2
    assert not output.exists()
    assert main(["train", "perceptron-tagger", "--train", str(bad), "-o", str(tmp_path / "no" / "m.plait")]) == 2
    assert "does not exist" in capsys.readouterr().err


@posix_shell
def test_head_may_close_the_pipe(model, tmp_path):
    text = tmp_path / "long.lines"
    text.write_text("The cat sleeps .\n" * 50_000)
    plait_command = f"{sys.executable} -m plait parse -m {model} -i {text}"
    done = subprocess.run(f"{plait_command} | head -n 3", shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("# generator = plait ")
    assert done.stdout.count("\n") == 3


def test_text_and_input_together_are_refused(model, tiny_file, capsys):
    assert main(["parse", "-m", str(model), "-i", str(tiny_file), "text"]) == 2
    assert "not both" in capsys.readouterr().err


def test_training_resumes_on_the_command_line(tiny_file, tmp_path, capsys):
    state = str(tmp_path / "state")
    common = ["train", "perceptron-tagger", "--train", str(tiny_file), "--checkpoint", state]
    assert main([*common, "--output", str(tmp_path / "a.plait"), "--epochs", "2"]) == 0
    assert main([*common, "--output", str(tmp_path / "b.plait"), "--epochs", "4", "--resume"]) == 0
    assert main([*common[:4], "--output", str(tmp_path / "c.plait"), "--epochs", "4"]) == 0
    assert (tmp_path / "b.plait").read_bytes() == (tmp_path / "c.plait").read_bytes()
    assert main([*common[:4], "--output", str(tmp_path / "d.plait"), "--resume"]) == 2
    assert "--checkpoint" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--output", "."], "is a folder"),
        (["--output", "/proc/x.plait"], "cannot be written"),
        (["--output", "copy.conllu"], "one of the input files"),
        (["--output", "m.plait", "--checkpoint", "m.plait"], "must be different files"),
        (["--output", "m.plait", "--checkpoint", "no/state"], "does not exist"),
        (["--output", "m.plait", "--seed", "-1"], "--seed"),
        (["--output", "m.plait", "--dev", "--epochs", "2"], "--dev needs"),
    ],
)
def test_unwritable_output_is_reported_before_training(tiny_file, tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / "copy.conllu"
    copy.write_bytes(tiny_file.read_bytes())
    assert main(["train", "perceptron-tagger", "--train", "copy.conllu", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "epoch  " not in error
    assert copy.read_bytes() == tiny_file.read_bytes()


@posix_shell
def test_output_may_be_a_pipe(model):
    command = f"{sys.executable} -m plait parse -m {model} --to segmented --output /dev/stdout 'Dogs bark .' | cat"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "Dogs_NOUN bark_VERB ._PUNCT\n"
    assert done.stderr == ""


def test_train_takes_an_equals_sign(tiny_file, tmp_path):
    output = tmp_path / "m.plait"
    arguments = [f"--train={tiny_file}", str(tiny_file), "--output", str(output), "--epochs", "1"]
    assert main(["train", "perceptron-tagger", *arguments]) == 0
    assert plait.load(output).header["data"]["train"]["sentences"] == 48


def test_skip_holds_for_raw_text_given_text_and_unwritable_sentences(model, tmp_path, capsys):
    raw = tmp_path / "bad.lines"
    raw.write_bytes(b"Dogs bark .\n\xff bad\nCats sleep .\n")
    assert main(["parse", "-m", str(model), "-i", str(raw), "--to", "segmented", "--on-error", "skip"]) == 0
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 2
    assert "left out 1" in captured.err
    assert main(["parse", "-m", str(model), "-i", str(raw)]) == 2
    capsys.readouterr()
    bad = "1\tDogs\t_\t_\t_\t_\t9\t_\t_\t_\n\n"
    assert main(["parse", "-m", str(model), "--from", "conllu", "--on-error", "skip", bad]) == 0
    assert "left out 1" in capsys.readouterr().err
    spaced = tmp_path / "spaced.conllu"
    spaced.write_text("1\tNew York\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert main(["parse", "-m", str(model), "-i", str(spaced), "--to", "segmented", "--on-error", "skip"]) == 0
    assert "left out 1" in capsys.readouterr().err


def test_the_model_is_not_overwritten_by_its_own_output(model, capsys):
    assert main(["parse", "-m", str(model), "--to", "conllu", "-o", str(model), "Dogs bark ."]) == 2
    assert "the model file" in capsys.readouterr().err
    plait.load(model)


@posix_shell
def test_bytes_that_are_no_text_are_refused_on_the_command_line(model):
    command = f"{sys.executable} -m plait parse -m {model} --from conllu $'\\xff'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_scores_stand_in_misc_or_are_refused(tiny_file, tmp_path, capsys):
    tagger = tmp_path / "crf.plait"
    assert main(["train", "crf-tagger", "--train", str(tiny_file), "--output", str(tagger), "--epochs", "3"]) == 0
    capsys.readouterr()
    given = "1\tDogs\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n2\t!\t_\t_\t_\t_\t_\t_\t_\tScore=0.1\n\n"
    file = tmp_path / "in.conllu"
    file.write_text(given)
    assert main(["parse", "--model", str(tagger), "--scores", "--input", str(file), "--output", "-"]) == 0
    notes = [line.split("\t")[9] for line in capsys.readouterr().out.splitlines() if line[:1].isdigit()]
    expected = plait.load(tagger)(["Dogs", "!"], scores=True)[0].scores
    assert notes == [f"SpaceAfter=No|Score={expected[0]:.4f}", f"Score={expected[1]:.4f}"]
    assert main(["parse", "--model", str(tagger), "--input", str(file), "--output", "-"]) == 0
    assert "Score=0.1" in capsys.readouterr().out
    for target in ("segmented", "conllx", "tree"):
        assert main(["parse", "--model", str(tagger), "--scores", "--to", target, "Dogs bark ."]) == 2
        assert "conllu, json, svg, html" in capsys.readouterr().err
    assert main(["parse", "--model", str(tagger), "--scores", "--trace", "Dogs bark ."]) == 2
    assert "--trace cannot be combined with --scores" in capsys.readouterr().err


def test_a_flag_under_its_old_name_works_with_a_notice_and_is_not_in_the_help(tiny_file, tmp_path, capsys):
    train = ["train", "crf-tagger", "--train", str(tiny_file), "--epochs", "1", "--output", str(tmp_path / "m.plait")]
    assert main([*train, "--prune", "0.25"]) == 0
    assert "notice: crf-tagger: option prune is now called prune_below; " in capsys.readouterr().err
    assert plait.load(tmp_path / "m.plait").system.options.prune_below == 0.25
    assert main(["train", "crf-tagger", "--help"]) == 0
    assert " --prune " not in capsys.readouterr().out
