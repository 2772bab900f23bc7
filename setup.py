"""Builds the compiled core; everything else about the package is in pyproject.toml.

PLAIT_DEBUG=1 turns bounds and initialisation checks back on; PLAIT_DEBUG=asan adds the sanitizers of addresses and of
undefined behaviour, which see what raw pointers do (run Python with LD_PRELOAD="$(gcc -print-file-name=libasan.so)"
ASAN_OPTIONS=detect_leaks=0).
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("PLAIT_DEBUG", "") not in ("", "0")
SANITIZE = ["-fsanitize=address,undefined"] if os.environ.get("PLAIT_DEBUG") == "asan" else []

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": not DEBUG,
    "embedsignature": True,
}


def compile_arguments() -> list[str]:
    if os.name == "nt":
        return ["/Od" if DEBUG else "/O2"]
    return ["-O1", "-g", "-UNDEBUG", *SANITIZE] if DEBUG else ["-O3", "-g0"]


# Cython's support code for typed memoryviews, built once for all modules instead of into each of them: it is 170 kB,
# and takes three quarters of the compile time of a small module.
SHARED = "plait._cyutility"


def extensions() -> list[Extension]:
    found = sorted(Path("src").rglob("*.pyx"))
    shared = Extension(
        SHARED, ["src/plait/_cyutility.c"], extra_compile_args=compile_arguments(), extra_link_args=SANITIZE
    )
    return [shared] + [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [path.as_posix()],
            include_dirs=["src/plait/core"],
            depends=[p.as_posix() for p in Path("src/plait/core").glob("*.h")],
            extra_compile_args=compile_arguments(),
            extra_link_args=SANITIZE,
        )
        for path in found
    ]


# all cores: a build takes minutes on one (worker processes for Cython only where forking is safe)
CORES = os.cpu_count() or 1
setup(
    ext_modules=cythonize(
        extensions(),
        compiler_directives=DIRECTIVES,
        include_path=["src"],
        shared_utility_qualified_name=SHARED,
        nthreads=CORES if sys.platform == "linux" else 0,
    ),
    options={"build_ext": {"parallel": CORES}},
)
