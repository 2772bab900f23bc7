"""Two small models for the doors to other tools: one that parses given words, one that segments raw text."""

from pathlib import Path

import pytest

import plait


@pytest.fixture(scope="session")
def parser_file(tiny_file, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("parser") / "tiny.plait"
    plait.train("easyfirst-joint", train=tiny_file, epochs=8).save(path)
    return path


@pytest.fixture(scope="session")
def segmenter_file(tiny_file, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("segmenter") / "seg.plait"
    plait.train("crf-segmenter", train=tiny_file).save(path)
    return path
