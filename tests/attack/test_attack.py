"""A short, fixed part of the attacks, and the counting of what came of them; scripts/attack runs them for hours."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from attacks import ACCEPTED, REFUSED
from attacks import workspace as workspaces
from attacks.campaign import Worker, run_campaign, seeds_of, table
from attacks.self_test import WAYS
from plait.system import SYSTEMS

SMALL = {
    name: workspaces.SYSTEMS[name]
    for name in ("perceptron-tagger", "easyfirst-parser", "crf-tagger", "crf-segmenter-hybrid", "lemmatizer")
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return workspaces.Workspace(tmp_path_factory.mktemp("attack"))


@pytest.mark.parametrize(
    ("kind", "cases"),
    [
        ("forged_models", 60),
        ("damaged_files", 60),
        ("forged_checkpoints", 6),
        ("mutated_treebanks", 15),
        ("text_and_words", 60),
        ("user_files", 6),
        ("rest_requests", 30),
    ],
)
def test_a_fixed_part_of_the_attacks_finds_nothing(kind, cases, workspace, monkeypatch):
    import importlib

    if kind in ("rest_requests", "text_and_words"):
        pytest.importorskip("starlette", reason="requests are made to the web application; pip install plait[web]")
    module = importlib.import_module(f"attacks.{kind}")
    if hasattr(module, "SYSTEMS"):
        monkeypatch.setattr(module, "SYSTEMS", SMALL)
    if kind == "forged_checkpoints":
        monkeypatch.setattr(module, "TRAININGS", {"perceptron-tagger": {"epochs": 3}})
    if kind == "mutated_treebanks":
        monkeypatch.setattr(module, "MODELS", ("easyfirst-parser",))
    if kind == "text_and_words":
        monkeypatch.setattr(module, "DOORS", ("call", "command"))
    if kind == "rest_requests":
        monkeypatch.setattr(module, "SERVED", {"joint": "easyfirst-parser"})
    found = [module.run(seed, workspace) for _, seed in zip(range(cases), seeds_of(7, kind), strict=False)]
    assert set(found) <= {ACCEPTED, REFUSED}
    assert REFUSED in found


def test_every_system_is_attacked():
    assert {system for system, _ in workspaces.SYSTEMS.values()} == set(SYSTEMS)


def test_every_way_to_fail_is_counted(tmp_path):
    worker = Worker("self-test", tmp_path)
    try:
        for seed, way in enumerate(WAYS):
            assert worker.run(seed)[0] == way
        assert worker.run(0)[0] == "accepted"  # a new worker has taken the place of the dead one
    finally:
        worker.stop()


def test_the_table_has_a_row_for_each_kind_and_faults_are_kept(tmp_path):
    tallies = run_campaign(tmp_path, ["self-test"], seed=3, seconds=None, cases=6)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(tallies).splitlines()]
    assert rows[0] == ["kind", "tried", "refused", "accepted", "crashed", "untyped", "timed out"]
    assert rows[2][:2] == ["self-test", "6"]
    assert rows[3] == ["all", *rows[2][1:]]
    bad = sum(map(int, rows[2][4:]))
    assert bad == len(tallies["self-test"].faults) > 0


def test_the_cases_of_a_kind_depend_on_the_seed_alone():
    first = [seed for _, seed in zip(range(5), seeds_of(1, "forged models"), strict=False)]
    assert first == [seed for _, seed in zip(range(5), seeds_of(1, "forged models"), strict=False)]
    assert first != [seed for _, seed in zip(range(5), seeds_of(2, "forged models"), strict=False)]
