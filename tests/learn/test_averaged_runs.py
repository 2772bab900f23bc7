"""Several trainings in different orders, whose weights are averaged."""

import re

import numpy as np
import pytest

import plait
from plait.cli.main import main
from plait.core.tables import mean_weights

QUICK = {
    "perceptron-tagger": {"epochs": 2},
    "easyfirst-joint": {"epochs": 2, "beam": 2},
    "transition-joint": {"epochs": 2, "beam": 2, "folds": 2, "tagger_epochs": 1, "word_dropout": 1.0},
    "graph-parser": {"epochs": 2, "folds": 2, "tagger_epochs": 1, "arc_epochs": 1},
}


@pytest.mark.parametrize("name", QUICK)
def test_runs_can_be_interrupted_and_added(name, tiny_file, tmp_path):
    """An interrupted training goes on in its run, and a finished one takes another run, with the same result."""
    whole = plait.train(name, train=tiny_file, dev=tiny_file, runs=2, **QUICK[name])
    once = tmp_path / "once"
    plait.train(name, train=tiny_file, dev=tiny_file, checkpoint=once, **QUICK[name])
    added = plait.train(name, train=tiny_file, dev=tiny_file, runs=2, checkpoint=once, resume=True, **QUICK[name])
    assert added.to_bytes() == whole.to_bytes()

    class StopError(Exception):
        pass

    seen = []

    def stop(record):
        seen.append(record.line())
        if "run 2/2  epoch   1" in record.line():
            raise StopError

    cut = tmp_path / "cut"
    with pytest.raises(StopError):
        plait.train(
            name, train=tiny_file, dev=tiny_file, runs=2, checkpoint=cut, on_epoch=stop, **QUICK[name]
        )  # fmt: skip
    assert sum(line.startswith("run 1/2  epoch") for line in seen) == 2
    resumed = plait.train(name, train=tiny_file, dev=tiny_file, runs=2, checkpoint=cut, resume=True, **QUICK[name])
    assert resumed.to_bytes() == whole.to_bytes()


def test_a_model_of_two_runs_is_the_mean_of_both(tiny_file, tmp_path):
    """Without rounding, its tables are those that the checkpoints of the runs have."""
    from plait.system.modelfile import open_model

    options = {"epochs": 3, "bits": 32, "prune": False}
    model = plait.train("perceptron-tagger", train=tiny_file, runs=2, checkpoint=tmp_path / "state", **options)
    arrays = [open_model(tmp_path / name)[1] for name in ("state", "state.run2")]
    names = ("keys", "starts", "labels", "values")
    (group,) = {name.split(".")[1] for name in arrays[0] if name.startswith("best.")}
    first, second = ({name: part[f"best.{group}.{name}"] for name in names} for part in arrays)
    assert not np.array_equal(first["values"], second["values"])
    mean = mean_weights([first, second])
    label = {(key, label): value for key, begin, end in zip(mean["keys"].tolist(), mean["starts"], mean["starts"][1:],
             strict=False) for label, value in zip(mean["labels"][begin:end].tolist(), mean["values"][begin:end],
             strict=True)}  # fmt: skip
    table = model.system.weights
    for key in mean["keys"].tolist()[:200]:
        scores = table.scores(np.array([key], dtype=np.uint64))
        for k, score in enumerate(scores.tolist()):
            assert score == pytest.approx(label.get((key, k), 0.0))


def test_the_scores_of_the_runs_are_kept(tiny_file, tmp_path, capsys):
    model = plait.train("perceptron-tagger", train=tiny_file, dev=tiny_file, runs=3, epochs=2)
    assert len(model.system.training["runs"].split(", ")) == 3
    model.save(tmp_path / "model.plait")
    assert plait.load(tmp_path / "model.plait").header["training"]["runs"] == model.system.training["runs"]
    main(["info", str(tmp_path / "model.plait")])
    runs, accuracy = model.system.training["runs"], model.system.training["dev"]["accuracy"]
    shown = f"best of each run: {runs}; their weights averaged, as stored: accuracy {accuracy:.2f}"
    told = capsys.readouterr().out
    assert shown in told
    assert re.search(r"^    best epoch of run 1 +[12]$", told, re.M)
    alone = plait.train("perceptron-tagger", train=tiny_file, dev=tiny_file, epochs=2)
    assert "runs" not in alone.system.training
