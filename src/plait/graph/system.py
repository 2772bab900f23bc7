"""The graph-based systems in use: sentences in and out, and the model file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from plait.core._weights import Scorer
from plait.data.document import UNSPECIFIED, Sentence
from plait.errors import DataError
from plait.features.templates import stored_templates, template_texts
from plait.graph.arc_crf import ArcCrf
from plait.graph.chart import POS, SYN, ChartModel
from plait.graph.decoding import Analysis, Constraints, GraphDecoder
from plait.graph.features import GraphFeatures
from plait.graph.options import GraphJointOptions, GraphParserOptions
from plait.graph.pos_features import PosFeatures, sees_affixes
from plait.logs import logger
from plait.system import Arrays, Parts, System
from plait.system.modelparts import affix_arrays, joined_parts, open_affixes, open_group, table_parts
from plait.system.request import PLAIN, Request
from plait.trees.arc_labels import ArcLabels
from plait.trees.constraints import ArcConstraints
from plait.trees.guide import Guide, GuideTree, open_guide
from plait.trees.inner_tagger import ProbabilisticTagger, open_tagger, tagger_parts
from plait.trees.morphology import NO_SYSTEMS, Morphology, open_morphology
from plait.trees.tree import OPEN

ARC = "arc"  # the table of the first-order CRF


@dataclass(eq=False, repr=False)
class GraphSystem(System):
    """A tagger, a first-order CRF, and (except for the first-order parser) a chart over the pruned space."""

    joint: ClassVar[bool]
    arc_probabilities = True
    supports = frozenset({"scores", "constrain"})

    tagger: ProbabilisticTagger
    crf: ArcCrf
    chart: ChartModel | None
    guide: Guide | None = None
    morphology: Morphology = NO_SYSTEMS

    def __post_init__(self) -> None:
        self.labels = self.crf.labels
        self.decoder = GraphDecoder(self.options, self.tagger, self.crf, self.chart)

    @property
    def predicts(self) -> tuple[str, ...]:
        """Tags, FEATS and lemmas where it finds them, heads and labels."""
        return (*self.columns.columns, *self.morphology.predicts, "heads", "deprels")

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag and parse one sentence; with ``request.scores`` every token gets the probability of its arc and label.

        The probabilities are those of the first-order CRF, for second-order trees too. With ``request.constrain`` the
        tags, heads and labels that the sentence has stay as they are.
        """
        request.refuse(self.name, "dictionary")
        self._warn_of_length(sentence)
        self.analyse(sentence, request)

    def analyse(self, sentence: Sentence, request: Request = PLAIN) -> None:
        """``annotate_with`` without a warning where the sentence is too long for the chart."""
        if len(sentence) == 0:
            return
        given = self._constraints(sentence, request.constrain)
        labels = list(sentence.deprels) if request.constrain and not self.labels.labelled else []
        found = self.decoder.best(sentence.forms, given, guide=self._guide_tree(sentence), scores=request.scores)
        self._write(sentence, given, found)
        for i, label in enumerate(labels):
            if label != UNSPECIFIED:
                sentence.deprels[i] = label

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterator[Sentence]:
        """All analyses with their scores; exact within what pruning leaves.

        Some differ only in marks of lifting, and are equal after deprojectivization.
        """
        self._warn_of_length(sentence)
        given, guide = self._constraints(sentence, False), self._guide_tree(sentence)
        on_search = lambda: request.on_step(len(sentence))  # noqa: E731
        for found in self.decoder.best_in_order(sentence.forms, given, on_search, guide):
            twin = sentence.copy()
            self._write(twin, given, found)
            yield twin

    def _guide_tree(self, sentence: Sentence) -> GuideTree | None:
        """The guide's tree of a sentence, if there is a guide and a chart that uses it."""
        if self.guide is None or not self.decoder.uses_chart(len(sentence)):
            return None
        return self.guide.tree(sentence)

    def _warn_of_length(self, sentence: Sentence) -> None:
        if self.chart is not None and not self.decoder.uses_chart(len(sentence)):
            logger.warning(
                '"%s ..." has %d words, more than max_words (%d); it is parsed by the first-order model',
                " ".join(sentence.forms[:3]), len(sentence), self.options.max_words,
            )  # fmt: skip

    def _constraints(self, sentence: Sentence, constrain: bool) -> Constraints:
        tags = np.full(len(sentence), OPEN, dtype=np.int64)
        arcs = ArcConstraints.none(len(sentence))
        if constrain or (self.options.gold_tags and self.columns.given(sentence)):
            given = self.columns.read(sentence)
            is_open = np.array([tag == self.columns.open_tag for tag in given])
            tags = np.where(is_open, OPEN, self.crf.features.number(given).astype(np.int64))
            if self.joint and (unseen := np.flatnonzero(tags > len(self.tagger.tags))).size:
                raise DataError(
                    f'given tag "{given[unseen[0]]}" does not occur in the training data; leave it unspecified'
                )
        if constrain:
            arcs = ArcConstraints.of(sentence.heads, sentence.deprels, self.labels, strict=True)
        analysed = None
        if self.morphology.predicts:
            keep = constrain or self.options.gold_tags
            analysed = self.morphology.analysed(sentence if keep else sentence.bare(), keep=keep)
        return Constraints(tags, arcs, analysed)

    def _write(self, sentence: Sentence, given: Constraints, found: Analysis) -> None:
        names = (*self.tagger.tags, "", "")
        old = self.columns.read(sentence)
        tags = [names[t] if g != len(names) - 1 else o for t, g, o in zip(found.tags, given.tags, old, strict=True)]
        self.columns.write(sentence, tags)
        if given.analysed is not None:
            self.morphology.write(sentence, given.analysed)
        fixed = (given.arcs.heads >= 0).tolist()  # a given arc is not one that was lifted
        self.labels.write(sentence, found.tree.heads[1:].tolist(), found.tree.labels[1:].tolist(), fixed)
        sentence.score = found.score
        sentence.scores = found.scores

    def parts(self) -> Parts:
        """Labels, templates and weights, and the whole tagger."""
        header: dict[str, Any] = {
            "labels": self.labels.header(),
            "arc_templates": template_texts(self.crf.features.templates),
        }
        tables, arrays = {ARC: self.crf.weights}, {}
        if self.chart is not None:
            header["templates"] = template_texts(self.chart.features.templates)
            tables |= self.chart.tables
            if self.chart.pos is not None:
                header["pos_templates"] = template_texts(self.chart.pos.templates)
                arrays = affix_arrays(self.chart.pos.affixes)
        nested = table_parts(tables), tagger_parts("tagger", self.tagger), self.morphology.parts()
        return joined_parts((header, arrays), *nested, *([self.guide.parts()] if self.guide is not None else []))

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        tagger: ProbabilisticTagger = open_tagger("tagger", header, arrays)
        labels = ArcLabels.from_header(header["labels"])
        resources = tagger.resources  # all of the model look at the same ones
        stored = stored_templates(header["arc_templates"])
        morphology = open_morphology(header, arrays)
        if (morphology.tagger is not None) != (options.morphology == "on"):
            raise ValueError("the options and the model disagree on whether there is a tagger for FEATS")
        features = GraphFeatures(stored, tagger.tags, resources, second=False, morphology=morphology.seen)
        crf = ArcCrf(features, labels, open_group(ARC, header, arrays, len(labels.names)))
        if not cls.joint and options.order == 1:
            return cls(options, tagger, crf, None, morphology=morphology)
        tables: dict[str, Scorer] = {SYN: open_group(SYN, header, arrays, len(labels.names))}
        stored = stored_templates(header["templates"])
        guide = open_guide(options, header, arrays)
        second = options.order == 2
        features = GraphFeatures(
            stored, tagger.tags, resources, second=second, guided=guide is not None, morphology=morphology.seen
        )
        pos = None
        if cls.joint:
            tables[POS] = open_group(POS, header, arrays, len(tagger.tags))
            stored = stored_templates(header["pos_templates"])
            pos = PosFeatures(stored, resources, open_affixes(arrays) if sees_affixes(stored) else ())
        chart = ChartModel(features, labels, pos, tables)
        return cls(options, tagger, crf, chart, guide, morphology)


class GraphParser(GraphSystem):
    """A graph-based dependency parser with exact search and an internal tagger (Li et al. 2012)."""

    name = "graph-parser"
    Options = GraphParserOptions
    joint = False


class GraphJoint(GraphSystem):
    """A graph-based joint tagger and parser with exact search after pruning (Li et al. 2012)."""

    name = "graph-joint"
    Options = GraphJointOptions
    joint = True
