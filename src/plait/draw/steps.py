"""The decisions of a model as one self-contained HTML page with the step controls of the web page."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from typing import Any

from plait.data.document import Sentence
from plait.draw.display import markup, visible
from plait.draw.page import FOOT, asset, page_head
from plait.draw.structure import shown_tags
from plait.errors import OptionError

_SCRIPTS = ("layout", "steps", "stepper", "traces", "tree", "ud", "words")
_STYLE = ".canvas { overflow-x: auto }\n.canvas svg { display: block; margin: 0 auto }\n"
_MAX_VALID = 6  # valid decisions that are shown for a step
_IMPORT = re.compile(r'from "\./(\w+)\.js"')


def trace_record(trace: Iterable[Any]) -> list[Any]:
    """A trace in plain values: an easy-first decision as an object, a transition as its name."""
    return [step if isinstance(step, str) else step._asdict() for step in trace]


def steps_page(sentences: Iterable[Sentence], title: str = "plait: step by step") -> str:
    """One page on which a click, or the button that plays, goes through the decisions of each sentence.

    >>> sentence = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"])
    >>> sentence.trace = ["SHIFT", "SHIFT", "LEFT-nsubj", "RIGHT-root"]
    >>> "LEFT-nsubj" in steps_page([sentence])
    True
    """
    records = [_record(sentence) for sentence in sentences]
    cards = "".join(
        f'<section class="sentence"><p>{markup(" ".join(record["forms"]))}</p>'
        '<div class="canvas"></div><div class="steps"></div></section>\n'
        for record in records
    )
    # the text of a script ends at the next "</": no word of a sentence may hold one
    data = json.dumps(records, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return (
        page_head(title, asset("tree.css") + _STYLE)
        + f"{cards}<noscript><p>Stepping through decisions needs JavaScript.</p></noscript>\n"
        + f'<script type="application/json" id="records">{data}</script>\n'
        + f'<script type="importmap">{json.dumps({"imports": _modules()})}</script>\n'
        + '<script type="module">import "plait/traces";</script>\n'
        + FOOT
    )


def _record(sentence: Sentence) -> dict[str, Any]:
    if sentence.trace is None and len(sentence):
        raise OptionError("this model does not support traces; the easyfirst and transition systems do")
    record = {
        "forms": [visible(form) for form in sentence.forms],
        "tags": list(shown_tags(sentence)),
        "ranges": [[r.start, r.end, r.form] for r in sentence.ranges],
        "trace": trace_record(sentence.trace or ()),
    }
    if getattr(sentence.trace, "knows_valid_sets", False):  # easy-first: what else could have been decided
        valid = sentence.trace.valid_sets(_MAX_VALID)  # type: ignore[union-attr]
        record["valid"] = [{"size": one.size, "best": trace_record(one.best)} for one in valid]
    return record


def _modules() -> dict[str, str]:
    """The scripts as data URLs, since modules inside one file cannot import each other by path."""
    scripts = {name: _IMPORT.sub(r'from "plait/\1"', asset(f"{name}.js")).encode() for name in _SCRIPTS}
    address = "data:text/javascript;base64,"
    return {f"plait/{name}": address + base64.b64encode(script).decode() for name, script in scripts.items()}
