"""MkDocs hooks: the documentation site has the repository's own pages, whose links work in both places.

On a repository host the README links to ``docs/formats.md`` and a page in ``docs`` to ``../benchmarks/...``. The site
is made of ``docs``, so that the pages beside it are added here and every link between files is turned into one between
pages. A link to a file that is no page goes to the repository if ``repo_url`` is set, and else becomes its text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
          "SECURITY.md": "security.md", "CODE_OF_CONDUCT.md": "conduct.md",
          "examples/README.md": "examples.md", "src/plait/models/README.md": "shipped.md"}  # fmt: skip

LINK = re.compile(r"(?<!\\)(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( {0,3})(```|~~~)", re.M)


def page_of(path: str) -> str | None:
    """The page of a file of the repository, both by their paths; None when it is no page.

    >>> page_of("README.md"), page_of("docs/formats.md"), page_of("benchmarks/crf/README.md"), page_of("setup.py")
    ('index.md', 'formats.md', 'benchmarks/crf/index.md', None)
    """
    if path in BESIDE:
        return BESIDE[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("benchmarks/") and path.endswith(".md"):
        return re.sub(r"README\.md$", "index.md", path)
    return None


def source_files() -> dict[str, str]:
    """The files outside of ``docs`` that become pages, by the path of the page."""
    files = [*BESIDE, *(p.relative_to(ROOT).as_posix() for p in sorted(ROOT.glob("benchmarks/**/*.md")))]
    return {page: file for file in files if (page := page_of(file)) is not None and (ROOT / file).is_file()}


def rewritten(markdown: str, file: str, repo_url: str | None = None) -> str:
    """The text of a file of the repository with the links of the site; code is left alone.

    >>> rewritten("[f](docs/formats.md#speed) [s](setup.py)", "README.md")
    '[f](formats.md#speed) s'
    >>> rewritten("[t](../benchmarks/results/tagger.md)", "docs/core.md")
    '[t](benchmarks/results/tagger.md)'
    """
    here = page_of(file) or file

    def turn(match: re.Match[str]) -> str:
        picture, text, target = match.groups()
        if re.match(r"[a-z]+:|#|/", target):
            return match[0]
        name, hash, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
        if (ROOT / path).is_dir() and (ROOT / path / "README.md").is_file():
            path = f"{path}/README.md"
        page = page_of(path)
        if page is not None:
            return f"{picture}[{text}]({posixpath.relpath(page, posixpath.dirname(here) or '.')}{hash}{anchor})"
        if not (ROOT / path).exists():
            return match[0]  # for the site's own check to find
        return f"{picture}[{text}]({repo_url.rstrip('/')}/{path}{hash}{anchor})" if repo_url else text

    pieces, code, fence = [], False, ""
    for line in markdown.splitlines(keepends=True):
        if found := FENCE.match(line):
            if not code:
                code, fence = True, found[2]
            elif found[2] == fence:
                code = False
        pieces.append(line if code or line.startswith("    ") else LINK.sub(turn, line))
    return "".join(pieces)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from beside ``docs``."""
    for page, file in source_files().items():
        files.append(File.generated(config, page, content=(ROOT / file).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn the links of one page."""
    file = source_files().get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return rewritten(markdown, file, config.repo_url)
