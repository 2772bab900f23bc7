"""Builds the compiled modules; everything else about the package is in pyproject.toml.

PLAIT_DEBUG=1 turns bounds and initialisation checks back on; PLAIT_DEBUG=asan adds the sanitizers of addresses and of
undefined behaviour, which see what raw pointers do (run Python with LD_PRELOAD="$(gcc -print-file-name=libasan.so)"
ASAN_OPTIONS=detect_leaks=0).
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

DEBUG = os.environ.get("PLAIT_DEBUG", "") not in ("", "0")
SANITIZE = ["-fsanitize=address,undefined"] if os.environ.get("PLAIT_DEBUG") == "asan" else []

# Cython's support code for typed memoryviews, built once for all modules instead of into each of them: it is 170 kB,
# and takes three quarters of the compile time of a small module.
SHARED = "plait._cyutility"

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
    # no fused multiply-add, which ARM compilers use unasked: scores are the same to the last bit on all processors
    return ["-O1", "-g", "-UNDEBUG", *SANITIZE] if DEBUG else ["-O3", "-g0", "-ffp-contract=off"]


def link_arguments() -> list[str]:
    if DEBUG or os.name == "nt":
        return SANITIZE
    return ["-Wl,-x"] if sys.platform == "darwin" else ["-Wl,--strip-all"]


def extension(name: str, source: Path) -> Extension:
    return Extension(
        name,
        [source.as_posix()],
        include_dirs=["src/plait/core"],
        depends=[path.as_posix() for path in sorted(Path("src/plait/core").glob("*.h"))],
        extra_compile_args=compile_arguments(),
        extra_link_args=link_arguments(),
    )


def extensions() -> list[Extension]:
    found = {
        ".".join(path.relative_to("src").with_suffix("").parts): path for path in sorted(Path("src").rglob("*.pyx"))
    }
    return [extension(name, path) for name, path in {**found, SHARED: Path(f"src/{SHARED}.c")}.items()]


class BuildExtensions(build_ext):
    """Runs Cython when modules are compiled, and not whenever pip asks for metadata."""

    def run(self) -> None:
        from Cython.Build import cythonize

        generated = cythonize(
            self.extensions,
            compiler_directives=DIRECTIVES,
            include_path=["src"],
            build_dir=f"build/cython{'-debug' if DEBUG else ''}",  # an older tree of another kind is not mixed in
            shared_utility_qualified_name=SHARED,
            force=self.force,
            nthreads=cores() if sys.platform == "linux" else 0,  # processes, only where forking is safe
        )
        sources = {module.name: module.sources for module in generated}
        for module in self.extensions:
            module.sources = sources[module.name]
        super().run()


def cores() -> int:
    """How many this process may use: containers and task sets often give fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildExtensions},
    options={"build_ext": {"parallel": cores()}},
)
