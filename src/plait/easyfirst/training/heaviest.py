"""The features with the highest weights for tags and attachments, named from gold derivations of training sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from plait.core.tables import Arrays
from plait.data.document import Sentence
from plait.data.tags import shown_tag
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import AGREE, GUIDE, NEIGHBOUR, NODE, PAIR, Features, node_column, place_word
from plait.easyfirst.system import ARCS, TAGS
from plait.easyfirst.training.model import Example
from plait.features.feats import AGREEING, LEMMA, ONE, is_of_feats, value_of
from plait.features.heaviest import HeavyFeatures, Named
from plait.features.templates import Template
from plait.features.word_resources import show_word

SENTENCES = 1000  # looked at; features that do not show up in them stay unnamed
LEFT, RIGHT = 0, 1
BEYOND = "<none>"

Action = tuple[int, int]  # word, action


@dataclass
class Tree:
    """A partial analysis as templates see it."""

    word: int
    lefts: list[Tree] = field(default_factory=list)  # the nearest first
    rights: list[Tree] = field(default_factory=list)
    label: str = ""

    def size(self) -> int:
        """Words in it."""
        return 1 + sum(child.size() for child in (*self.lefts, *self.rights))


AGREEMENT = f"{ONE}{'+'.join(AGREEING)}"  # what the words of an agreement are shown by


@dataclass(frozen=True)
class Words:
    """A training sentence in words."""

    forms: Sequence[str]
    tags: Sequence[str]
    example: Example
    guide: Sequence[str] = ()  # another tagger's tags
    analysed: Sentence | None = None  # with FEATS and lemmas, where templates see them


def heaviest_features(
    search: EasyFirst,
    features: Features,
    weights: Mapping[str, Arrays],
    sentences: Iterable[Words],
    tags: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> Named:
    """For each tag and each (labelled) attachment its heaviest features."""
    tag_heavy, arc_heavy = HeavyFeatures(), HeavyFeatures(count=5)
    if TAGS in weights:
        tag_heavy.add_table(weights[TAGS], map(shown_tag, tags))
    if ARCS in weights:
        names = ("", *(f" {label}" for label in labels))
        arc_heavy.add_table(weights[ARCS], [f"attach_{side}{name}" for name in names for side in ("left", "right")])
    for words, _ in zip(sentences, range(SENTENCES), strict=False):
        if tag_heavy.unnamed:
            _show_tags(search, features, words, tag_heavy)
        if arc_heavy.unnamed:
            _show_arcs(search, features, words, arc_heavy, len(tags), labels)
    return tag_heavy.named() | arc_heavy.named()


def _show_tags(search: EasyFirst, features: Features, words: Words, heavy: HeavyFeatures) -> None:
    """Each word, when all others are tagged and nothing is attached."""
    gold = words.example.tags
    assert gold is not None
    steps = list(enumerate(gold.tolist()))
    for w in range(len(words.forms)):
        keys = search.keys_of(words.example.atoms, None, steps[:w] + steps[w + 1 :], w)
        heavy.name(keys.tolist(), _in_words(features.tag_order, _tag_value(words, w)))


def _show_arcs(
    search: EasyFirst, features: Features, words: Words, heavy: HeavyFeatures, tags: int, labels: Sequence[str]
) -> None:
    """Each attachment of a gold derivation."""
    example = words.example
    steps: list[Action] = [] if example.tags is None else list(enumerate(example.tags.tolist()))
    split = len(features.pair_order)
    for pending, place, direction, action in derivation(example, labels):
        keys = search.keys_of(example.atoms, example.given, steps, pending[place].word, direction).tolist()
        pair = _arc_value(words, pending, place - (direction == LEFT))
        heavy.name(keys[:split], _in_words(features.pair_order, pair))
        heavy.name(keys[split:], _in_words(features.item_order, _arc_value(words, pending, place)))
        steps.append((pending[place].word, tags + action))


def derivation(example: Example, names: Sequence[str] = ()) -> Iterator[tuple[list[Tree], int, int, int]]:
    """(pending list, place of the item to attach, direction, 2 · label + direction): leftmost first, to the gold tree.

    >>> import numpy as np
    >>> gold = Example(np.zeros((0, 0), np.uint64), heads=np.array([2, 0, 2], np.int32), labels=np.array([4, 0, 5]))
    >>> [(place, direction, action) for _, place, direction, action in derivation(gold)]
    [(0, 1, 9), (1, 0, 10)]
    """
    assert example.heads is not None
    assert example.labels is not None
    heads, labels = example.heads.tolist(), example.labels.tolist()
    missing = [heads.count(w + 1) for w in range(len(heads))]
    pending = [Tree(w) for w in range(len(heads))]
    while len(pending) > 1:
        for place, item in enumerate(pending):
            head = heads[item.word] - 1
            left = pending[place - 1].word if place > 0 else -1
            right = pending[place + 1].word if place + 1 < len(pending) else -1
            if missing[item.word] == 0 and head >= 0 and head in (left, right):
                direction = LEFT if head == left else RIGHT
                yield pending, place, direction, 2 * labels[item.word] + direction
                item.label = names[labels[item.word]] if names else ""
                over = pending[place - 1 if direction == LEFT else place + 1]
                (over.rights if direction == LEFT else over.lefts).append(item)
                missing[head] -= 1
                del pending[place]
                break
        else:
            return  # not projective: cannot be


def _in_words(order: Sequence[Template], value: Callable[[str], str]) -> Callable[[int], str]:
    return lambda k: " ".join(f"{atom}={value(atom)}" for atom in order[k].atoms)


def _tag_value(words: Words, w: int) -> Callable[[str], str]:
    def value(atom: str) -> str:
        if match := NEIGHBOUR.match(atom):
            at, column = w + int(match[1]), match[2]
            return _of_tree(words, Tree(at) if 0 <= at < len(words.forms) else None, column)
        column, offset = place_word(atom)
        at = w + offset
        if not 0 <= at < len(words.forms):
            return "<start>" if at < 0 else "<end>"
        if column in ("t", GUIDE):
            return (words.tags if column == "t" else words.guide)[at]
        return show_word(column, words.forms[at])

    return value


def _arc_value(words: Words, pending: Sequence[Tree], center: int) -> Callable[[str], str]:
    def tree(offset: str) -> Tree | None:
        at = center + int(offset)
        return pending[at] if 0 <= at < len(pending) else None

    def value(atom: str) -> str:
        if match := PAIR.match(atom):
            a, b = tree(match[2]), tree(match[4])
            if a is not None and b is not None and atom.startswith(AGREE):
                assert words.analysed is not None
                return "~".join(value_of(AGREEMENT, words.analysed.feats[x.word]) for x in (a, b))
            return BEYOND if a is None or b is None else str(b.word - a.word)
        match = NODE.match(atom)
        assert match is not None
        return _of_tree(words, tree(match[2]), node_column(match))

    return value


def _of_tree(words: Words, tree: Tree | None, column: str) -> str:
    """A column of a partial analysis, in words."""
    if tree is None:
        return BEYOND
    child, _, rest = column.partition(".")
    if rest:
        side = tree.lefts if child.startswith("l") else tree.rights
        back = 2 if child.endswith("2") else 1
        return _of_tree(words, side[-back] if len(side) >= back else None, rest)
    if column in ("vl", "vr"):
        return str(len(tree.lefts if column == "vl" else tree.rights))
    if column == "leaf":
        return "no" if tree.lefts or tree.rights else "yes"
    if column == "len":
        return str(tree.size())
    if column == "l":
        return tree.label
    if words.analysed is not None and column == LEMMA:
        return words.analysed.lemmas[tree.word]
    if words.analysed is not None and is_of_feats(column):
        return value_of(column, words.analysed.feats[tree.word])
    return words.tags[tree.word] if column == "t" else show_word(column, words.forms[tree.word])
