"""``transition-parser``: labelled non-projective parsing by beam search over transitions, with a tagger of its own.

The k = 1 system of Bohnet & Nivre (2012): the tagger decides the tags, the parser the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from plait.chain.options import CrfTaggerOptions, PerceptronTaggerOptions
from plait.chain.perceptron_tagger import PerceptronTagger
from plait.core._weights import Scorer
from plait.core.tables import new_table, open_table
from plait.data.document import Sentence
from plait.data.given import Given
from plait.data.tags import TagColumns
from plait.data.trees import with_trees
from plait.errors import ModelError, OptionError
from plait.features.clusters import read_clusters, with_clusters
from plait.features.templates import load_templates, united
from plait.learn.dropout import WordDropout
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.options import Needs, option
from plait.system import Parts, System
from plait.system.modelparts import (
    cluster_arrays,
    nested_parts,
    open_clusters,
    open_labels,
    open_nested,
    read_tagset,
    table_parts,
    under,
)
from plait.system.request import PLAIN, Request
from plait.system.shared_options import LEARNERS, OnlineOptions
from plait.transition._filter import LabelFilter
from plait.transition._oracle import LEFT, SHIFT, SWAP
from plait.transition._search import UPDATES, TransitionSearch
from plait.transition.candidates import (
    Candidates,
    Numbers,
    Tagger,
    TaggerOptions,
    best_tags,
    fit_tagger,
    given_tags,
    jackknifed_tags,
    open_tagger,
    restricted,
)
from plait.transition.features import TransitionFeatures
from plait.transition.labels import arcs_between, build_filter, tag_classes
from plait.transition.morphology import FEATS, Morphology, check_feats
from plait.transition.training import ARCS, TAGS, TransitionInTraining, make_example

TAGGERS = ("auto", "crf", "perceptron")
MOST_CRF_TAGS = 100  # its cost grows with the square of the tags
FEATS_FOLDS = 5  # at most, for a tagger of so many tags takes its time
COMPETING_TAGS = 16  # of a word, in the perceptron tagger of a larger tag set

# tags, heads, labels, score, transitions with the candidate tag of each
Decoded = tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32], npt.NDArray[np.uint16], float, list[tuple[int, int]]]


@dataclass(frozen=True)
class TransitionOptions(OnlineOptions):
    """What both transition systems can be told."""

    learner: str = option("pa", "how weights move", choices=LEARNERS)
    epochs: int = option(25, "passes over the training data; with --dev the best one is kept", minimum=1)
    beam: int = option(40, "hypotheses with distinct trees kept at each step (b1)", minimum=1, maximum=4096)
    update: str = option(
        "max-violation", "where weights move: where gold is farthest behind, or as soon as it is lost", choices=UPDATES
    )
    word_dropout: float = option(
        3.0, "in training a word seen n times is hidden with probability x / (x + n): its tag and affixes learn to "
        "speak for it, as they must for unknown words",
        minimum=0.0, maximum=100.0,
    )  # fmt: skip
    oracle: str = option("lazy", "when gold transitions swap: late or as early as possible", choices=("lazy", "eager"))
    tag: str = option("upos", "tag columns: upos, xpos, feats, or several joined by +")
    templates: str = option(
        "", "feature set: ZN11, default, endings, compact, morphology, or a table FILE or FILE:SET; empty: morphology "
        "for tags with parts, else default",
    )  # fmt: skip
    graph_features: bool = option(False, "score factors of two and three arcs as soon as they are complete (G)")
    graph_templates: str = option(
        "default", "with --graph-features: second, factors, default, zh, en, or a table FILE or FILE:SET",
        needs=Needs("--graph-features", lambda o: o.graph_features),
    )  # fmt: skip
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features (C)")
    morphology: bool = option(
        False,
        "train a tagger of FEATS too: they are written, and case, verb form and agreement help to parse",
    )
    folds: int = option(10, "jackknife folds for the tags of the training data", minimum=2)
    tagger: str = option(
        "auto", "tagger inside: a CRF, or a perceptron for more tags than a CRF has time for", choices=TAGGERS
    )
    tagger_templates: str = option("general", "feature set of the tagger inside, as for crf-tagger")
    tagger_epochs: int = option(8, "passes over the training data for the tagger inside", minimum=1)
    tagger_lasso: float = option(
        0.0, "pull of the tagger's weights towards 0: 0.1 stores the tagger in a tenth of the space", minimum=0.0
    )
    check: bool = option(False, "assert that every update is valid")


@dataclass(frozen=True)
class TransitionParserOptions(TransitionOptions):
    """The options of ``transition-parser``."""

    gold_tags: bool = option(False, "train on the tags of the treebank, and use those that the input has")


class TransitionParser(System):
    """A parser of any tree, projective or not, with a tagger of its own (Bohnet & Nivre 2012)."""

    name = "transition-parser"
    grants = frozenset({"scores", "constrain"})
    Options: ClassVar[type] = TransitionParserOptions

    def __init__(
        self,
        options: Any,
        features: TransitionFeatures,
        weights: Mapping[str, Scorer],
        labels: Sequence[str],
        label_filter: LabelFilter,
        tagger: Tagger,
        morphology: Morphology | None,
        training: dict[str, Any],
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.features = features
        self.weights = dict(weights)
        self.labels = tuple(labels)
        self.filter = label_filter
        self.tagger = tagger
        self.morphology = morphology
        self.training = training
        self._number = {tag: i for i, tag in enumerate(tagger.tags)}
        self._classes = tag_classes(tagger.tags)
        self._search = self._make_search(options, features, weights, label_filter, tagger.tags)
        self._action_names = [self.action_name(action) for action in range(LEFT + 2 * len(self.labels))]

    @property
    def predicts(self) -> tuple[str, ...]:
        """Tags, heads and labels."""
        feats = ("feats",) if self.morphology is not None else ()
        return (*self.columns.columns, *feats, "heads", "deprels")

    @classmethod
    def _tag_options(cls, options: Any) -> tuple[int, float, int]:
        """k, α and b2."""
        return 1, 0.0, 0

    @classmethod
    def _make_search(
        cls,
        options: Any,
        features: TransitionFeatures,
        weights: Mapping[str, Scorer],
        label_filter: LabelFilter,
        tags: Sequence[str],
    ) -> TransitionSearch:
        compound = len(TagColumns(options.tag).columns) > 1
        beam_tags = cls._tag_options(options)[2]
        return features.search(weights, label_filter, tag_classes(tags), compound, options.beam, beam_tags)

    @classmethod
    def _features(cls, task: TrainingTask, options: Any) -> TransitionFeatures:
        default = "morphology" if len(TagColumns(options.tag).columns) > 1 else "default"
        graph = load_templates(options.graph_templates, "transition-graph") if options.graph_features else ()
        arcs = load_templates(options.templates or default, "transition")
        clusters = read_clusters(options.clusters, task.files)
        arcs = with_clusters(arcs, clusters, "default", "transition-clusters")
        if options.morphology:
            if "feats" in TagColumns(options.tag).columns:
                raise OptionError(f"--morphology with --tag {options.tag}: those tags have it already; leave one out")
            arcs = united(arcs, load_templates("default", "transition-morphology"))
        return TransitionFeatures(arcs, (), graph, clusters, options.morphology)

    @classmethod
    def fit(cls, task: TrainingTask, options: Any) -> Self:
        """Train the tagger, tag the training data by jackknifing, train the parser on that."""
        features = cls._features(task, options)
        columns = TagColumns(options.tag)
        train, dev = with_trees(task.train), [s for s in task.dev if len(s)]
        if options.morphology:
            check_feats(train)
        tagger = fit_tagger(task, tagger_options(task, options))
        number = {tag: i for i, tag in enumerate(tagger.tags)}
        labels = sorted({label for sentence in train for label in sentence.deprels})
        label_number = {label: i for i, label in enumerate(labels)}
        classes = tag_classes(tagger.tags)
        dropout = WordDropout(train, options.word_dropout, task.seed)
        training_tags = cls._training_tags(task, train, options, tagger, number)
        morphology, training_feats = cls._fit_morphology(task, train, options)
        examples = []
        seen: set[tuple[int, int, int]] = set()
        for sentence, candidates, feats in zip(train, training_tags, training_feats, strict=True):
            gold = [number[tag] for tag in columns.read(sentence)]
            arc_labels = [label_number[label] for label in sentence.deprels]
            atoms = features.atoms(sentence.forms, classes[candidates.tags[:, 0]], feats)
            hidden, lazy = dropout.chances(sentence.forms), options.oracle == "lazy"
            examples.append(make_example(atoms, candidates, gold, sentence.heads, arc_labels, lazy, hidden))
            used = candidates.tags[np.arange(len(gold)), candidates.choices(gold)]
            for numbers in (gold, used):
                seen |= arcs_between(classes[numbers].tolist(), sentence.heads, arc_labels)
        label_filter = build_filter(int(classes.max()) + 1, len(labels), seen)
        tables = {ARCS: new_table(options.table, 2 + 2 * len(labels), options.hash_bits)}
        if cls._tag_options(options)[0] > 1:
            tables[TAGS] = new_table(options.table, len(tagger.tags), options.hash_bits)

        def search(weights: Mapping[str, Scorer]) -> TransitionSearch:
            return cls._make_search(options, features, weights, label_filter, tagger.tags)

        model = TransitionInTraining(search, tables, options.update, options.check, dropout)
        held_out = []
        for s in dev:
            c = cls._candidates(options, tagger, number, s)
            found = None if morphology is None else morphology.atoms(morphology.numbers(s, gold=uses_gold(options)))
            held_out.append((s, features.atoms(s.forms, classes[c.tags[:, 0]], found), c))

        def measure(weights: Mapping[str, Scorer]) -> Outcome:
            decoder, outcome = search(weights), Outcome("tlas", "las", "uas", "tags")
            for sentence, atoms, c in held_out:
                tags, heads, arcs, _, _ = decoder.decode(atoms, c.tags, c.counts, c.bins)
                outcome.add(
                    tags=(columns.read(sentence), [tagger.tags[t] for t in tags.tolist()]),
                    heads=(sentence.heads, heads.tolist()),
                    labels=(sentence.deprels, [labels[label] for label in arcs.tolist()]),
                )
            return outcome

        frozen, _, training = fit_online(task, options, model, examples, measure if dev else None, cls._decides())
        training["tagger"] = tagger.training
        if morphology is not None:
            training["morphology"] = morphology.tagger.training
        return cls(options, features, frozen, labels, label_filter, tagger, morphology, training)

    @classmethod
    def _fit_morphology(
        cls, task: TrainingTask, train: Sequence[Sentence], options: Any
    ) -> tuple[Morphology | None, Sequence[npt.NDArray[np.uint64] | None]]:
        """The tagger of FEATS, if there is to be one, and what templates see of the training data."""
        if not options.morphology:
            return None, [None] * len(train)
        chosen = PerceptronTaggerOptions(
            epochs=options.tagger_epochs,
            tag="feats",
            limit=COMPETING_TAGS,
            bits=options.bits,
            prune=options.prune,
            slack=options.slack,
        )
        morphology = Morphology.fit(task, chosen)
        if uses_gold(options):
            numbers = [morphology.numbers(sentence, gold=True) for sentence in train]
        else:
            numbers = morphology.jackknifed(task, train, min(options.folds, FEATS_FOLDS))
        return morphology, [morphology.atoms(row) for row in numbers]

    @classmethod
    def _decides(cls) -> str:
        """The dev score that chooses the epoch."""
        return "las"

    @classmethod
    def _training_tags(
        cls,
        task: TrainingTask,
        train: Sequence[Sentence],
        options: Any,
        tagger: Tagger,
        number: Mapping[str, int],
    ) -> list[Candidates]:
        """Candidate tags of the training data."""
        k, alpha, _ = cls._tag_options(options)
        if len(train) < 2 or uses_gold(options):
            columns = TagColumns(options.tag)
            return [given_tags([number[tag] for tag in columns.read(s)]) for s in train]
        found = jackknifed_tags(task, train, tagger_options(task, options), tagger, options.folds)
        return [tags.within(k, alpha) for tags in found]

    @classmethod
    def _candidates(cls, options: Any, tagger: Tagger, number: Mapping[str, int], sentence: Sentence) -> Candidates:
        """Candidate tags of a new sentence; with gold tags those it has, where the tagger knows them."""
        k, alpha, _ = cls._tag_options(options)
        columns = TagColumns(options.tag)
        if not uses_gold(options) or not columns.given(sentence):
            return best_tags(tagger.tag_probabilities(sentence.forms), k, alpha)
        given = columns.read(sentence)
        if all(tag in number for tag in given):
            return given_tags([number[tag] for tag in given])
        guessed = best_tags(tagger.tag_probabilities(sentence.forms), 1, 0.0).tags[:, 0].tolist()
        return given_tags([number.get(tag, guess) for tag, guess in zip(given, guessed, strict=True)])

    def annotate(self, sentence: Sentence) -> None:
        """Tag and parse one sentence; ``sentence.trace`` lists the transitions."""
        if len(sentence) == 0:
            return
        c = self._candidates(self.options, self.tagger, self._number, sentence)
        feats = self._feats(sentence, gold=uses_gold(self.options))
        self._write(sentence, self._search.decode(self._atoms(sentence, c, feats), c.tags, c.counts, c.bins), feats)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` every token gets the tagger's probability of its tag.

        With ``request.constrain`` the tags, heads and labels that the sentence has stay. Where the beam ends without
        such a tree, the one that was found without them is changed as far as they ask for it.
        """
        request.refuse(self.name, "dictionary")
        if len(sentence) == 0:
            return
        p = self.tagger.tag_probabilities(sentence.forms)
        if not request.constrain:
            self.annotate(sentence)
        else:
            given = Given(sentence, self.predicts)
            k, alpha, _ = self._tag_options(self.options)
            agreeing = self.columns.agreeing(sentence, self.tagger.tags)
            c = best_tags(restricted(p, agreeing), k, alpha)
            number = {label: i for i, label in enumerate(self.labels)}
            heads = np.array(given.heads, dtype=np.int32)
            labels = np.array([number.get(label, -1) for label in given.labels], dtype=np.int32)
            feats = self._feats(sentence, keep=True)
            atoms = self._atoms(sentence, c, feats)
            found = self._search.decode(atoms, c.tags, c.counts, c.bins, heads, labels)
            self._write(sentence, found or self._search.decode(atoms, c.tags, c.counts, c.bins), feats)
            given.restore(sentence)
        if request.scores:
            tags = [self._number.get(tag, -1) for tag in self.columns.read(sentence)]
            sentence.scores = [float(row[t]) if t >= 0 else 0.0 for row, t in zip(p, tags, strict=True)]

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """What stands in the beam at the end, best first: as many analyses as it has room for at most.

        They differ in tags, heads or labels; the first is what ``annotate`` gives.
        """
        if len(sentence) == 0:
            return [sentence.copy()]
        request.watch(len(sentence))
        c = self._candidates(self.options, self.tagger, self._number, sentence)
        feats = self._feats(sentence, gold=uses_gold(self.options))
        twins = []
        for found in self._search.analyses(self._atoms(sentence, c, feats), c.tags, c.counts, c.bins, count):
            twins.append(sentence.copy())
            self._write(twins[-1], found, feats)
        return twins

    def _feats(self, sentence: Sentence, *, gold: bool = False, keep: bool = False) -> Numbers | None:
        return None if self.morphology is None else self.morphology.numbers(sentence, gold=gold, keep=keep)

    def _atoms(self, sentence: Sentence, candidates: Candidates, feats: Numbers | None) -> npt.NDArray[np.uint64]:
        seen = None if self.morphology is None or feats is None else self.morphology.atoms(feats)
        return self.features.atoms(sentence.forms, self._classes[candidates.tags[:, 0]], seen)

    def _write(self, sentence: Sentence, found: Decoded, feats: Numbers | None) -> None:
        tags, heads, labels, score, steps = found
        gold = uses_gold(self.options)
        if self.morphology is not None and feats is not None and not (gold and FEATS.given(sentence)):
            self.morphology.write(sentence, feats)
        if not (gold and self.columns.given(sentence)):
            self.columns.write(sentence, [self.tagger.tags[t] for t in tags.tolist()])
        sentence.set_tree(heads.tolist(), [self.labels[label] for label in labels.tolist()])
        sentence.score = score
        sentence.trace = [self._action_names[action] for action, _ in steps]

    def action_name(self, action: int) -> str:
        """``SHIFT``, ``SWAP``, ``LEFT-nsubj``, ``RIGHT-obj``."""
        if action in (SHIFT, SWAP):
            return "SHIFT" if action == SHIFT else "SWAP"
        return f"{'LEFT' if action % 2 == LEFT % 2 else 'RIGHT'}-{self.labels[(action - LEFT) // 2]}"

    def parts(self) -> Parts:
        """Labels, their filter, templates and weights, and the whole tagger."""
        header: dict[str, Any] = {"labels": list(self.labels), **self.features.header()}
        arrays: dict[str, npt.NDArray[Any]] = {f"filter.{n}": array for n, array in self.filter.arrays().items()}
        arrays |= cluster_arrays(self.features.clusters)
        table_header, table_arrays = table_parts(self.weights)
        inner, inner_arrays = nested_parts("tagger", self.tagger)
        if self.morphology is not None:
            more, more_arrays = nested_parts("morphology", self.morphology.tagger)
            inner |= more
            inner_arrays |= more_arrays
        return header | table_header | inner, arrays | table_arrays | inner_arrays

    @classmethod
    def from_parts(cls, options: Any, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Put a parser together from a model file."""
        try:
            labels = open_labels(header["labels"])
            tagger = open_tagger(header, arrays)
            if tagger.options.tag != options.tag:
                raise ValueError(f"a tagger of {tagger.options.tag} for a parser of {options.tag}")
            classes = int(tag_classes(tagger.tags).max()) + 1
            known = {name: arrays[f"filter.{name}"] for name in ("starts", "known")}
            label_filter = LabelFilter(classes, len(labels), known["starts"], known["known"])
            groups = (ARCS, TAGS) if cls._tag_options(options)[0] > 1 else (ARCS,)
            weights = {g: open_table(header["tables"][g], under(f"{g}.", arrays)) for g in groups}
            morphology = None
            if options.morphology:
                morphology = Morphology(open_nested("morphology", PerceptronTagger, header, arrays))
                if morphology.tagger.options.tag != "feats" or "feats" in TagColumns(options.tag).columns:
                    raise ValueError("a tagger of FEATS that finds something else, or what the other one finds")
            features = TransitionFeatures.from_header(header, open_clusters(arrays), options.morphology)
            training = dict(header.get("training", {}))
            return cls(options, features, weights, labels, label_filter, tagger, morphology, training)
        except (KeyError, TypeError, ValueError, AttributeError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error


def uses_gold(options: Any) -> bool:
    """Whether tags of the treebank and of the input are taken as they are; the joint system finds its own."""
    return bool(getattr(options, "gold_tags", False))


def tagger_options(task: TrainingTask, options: TransitionOptions) -> TaggerOptions:
    """The tagger inside: a CRF for tag sets of ordinary size, since its probabilities are exact.

    It does not look at clusters: surer of itself with them, it left fewer candidates, and the joint search lost more
    than the tagger had gained.
    """
    kind = options.tagger
    if kind == "auto":
        kind = "crf" if len(read_tagset(task.train, TagColumns(options.tag))) <= MOST_CRF_TAGS else "perceptron"
    if kind == "perceptron":
        return PerceptronTaggerOptions(
            epochs=options.tagger_epochs,
            tag=options.tag,
            templates=options.tagger_templates,
            limit=COMPETING_TAGS,
            bits=options.bits,
            prune=options.prune,
            slack=options.slack,
        )
    small: dict[str, Any] = {"bits": max(16, options.bits)}  # nothing watches over a tagger of 8 bits
    if options.tagger_lasso:
        small = {"lasso": options.tagger_lasso} | ({"prune_below": 0.05, "bits": 8} if options.prune else small)
    return CrfTaggerOptions(
        optimizer="adagrad",
        epochs=options.tagger_epochs,
        tag=options.tag,
        templates=options.tagger_templates,
        **small,
    )
