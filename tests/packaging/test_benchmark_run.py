"""``benchmarks/run --quick`` on a tiny treebank, with all peers missing: it measures, goes on, and writes its page."""

import json
import sys
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

import plait

ROOT = Path(__file__).parents[2]
SYSTEMS = ("plait perceptron", "plait easyfirst-joint")


@pytest.fixture(scope="module")
def run() -> ModuleType:
    loader = SourceFileLoader("benchmark_run", str(ROOT / "benchmarks" / "run"))
    spec = spec_from_loader("benchmark_run", loader)
    assert spec is not None
    module = module_from_spec(spec)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # there is no suffix to put it beside
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = bytecode
    module.PEERS = tuple(replace(peer, package="no-such-distribution") for peer in module.PEERS)
    return module


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "UD_Tiny"
    folder.mkdir()
    sentences = plait.read(ROOT / "examples" / "tiny.conllu").sentences
    for part, chosen in (("train", sentences), ("dev", sentences[:4]), ("test", sentences[4:8])):
        plait.write(plait.Document(chosen), folder / f"en_tiny-ud-{part}.conllu")
    return folder


def start(run: ModuleType, monkeypatch: pytest.MonkeyPatch, folder: Path, *words: object) -> None:
    command = ["run", "--work", folder / "work", "--output", folder / "out", "--quick", *words]
    monkeypatch.setattr(sys, "argv", [*map(str, command)])
    run.main()


