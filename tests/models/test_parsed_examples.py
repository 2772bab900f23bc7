"""The texts that README, documentation and ``--help`` give to the shipped models are analysed correctly."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import plait
from plait.cli import parse
from plait.cli.main import COMMANDS, cli
from plait.models import choose_model

ROOT = Path(__file__).parents[2]
VALUED = {  # the options that are followed by a value
    name for option in parse.command.params if isinstance(option, click.Option) and not option.is_flag
    for name in option.opts
}  # fmt: skip

# text: UPOS, heads and relations by hand
GOLD = {
    "She reads.": ("PRON VERB PUNCT", "2 0 2", "nsubj root punct"),
    "She reads a book.": ("PRON VERB DET NOUN PUNCT", "2 0 4 2 2", "nsubj root det obj punct"),
    "She reads the old book.": ("PRON VERB DET ADJ NOUN PUNCT", "2 0 5 5 2 2", "nsubj root det amod obj punct"),
    "The girl who sings reads a book.": (
        "DET NOUN PRON VERB VERB DET NOUN PUNCT", "2 5 4 2 0 7 5 5", "det nsubj nsubj acl:relcl root det obj punct",
    ),
    "The old dog didn't see Mary's red house.": (
        "DET ADJ NOUN AUX PART VERB PROPN PART ADJ NOUN PUNCT", "3 3 6 6 6 0 10 7 10 6 6",
        "det amod nsubj aux advmod root nmod:poss case amod obj punct",
    ),
    "我们明天去北京。": ("PRON NOUN VERB PROPN PUNCT", "3 3 0 3 3", "nsubj obl:tmod root obj punct"),
}  # fmt: skip


def texts() -> list[str]:
    """What ``plait parse`` and ``/v1/parse`` are given where a shipped model answers."""
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))]
    helps = [CliRunner().invoke(cli, [name, "--help"]).output for name in COMMANDS]
    helps.append(CliRunner().invoke(cli, ["--help"]).output)
    found = []
    for line in "\n".join([*pages, *helps]).split("\n"):
        for command in re.findall(r"plait parse [^`|#]*", line):
            words = shlex.split(command)[2:]
            model = next((b for a, b in pairwise(words) if a in ("--model", "-m")), "en")
            given = [word for i, word in enumerate(words) if not word.startswith("-") and words[i - 1] not in VALUED]
            found += given if model in ("en", "zh") and "--input" not in words else []
        if "/v1/parse" in line and "curl" in line:
            found += re.findall(r'"text": "([^"]*)"|--data-binary \'([^\']*)\'', line)
    return sorted({text if isinstance(text, str) else "".join(text) for text in found})


@pytest.mark.parametrize("text", texts())
def test_an_example_is_analysed_correctly(text):
    assert text in GOLD, "annotate it here, or choose a sentence that is"
    (sentence,) = plait.load(choose_model(text))(text)
    upos, heads, deprels = (column.split() for column in GOLD[text])
    assert (sentence.upos, sentence.heads, sentence.deprels) == (upos, [int(head) for head in heads], deprels)


def test_examples_are_found():
    assert set(GOLD) <= set(texts())
