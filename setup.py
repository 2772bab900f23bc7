"""Builds the compiled core; everything else about the package is in pyproject.toml.

PLAIT_DEBUG=1 turns bounds, initialisation and overflow checks back on and keeps C assertions.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("PLAIT_DEBUG") == "1"

DIRECTIVES = {
    "language_level": 3,
    "freethreading_compatible": True,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "overflowcheck": DEBUG,
    "nonecheck": DEBUG,
    "cdivision": not DEBUG,
    "embedsignature": True,
}


def compile_arguments() -> list[str]:
    if os.name == "nt":
        return ["/Od" if DEBUG else "/O2"]
    return ["-O1", "-g", "-UNDEBUG"] if DEBUG else ["-O3"]


def extensions() -> list[Extension]:
    found = sorted(Path("src").rglob("*.pyx"))
    return [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [path.as_posix()],
            include_dirs=["src/plait/core"],
            depends=[p.as_posix() for p in Path("src/plait/core").glob("*.h")],
            extra_compile_args=compile_arguments(),
        )
        for path in found
    ]


setup(ext_modules=cythonize(extensions(), compiler_directives=DIRECTIVES, include_path=["src"]))
