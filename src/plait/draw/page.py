"""Common parts of all HTML pages of plait: style, light and dark colour schemes, no external resources."""

from __future__ import annotations

from pathlib import Path

from plait.draw.display import markup

STATIC = Path(__file__).with_name("static")
FOOT = "</main>\n</body>\n</html>\n"

_DARK = ':root[data-theme="dark"]'
_BASE = """* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 var(--font) }
main { max-width: 76rem; margin: 0 auto; padding: 1rem clamp(12px, 3vw, 32px) 4rem }
h1 { font-size: 1.5rem; letter-spacing: -0.02em }
h2 { font-size: 1.15rem; margin: 0 0 .5rem }
a { color: var(--accent) }
section { margin-bottom: 14px; padding: 14px 18px; background: var(--paper); border: 1px solid var(--line);
  border-radius: var(--radius); box-shadow: var(--shadow) }
p, h3 { margin: 0 0 .75rem; overflow-wrap: anywhere }
small { color: var(--faint); font-family: var(--mono) }
.scroll { overflow-x: auto }
@media print { section { break-inside: avoid; box-shadow: none } }
"""


def asset(name: str) -> str:
    """The text of a style sheet or script of this package; the web page serves the same files."""
    return (STATIC / name).read_text(encoding="utf-8")


def page_head(title: str, style: str = "", *, language: str = "en") -> str:
    """The page up to its content; the colour scheme follows the browser settings, without a script."""
    light, dark = asset("colours.css").split(_DARK)
    colours = f"{light}@media (prefers-color-scheme: dark) {{ :root {dark.strip()} }}\n"
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{markup(title)}</title>\n<style>\n{colours}{_BASE}{style}</style>\n</head>\n<body>\n<main>\n"
    )
