"""Greedy search asks only for the best labels of pairs, several pairs at once: it decides as all scores would."""

import random

import numpy as np
import pytest

from plait.core._weights import Weights
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features
from plait.features._lexicon import build_dictionary
from plait.features.templates import load_templates

TAGS, LABELS = 3, 4
FORMS = ["a", "b", "cc", "dd", "aab", "bc", "e", "ff"]


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 14, 15, 40])  # seven items are rescored together
@pytest.mark.parametrize("task", ["parser", "joint"])
def test_each_decision_is_the_best_of_all_that_are_valid(task: str, n: int) -> None:
    rng = random.Random(n)
    joint = task == "joint"
    features = Features(
        load_templates("OP+Syn", "easyfirst-tagging") if joint else (), load_templates("compact", "easyfirst-parsing")
    )
    tables = {"tags": Weights(TAGS), "arcs": Weights(2 + 2 * LABELS)}
    search = EasyFirst(
        features.tag_scoring(tables["tags"], build_dictionary([], TAGS, 2)) if joint else None,
        features.arc_scoring(tables["arcs"], LABELS, True),
        features.width,
        features.pad,
    )
    assert search.parsing.by_pair
    ties = 0
    for _ in range(6):
        forms = rng.choices(FORMS, k=n)
        given = None if joint else np.array(rng.choices(range(TAGS), k=n), dtype=np.uint16)
        *_, words, actions, scores = search.decode(features.reader().atoms(forms), given)
        made = list(zip(words.tolist(), actions.tolist(), strict=True))
        valid = search.valid_actions(features.reader().atoms(forms), given, made, 2)
        assert [(best[0][0], best[0][1], best[0][3]) for _, best in valid] == [
            (word, action, score) for (word, action), score in zip(made, scores.tolist(), strict=True)
        ]
        ties += sum(len(best) > 1 and best[0][3] == best[1][3] for _, best in valid)
        for word, action in made[::2]:  # whole numbers, so that there are ties between labels and between words
            is_tag = joint and action < TAGS
            keys = search.keys_of(features.reader().atoms(forms), given, [], word, -1 if is_tag else action % 2)
            for key in keys[keys != 0].tolist():
                table = tables["tags" if is_tag else "arcs"]
                table.update(key, rng.randrange(table.labels), float(rng.randint(-1, 1)))
    assert ties > 0 or n == 1
