"""``plait annotate``: kinds of input, partitions, resuming, faults with their places, dead workers."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import plait
from plait.cli.main import main
from plait.integrations import Annotator
from plait.integrations.annotator import Analysis
from plait.integrations.bulk import annotate_files
from plait.integrations.bulk.local import run_local
from plait.integrations.bulk.partitions import Cut, Outcome, Partition

SENTENCES = ["Mary sees a book .", "Dogs bark .", "The cat sleeps ."]


@pytest.fixture
def corpus(tmp_path) -> Path:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for name, count in (("a.jsonl", 7), ("sub/b.jsonl", 3), ("sub/empty.jsonl", 0)):
        lines = [json.dumps({"id": k, "text": SENTENCES[k % 3]}) + "\n" for k in range(count)]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    (folder / ".hidden.jsonl").write_text("no JSON", encoding="utf-8")
    (folder / "notes.md").write_text("# not data", encoding="utf-8")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("_plait.json", "_plait.lock")  # the job's own files
    }


def annotate(*arguments: object) -> int:
    return main(["annotate", *map(str, arguments)])


def records(folder: Path) -> list[dict]:
    lines = b"".join(content(folder).values()).splitlines()
    return [json.loads(line) for line in lines]


def test_json_lines_keep_their_keys_and_get_one_more(corpus, tmp_path, parser_file, capsys):
    out = tmp_path / "out"
    assert annotate(corpus, out, "--model", parser_file, "--partition-size", 3, "--workers", 1) == 0
    assert list(content(out)) == ["a.00000.jsonl", "a.00001.jsonl", "a.00002.jsonl", "sub/b.jsonl", "sub/empty.jsonl"]
    nlp = plait.load(parser_file)
    assert [record["id"] for record in records(out)] == [*range(7), *range(3)]
    marks = f"# generator = plait {plait.__version__}, model tiny.plait\n# plait_columns = upos head deprel\n"
    assert all(record["conllu"] == marks + nlp(record["text"]).to_conllu() for record in records(out))
    assert "10 documents, 10 sentences" in capsys.readouterr().err


def test_existing_fields_of_a_line_are_kept_byte_for_byte(tmp_path, parser_file):
    lines = ['{"n": 1.50, "x": 1e400, "text": "Dogs", "s": "\\u00e9", "n": 2 }', '  {"text":null}  ']
    (tmp_path / "x.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n\n".join(lines).encode())
    assert annotate(tmp_path / "x.jsonl", tmp_path / "out", "--model", parser_file, "--to", "segmented") == 0
    assert (tmp_path / "out" / "x.jsonl").read_bytes().decode().split("\n") == [
        '{"n": 1.50, "x": 1e400, "text": "Dogs", "s": "\\u00e9", "n": 2, "segmented": "Dogs_NOUN\\n"}',
        '{"text":null, "segmented": null}',
        "",
    ]


def test_parquet_rows_keep_columns_and_order(tmp_path, parser_file):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'plait[arrow]'")
    import pyarrow.parquet as pq

    table = pa.table({"id": range(1000), "body": [SENTENCES[k % 3] if k % 10 else None for k in range(1000)]})
    (tmp_path / "in" / "year=2020").mkdir(parents=True)
    pq.write_table(table, tmp_path / "in" / "year=2020" / "p.parquet", row_group_size=300)
    pq.write_table(table.slice(0, 0), tmp_path / "in" / "none.parquet")
    options = ["--model", parser_file, "--text-column", "body", "--to", "tokens", "--partition-size", 350]
    for workers in (1, 2):
        assert annotate(tmp_path / "in", tmp_path / f"out{workers}", *options, "--workers", workers) == 0
    assert content(tmp_path / "out1") == content(tmp_path / "out2")
    parts = sorted((tmp_path / "out1" / "year=2020").glob("p.*.parquet"))
    assert [pq.read_metadata(part).num_rows for part in parts] == [350, 350, 300]
    found = pa.concat_tables([pq.ParquetFile(part).read() for part in parts])
    assert found.drop_columns("tokens") == table
    assert found["tokens"][1].as_py()[0]["upos"] == "NOUN"
    assert found["tokens"][0].as_py() is None
    assert pq.ParquetFile(tmp_path / "out1" / "none.parquet").schema_arrow.names == ["id", "body", "tokens"]


def test_text_becomes_what_parse_makes_of_it(tmp_path, parser_file, capsys):
    text = "Dogs bark .\nThe cat sleeps .\n\n \nMary sees a book .\n\nDogs bark .\n\n\n"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(text, encoding="utf-8")
    with gzip.open(tmp_path / "in" / "b.txt.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    assert annotate(tmp_path / "in", tmp_path / "out", "--model", parser_file, "--partition-size", 1) == 0
    assert main(["parse", "--model", str(parser_file), "--input", str(tmp_path / "in" / "a.txt")]) == 0
    parsed = capsys.readouterr().out.encode()
    marks = f"# generator = plait {plait.__version__}, model tiny.plait\n# plait_columns = upos head deprel\n".encode()
    assert parsed.startswith(marks)
    found = content(tmp_path / "out")
    assert list(found) == ["a.00000.conllu", "a.00001.conllu", "a.00002.conllu", "b.conllu"]
    assert found["b.conllu"] == parsed
    assert all(part.startswith(marks) for part in found.values())
    assert marks + b"".join(part.removeprefix(marks) for part in list(found.values())[:3]) == parsed


def test_text_names_the_model_also_where_the_first_document_is_skipped(tmp_path, parser_file):
    (tmp_path / "a.txt").write_bytes(b"a\0b\n\nDogs bark .\n\nDogs bark .\n")
    assert annotate(tmp_path / "a.txt", tmp_path / "out", "--model", parser_file, "--on-error", "skip") == 0
    (text,) = content(tmp_path / "out").values()
    assert text.count(b"# plait_columns") == 1
    assert text.startswith(b"# generator")
    assert len(text.strip().split(b"\n\n")) == 2


def test_lines_are_documents_when_asked(tmp_path, parser_file):
    (tmp_path / "a.txt").write_text("Dogs bark .\nThe cat sleeps .\n", encoding="utf-8")
    options = ["--model", parser_file, "--from", "lines", "--to", "json", "--partition-size", 1]
    assert annotate(tmp_path / "a.txt", tmp_path / "out", *options) == 0
    assert list(content(tmp_path / "out")) == ["a.00000.json", "a.00001.json"]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_files_do_not_depend_on_the_workers(corpus, tmp_path, parser_file, workers):
    annotator = Annotator(parser_file)
    annotate_files(corpus, tmp_path / "one", annotator, partition_size=2)
    annotate_files(corpus, tmp_path / "many", annotator, partition_size=2, workers=workers)
    assert content(tmp_path / "one") == content(tmp_path / "many")


def test_finished_partitions_are_not_done_again(corpus, tmp_path, parser_file, capsys):
    out = tmp_path / "out"
    options = [corpus, out, "--model", parser_file, "--partition-size", 3, "--workers", 1]
    assert annotate(*options) == 0
    before = content(out)
    (out / "a.00001.jsonl").unlink()
    (out / ".a.00001.jsonl.plait-abc.tmp").write_text("half", encoding="utf-8")
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.jsonl")}
    capsys.readouterr()
    assert annotate(*options) == 0
    assert "1 files written, 4 already there" in capsys.readouterr().err
    assert content(out) == before
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_new_files_are_added_to_a_job(corpus, tmp_path, parser_file, capsys):
    options = [corpus, tmp_path / "out", "--model", parser_file, "--workers", 1]
    assert annotate(*options) == 0
    (corpus / "new.jsonl").write_text('{"text": "Dogs bark ."}', encoding="utf-8")
    assert annotate(*options) == 0
    assert "1 files written, 3 already there" in capsys.readouterr().err


def test_a_job_with_other_options_or_model_or_input_is_refused_until_restart(
    corpus, tmp_path, parser_file, segmenter_file, capsys
):
    out = tmp_path / "out"
    options = [corpus, out, "--model", parser_file, "--workers", 1]
    assert annotate(*options) == 0
    before = content(out)
    for other, words in (
        ([*options, "--to", "json"], "was started with to conllu, not to json"),
        ([*options, "--partition-size", 3], "partition size 2000"),
        ([corpus, out, "--model", segmenter_file], "was started with model"),
    ):
        assert annotate(*other) == 2
        message = capsys.readouterr().err.splitlines()[-1]
        assert words in message
        assert "--restart" in message
    assert content(out) == before
    (corpus / "a.jsonl").write_text('{"text": "Mary reads ."}\n', encoding="utf-8")
    assert annotate(*options) == 2
    assert "a.jsonl: has changed" in capsys.readouterr().err
    assert annotate(*options, "--partition-size", 2, "--restart") == 0
    assert list(content(out)) == ["a.jsonl", "sub/b.00000.jsonl", "sub/b.00001.jsonl", "sub/empty.jsonl"]
    (corpus / "a.jsonl").unlink()
    assert annotate(*options, "--partition-size", 2) == 2
    assert "a.jsonl was part of the job and is missing" in capsys.readouterr().err


BAD = ["{", "[1]", '{"body": "x"}', '{"text": 3}', '{"text": "\\ud800"}', '{"text": "a", "conllu": 1}', "\x00"]
REASONS = [
    "not JSON",
    "not a JSON object",
    'no key "text"',
    "the text is 3",
    "surrogate pair",
    "already exists",
    "NUL",
]


@pytest.mark.parametrize(
    ("line", "reason", "workers"), [*zip(BAD, REASONS, [1] * 7, strict=True), ("{", "not JSON", 2), ("\0", "NUL", 2)]
)
def test_a_bad_document_stops_the_job_with_its_place(tmp_path, parser_file, capsys, line, reason, workers):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "Dogs bark ."}\n' * 4 + line + "\n", encoding="utf-8")
    out = tmp_path / "out"
    assert annotate(path, out, "--model", parser_file, "--partition-size", 2, "--workers", workers) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert f"{path}:5: " in message
    assert reason in message
    assert not list(out.glob(".*.tmp"))
    assert "x.00002.jsonl" not in content(out)


def test_bad_documents_are_skipped_when_asked(tmp_path, parser_file, capsys):
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(['{"text": "Dogs bark ."}', *BAD, "{}"]), encoding="utf-8")
    assert annotate(path, tmp_path / "out", "--model", parser_file, "--on-error", "skip", "--workers", 1) == 0
    errors = capsys.readouterr().err
    for number, reason in enumerate(REASONS, 2):
        assert any(f"{path}:{number}: " in line and reason in line for line in errors.splitlines())
    assert "8 documents skipped" in errors
    found = records(tmp_path / "out")
    assert [record["conllu"] is None for record in found] == [False, True, True, True, True]
    assert [record["error"] is None for record in found] == [True, False, False, False, False]


def test_parquet_faults_name_the_row(tmp_path, parser_file, capsys):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'plait[arrow]'")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": [["Dogs"], ["Dogs", ""]]}), tmp_path / "x.parquet")
    assert annotate(tmp_path / "x.parquet", tmp_path / "out", "--model", parser_file) == 2
    assert "x.parquet: row 2: the text is ['Dogs', '']" in capsys.readouterr().err
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    assert annotate(tmp_path / "bad.parquet", tmp_path / "out2", "--model", parser_file) == 2
    assert "not a Parquet file" in capsys.readouterr().err
    assert not (tmp_path / "out2").exists()


def test_faults_of_the_command_are_one_line(corpus, tmp_path, parser_file, capsys):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "mixed").mkdir()
    for name in ("a.jsonl", "a.txt"):
        (tmp_path / "mixed" / name).write_text("", encoding="utf-8")
    (tmp_path / "twins").mkdir()
    for name in ("a.jsonl", "a.ndjson"):
        (tmp_path / "twins" / name).write_text("", encoding="utf-8")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "_plait.json").write_text("[]", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    forged = {"source": "a.jsonl", "target": "../file", "cut": {"begin": 0, "end": 0, "first_line": 1, "bytes": 0}}
    record = {"format": 1, "settings": {}, "inputs": {}, "partitions": [forged], "complete": False}
    (tmp_path / "outside" / "_plait.json").write_text(json.dumps(record), encoding="utf-8")
    for arguments, words in (
        ([tmp_path / "nowhere", tmp_path / "out"], "no such file or folder"),
        ([tmp_path / "file", tmp_path / "out"], "specify the type with --from"),
        ([corpus, tmp_path / "file"], "expected a folder"),
        ([tmp_path / "mixed", tmp_path / "out"], "jsonl and text"),
        ([tmp_path / "twins", tmp_path / "out"], "rename one of them"),
        ([corpus, corpus / "sub"], "not empty"),
        ([corpus, tmp_path / "foreign"], "not a valid plait manifest"),
        ([corpus, tmp_path / "outside", "--restart"], "outside the folder"),
        ([corpus, tmp_path / "out", "--from", "parquet"], "expected files ending in .parquet"),
        ([corpus, tmp_path / "out", "--to", "conlu"], "did you mean 'conllu'"),
        (
            [tmp_path / "mixed", tmp_path / "out", "--from", "text", "--to", "tokens"],
            "text cannot be written as tokens",
        ),
        ([corpus, tmp_path / "out", "--address", "auto"], "--engine ray"),
        *(
            ([tmp_path / "mixed", tmp_path / "out", "--from", kind, option, "body"], f"{option} has no effect on text")
            for kind in ("text", "lines")
            for option in ("--text-column", "--output-column")
        ),
    ):
        assert annotate(*arguments, "--model", parser_file) == 2
        message = capsys.readouterr().err
        assert words in message
        assert message.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_output_may_lie_inside_the_input(corpus, parser_file, capsys):
    for _ in range(2):
        assert annotate(corpus, corpus / "out", "--model", parser_file, "--workers", 1) == 0
    assert "0 files written, 3 already there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "arguments"), [("ray", ["--engine", "ray"]), ("pyarrow.parquet", ["--from", "parquet"])]
)
def test_a_package_that_is_needed_is_named(corpus, tmp_path, parser_file, capsys, monkeypatch, package, arguments):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    (corpus / "x.parquet").write_bytes(b"")
    assert annotate(corpus / "x.parquet" if "parquet" in package else corpus / "a.jsonl", tmp_path / "out",
                    "--model", parser_file, *arguments) == 2  # fmt: skip
    assert "pip install 'plait[" in capsys.readouterr().err


def test_on_a_terminal_there_is_a_bar(corpus, tmp_path, parser_file, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert annotate(corpus, tmp_path / "out", "--model", parser_file, "--workers", 1) == 0
    assert "10 documents" in capsys.readouterr().err


class DiesOnce:
    """Work that kills its process the first time it meets the second partition."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder = folder
        self.times = times

    def __call__(self, partition: Partition) -> Outcome:
        if partition.target == "1":
            before = len(list(self.folder.iterdir()))
            if before < self.times:
                (self.folder / str(before)).touch()
                os.kill(os.getpid(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        return Outcome(partition, documents=1)


PARTITIONS = [Partition("x", str(k), Cut(k, k + 1, 1, 1)) for k in range(6)]


def test_a_partition_whose_worker_died_is_done_by_another(tmp_path):
    outcomes = list(run_local(DiesOnce(tmp_path, times=2), PARTITIONS, workers=2))
    assert sorted(outcome.partition.target for outcome in outcomes) == list("012345")


class KilledWhileWriting(Annotator):
    """A worker of it is killed in the middle of the third document, once."""

    def __init__(self, model: Path, marker: Path) -> None:
        super().__init__(model)
        self.marker = marker

    def analyse(self, text: object, *, marked: bool = False) -> Analysis:
        if text == "The cat sleeps ." and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        return super().analyse(text, marked=marked)


def test_a_worker_that_dies_while_writing_leaves_nothing_behind(corpus, tmp_path, parser_file):
    annotate_files(corpus, tmp_path / "one", Annotator(parser_file), partition_size=4)
    dying = KilledWhileWriting(parser_file, tmp_path / "died")
    summary = annotate_files(corpus, tmp_path / "two", dying, partition_size=4, workers=2)
    assert (tmp_path / "died").exists()
    assert summary.documents == 10
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_partition_that_kills_every_worker_ends_the_job(tmp_path):
    with pytest.raises(plait.PlaitError, match="3 workers died on the partition 1"):
        list(run_local(DiesOnce(tmp_path, times=100), PARTITIONS, workers=2))


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals on Windows")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_stopped_job_leaves_whole_files_and_goes_on(tmp_path, parser_file, name):
    number = getattr(signal, name)
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "Dogs bark .\\nThe cat sleeps ."}\n' * 8000, encoding="utf-8")
    out = tmp_path / "out"
    options = [
        "annotate",
        str(path),
        str(out),
        "--model",
        str(parser_file),
        "--partition-size",
        "100",
        "--workers",
        "2",
    ]
    process = subprocess.Popen([sys.executable, "-m", "plait", *options], stderr=subprocess.PIPE)
    while not out.exists() or len(list(out.glob("x.*"))) < 3:
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(number)
    assert process.wait(30) == (-9 if name == "SIGKILL" else 128 + number)
    process.stderr.close()
    done = content(out)
    whole = {name: data for name, data in done.items() if not name.endswith(".tmp")}
    if name != "SIGKILL":
        assert whole == done
    assert all(data.count(b"\n") == 100 for data in whole.values())
    assert len(whole) < 80
    if name == "SIGKILL":
        assert main(options) == 0
        assert len(content(out)) == 80
    assert whole.items() <= content(out).items()


@pytest.mark.skipif(os.name == "nt", reason="the second run would wait for a file that is open")
def test_a_second_run_on_a_folder_is_refused_while_the_first_one_lives(corpus, tmp_path, parser_file, capsys):
    out = tmp_path / "out"
    seen = []

    def second(outcome):
        code = annotate(corpus, out, "--model", parser_file, "--workers", 1)
        seen.append((code, capsys.readouterr().err))

    annotate_files(corpus, out, Annotator(parser_file), on_partition=second)
    code, message = seen[0]
    assert code == 2
    assert message.startswith(f"error: {out}: another plait annotate is running there (process {os.getpid()} on ")
    assert message.count("\n") == 1
    assert not (out / "_plait.lock").exists()
    (out / "_plait.lock").write_text("process 1 on a machine that lost its power")
    assert annotate(corpus, out, "--model", parser_file, "--workers", 1) == 0
    assert not (out / "_plait.lock").exists()


def test_a_refused_job_leaves_no_folder_and_no_lock(corpus, tmp_path, parser_file):
    assert annotate(corpus, tmp_path / "a" / "b", "--model", parser_file, "--text-column", "none") == 2
    assert [path.name for path in (tmp_path / "a" / "b").rglob("*") if path.is_file()] == ["_plait.json"]
    (corpus / "a.ndjson").touch()
    assert annotate(corpus, tmp_path / "c" / "d", "--model", parser_file) == 2
    assert not (tmp_path / "c").exists()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_workers_whose_parent_was_killed_end_without_a_word(tmp_path, parser_file):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "Dogs bark .\\nThe cat sleeps ."}\n' * 8000, encoding="utf-8")
    out = tmp_path / "out"
    options = [str(path), str(out), "--model", str(parser_file), "--partition-size", "400", "--workers", "2"]
    process = subprocess.Popen([sys.executable, "-m", "plait", "annotate", *options], stderr=subprocess.PIPE)
    while not out.exists() or not list(out.glob("x.*")):
        time.sleep(0.02)
        assert process.poll() is None
    process.kill()
    assert process.stderr.read() == b""  # read to its end: until the last worker has gone
    process.stderr.close()
    process.wait()


def _lose(pipe, task, partitions, workers, address):
    """A driver that Ray ends, after a first outcome."""
    pipe.send(Outcome(partitions[0], documents=1))
    os._exit(1)


def test_a_lost_ray_cluster_is_reported(monkeypatch):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'plait[ray]'")
    from plait.integrations.bulk import cluster

    monkeypatch.setattr(cluster, "_drive", _lose)
    run = cluster.run_ray(print, PARTITIONS, 2)
    assert next(run).documents == 1
    with pytest.raises(plait.PlaitError, match=r"the Ray cluster was lost \(exit code 1\); finished files stay; run"):
        next(run)


def test_an_unreachable_address_is_reported_at_once():
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'plait[ray]'")
    from plait.integrations.bulk.cluster import run_ray

    with pytest.raises(plait.PlaitError, match=r"no Ray cluster responds at 127\.0\.0\.1:1 "):
        next(run_ray(print, PARTITIONS, 2, "127.0.0.1:1"))
