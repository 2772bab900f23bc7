"""The files around the code: they agree on versions, name things that exist, and leave no public name undescribed."""

import inspect
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import plait
from plait.integrations import Annotator

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))  # none in the archive of a release
PUBLIC = [name for name in plait.__all__ if name != "__version__"]


def load_yaml(path: Path):
    return pytest.importorskip("yaml").safe_load(path.read_text(encoding="utf-8"))


def run_lines(step: dict) -> list[str]:
    return step.get("run", "").splitlines()


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def steps(request):
    jobs = load_yaml(request.param)["jobs"].values()
    return [step for job in jobs for step in [*job.get("steps", []), job]]


def test_actions_have_a_version_and_local_workflows_exist(steps):
    for used in filter(None, (step.get("uses") for step in steps)):
        versioned = re.fullmatch(r"[\w./-]+@(v[\d.]+|release/v1)", used)
        assert (ROOT / used).is_file() if used.startswith("./") else versioned, used


def test_workflows_run_what_there_is(steps):
    """Scripts and test files by their path; and nothing from outside is pasted into a command."""
    for line in (line for step in steps for line in run_lines(step)):
        assert "${{" not in line
        for path in re.findall(r"(?:^|\s)((?:\.ci|scripts|tests)/[\w./]+)", line):
            assert (ROOT / path).exists(), line
        if called := re.search(r"\.ci/run (\w+)", line):
            assert f'"$part" = {called[1]} ]' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_an_unknown_part_of_the_checks_is_refused():
    if (bash := shutil.which("bash")) is None:
        pytest.skip("no bash")
    done = subprocess.run([bash, str(ROOT / ".ci" / "run"), "test"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage: .ci/run [tests | docs FOLDER]" in done.stderr


def test_wheels_are_tested_with_what_there_is():
    wheels = PROJECT["tool"]["cibuildwheel"]
    for path in [*wheels["test-sources"], *re.findall(r"tests/\S+", " ".join(wheels["test-command"]))]:
        assert (ROOT / path).exists(), path
    named = {re.sub(r"t?-\*$", "", name) for name in wheels["build"]}
    stated = re.findall(r":: (3\.\d+)'", str(PROJECT["project"]["classifiers"]))
    assert named == {f"cp{version.replace('.', '')}" for version in stated}
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_the_citation_names_the_five_papers():
    citation = load_yaml(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors", "version", "date-released"} <= set(citation)
    papers = citation["references"]
    assert sorted((paper["authors"][0]["family-names"], paper["year"]) for paper in papers) == [
        ("Bohnet", 2012), ("Li", 2012), ("Ma", 2012), ("Ma", 2013), ("Qian", 2010),
    ]  # fmt: skip
    assert all(paper["type"] == "conference-paper" and paper["title"] and paper["conference"] for paper in papers)


# the notes of a release


def release_notes(root: Path, tag: str) -> subprocess.CompletedProcess[str]:
    script = root / "scripts" / "release_notes"
    return subprocess.run([sys.executable, str(script), tag], capture_output=True, encoding="utf-8", check=False)


@pytest.fixture
def copied(tmp_path):
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "scripts/release_notes", "src/plait/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_version_of_the_package_can_be_released(copied):
    done = release_notes(copied, f"v{plait.__version__}")
    assert done.returncode == 0, done.stderr
    assert done.stdout in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(done.stdout) > 500
    assert "\n## " not in done.stdout


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("pyproject.toml", 'version = "', 'version = "9', "pyproject.toml states version 9"),
        ("src/plait/__init__.py", '__version__ = "', '__version__ = "9', "__init__.py states version 9"),
        ("CITATION.cff", "\nversion: ", "\nversion: 9", "CITATION.cff states version 9"),
        ("CITATION.cff", "date-released: ", "date-released: 1", "CITATION.cff is dated 12"),
        ("CHANGELOG.md", f"## {plait.__version__}, ", f"## {plait.__version__}, not ", "no section"),
        ("CHANGELOG.md", f"## {plait.__version__}, ", "## 9.9.9, ", "no section"),
    ],
)
def test_what_disagrees_cannot_be_released(copied, file, old, new, message):
    text = (copied / file).read_text(encoding="utf-8")
    assert old in text
    (copied / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    done = release_notes(copied, f"v{plait.__version__}")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


# the reference of the Python interface


def members(thing: type) -> dict[str, object]:
    """What a class itself offers, under names without an underscore."""
    return {
        name: member
        for name, member in vars(thing).items()
        if not name.startswith("_")
        and (inspect.isroutine(member) or isinstance(member, (property, classmethod, staticmethod)))
    }


@pytest.mark.parametrize("thing", [*(getattr(plait, name) for name in PUBLIC), Annotator], ids=lambda t: t.__name__)
def test_every_public_name_has_a_docstring(thing):
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        for base in (base for base in thing.__mro__ if base.__module__.startswith("plait.")):
            assert not [name for name, member in members(base).items() if not inspect.getdoc(member)]


def test_every_public_name_is_in_the_reference():
    listed = re.findall(r"^::: plait\.(\w+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted([*PUBLIC, "posseg"])