def test_a_quick_run_measures_and_goes_on(
    run: ModuleType, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--tasks", treebank, "--contenders", *SYSTEMS, "spaCy", "UDPipe")
    start(run, monkeypatch, tmp_path, *words)
    found = json.loads((tmp_path / "out" / "run.json").read_text())
    page = (tmp_path / "out" / "run.html").read_text()
    rows = {row["contender"]: row for row in found["rows"]}
    tagger, parser, *peers = rows.values()
    assert all("missing" not in row for row in (tagger, parser))
    asked_for = [peer.name for peer in run.PEERS if peer.name.startswith(("spaCy", "UDPipe"))]
    assert len(asked_for) >= 4  # two ways of use of either
    assert {row["contender"]: row["missing"] for row in peers} == dict.fromkeys(asked_for, run.NOT_INSTALLED)
    assert set(tagger["use"]["scores"]) == {"upos"}
    assert set(parser["use"]["scores"]) == {"upos", "uas", "las"}
    for row in (tagger, parser):
        assert [trained["sentences"] for trained in row["training"]] == [6, 12, 24]
        assert len(row["use"]["sentences_per_second"]) == 3
        assert all(speed > 0 for speed in row["use"]["sentences_per_second"])
        assert row["use"]["peak_megabytes"] > 10
        assert row["training"][-1]["megabytes"] > 0
        assert f"<td>{row['contender']}</td>" in page
    assert f"{parser['use']['scores']['las']:.2f}" in page
    assert "not installed" in page
    assert page.count("<svg") == 6
    for told in ("A quick run", "Speed against sentence length", "Training time against data", "Memory"):
        assert told in page
    capsys.readouterr()
    monkeypatch.setattr(run, "work", lambda *words: pytest.fail("measured again"))
    start(run, monkeypatch, tmp_path, *words)
    again = json.loads((tmp_path / "out" / "run.json").read_text())
    assert again == found


def test_a_lost_model_is_trained_again(
    run: ModuleType, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def work(
        what: str, task: str, contender: str, model: str, *words: str, seconds: float | None = None
    ) -> dict[str, object]:
        asked.append(what)
        Path(model).touch()
        rest = {"peak_megabytes": 1.0, "load_seconds": 0.1, "by_length": [], "words_per_second": [9.0]}
        if what == "use":
            return {"scores": {"upos": 90.0}, "sentences_per_second": [1.0, 3.0, 2.0], **rest}
        return {"sentences": 5, "seconds": 1.0, "cpu_seconds": 1.0, "megabytes": 1.0, "peak_megabytes": 1.0}

    monkeypatch.setattr(run, "work", work)
    words = ("--tasks", treebank, "--contenders", SYSTEMS[0])
    start(run, monkeypatch, tmp_path, *words)
    assert asked == 3 * ["train"] + ["use"]
    (kept,) = (tmp_path / "work" / "quick" / "UD_Tiny").iterdir()
    kept.unlink()
    start(run, monkeypatch, tmp_path, *words)
    assert asked[4:] == ["train"]
    start(run, monkeypatch, tmp_path, *words, "--again")
    assert asked[5:] == ["use"]
    (tmp_path / "work" / "quick" / "measured.json").unlink()
    start(run, monkeypatch, tmp_path, *words, "--no-curve")
    assert asked[6:] == ["train", "use"]
    assert "<td>2</td><td>1–3</td>" in (tmp_path / "out" / "run.html").read_text()


def test_a_training_over_the_limit_is_given_up_and_tried_again_with_more_time(
    run: ModuleType, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--tasks", treebank, "--contenders", SYSTEMS[0])
    start(run, monkeypatch, tmp_path, *words, "--minutes", "0.0001")
    (row,) = json.loads((tmp_path / "out" / "run.json").read_text())["rows"]
    assert row["missing"] == "not measured: training takes more than 0.0001 minutes"
    assert row["missing"] in (tmp_path / "out" / "run.html").read_text()
    work = run.work
    monkeypatch.setattr(run, "work", lambda *words, seconds=None: pytest.fail("tried again with the same limit"))
    start(run, monkeypatch, tmp_path, *words, "--minutes", "0.0001")
    monkeypatch.setattr(run, "work", work)
    start(run, monkeypatch, tmp_path, *words)
    (row,) = json.loads((tmp_path / "out" / "run.json").read_text())["rows"]
    assert len(row["training"]) == 3


def test_a_training_that_must_take_too_long_is_not_begun(
    run: ModuleType, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []

    def work(*words: str, seconds: float | None = None) -> dict[str, float]:
        sizes.append(words[words.index("--sentences") + 1])
        return {"sentences": 6, "seconds": 50.0, "cpu_seconds": 50.0, "megabytes": 1.0, "peak_megabytes": 1.0}

    monkeypatch.setattr(run, "work", work)
    start(run, monkeypatch, tmp_path, "--tasks", treebank, "--contenders", SYSTEMS[0], "--minutes", "1")
    assert sizes == ["6"]  # 50 seconds for a quarter of the data, so at least 100 for half of it


def test_only_the_first_treebank_has_a_curve_of_training_times(run: ModuleType, treebank: Path) -> None:
    first = run.find_task(str(treebank))
    second, words = replace(first, name="second"), replace(first, name="words", kind="words")
    assert run.first_of_kind([("1", first), ("2", second), ("3", words)]) == [words, first]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--repeats", "2"], "at least 3"),
        (["--contenders", "nobody"], "no contender is called nobody"),
        (["--tasks", "no_such_treebank"], "no training and test data"),
    ],
)
def test_what_cannot_be_measured_is_told_at_once(
    run: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    told: str,
) -> None:
    with pytest.raises(SystemExit) as stopped:
        start(run, monkeypatch, tmp_path, *words)
    assert told in f"{stopped.value} {capsys.readouterr().err}"


def test_published_rows_are_marked(run: ModuleType) -> None:
    row = {"task": "zh_gsd1", "contender": "jieba", "missing": run.NOT_INSTALLED}
    page = run.render(
        {"command": "x", "quick": False, "repeats": 3, "machine": "m", "rows": [row], "contenders": [],
         "tasks": [{"name": "zh_gsd1", "kind": "trees"}]}
    )  # fmt: skip
    assert page.count('class="published"') == 4
    assert "SyntaxNet (Parsey&#x27;s Cousins), published: UD 1.3" in page
    assert "71.24" in page
