"""What ``graph-parser`` and ``graph-joint`` share: a tagger and a first-order CRF inside, pruning, the exact chart."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf_tagger import CrfTagger
from plait.core._weights import Scorer
from plait.core.tables import new_table, open_table
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.projectivity import is_marked
from plait.data.tags import TagColumns
from plait.errors import DataError, ModelError, OptionError
from plait.features._lexicon import build_affix_tags
from plait.features.clusters import read_clusters
from plait.features.templates import stored_templates
from plait.graph.crf import ArcCrf
from plait.graph.features import Encoded, GraphFeatures, arc_templates, template_set
from plait.graph.given import Given
from plait.graph.groundwork import Groundwork, Matrix, Tags, lay_groundwork, one_hot
from plait.graph.kbest import first_distinct
from plait.graph.pruning import Candidates, Keep, PruningReport, keep_arcs
from plait.graph.tagging import PosFeatures, pos_templates, sees_affixes
from plait.graph.training import POS, SYN, ChartInTraining, ChartModel, Example, Space
from plait.graph.trees import ArcLabels, Tree
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.logs import logger
from plait.system import Parts, System
from plait.system.modelparts import affix_arrays, nested_parts, open_affixes, open_nested, table_parts, under
from plait.system.request import PLAIN, Request

ARC = "arc"  # the table of the first-order CRF


@dataclass(frozen=True)
class Analysis:
    """Tags, tree and score of a sentence; with probabilities, that of each word's arc and label."""

    tags: Tags
    tree: Tree
    score: float
    scores: list[float] | None


@dataclass(frozen=True)
class FirstOrder:
    """What tagger and first-order model say of a sentence; the chart begins where they end."""

    p_tags: Matrix
    best: npt.NDArray[Any]  # tags: the given ones, else the most probable
    encoded: Encoded
    allowed: Keep | None  # the arcs that given heads leave; None: all
    tree: Tree
    score: float
    p_arcs: Matrix | None  # where they were asked for


class GraphSystem(System):
    """A tagger, a first-order CRF, and (but for the first-order parser) a chart over what these two leave."""

    joint: ClassVar[bool]
    grants = frozenset({"scores", "constrain"})

    def __init__(
        self, options: Any, tagger: CrfTagger, crf: ArcCrf, chart: ChartModel | None, training: dict[str, Any]
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.tagger = tagger
        self.crf = crf
        self.chart = chart
        self.labels = crf.labels
        self.training = training

    @property
    def predicts(self) -> tuple[str, ...]:
        """Heads and labels, and the tags."""
        return (*self.columns.columns, "heads", "deprels")

    @classmethod
    @abstractmethod
    def uses_gold_tags(cls, options: Any) -> bool:
        """Whether tags of the input are taken as they are."""

    @classmethod
    def projective(cls, options: Any) -> bool:
        """Whether trees are projective inside; only a first-order parser has the choice."""
        return True

    # training

    @classmethod
    def fit(cls, task: TrainingTask, options: Any) -> Self:
        """Train the tagger and the first-order CRF, jackknife both over the training data, train the chart on that."""
        first_order = options.order == 1 and not cls.joint
        if first_order and task.checkpoint is not None:
            raise OptionError(
                "the first-order parser keeps no checkpoints, its training is short; leave --checkpoint out"
            )
        if not first_order:
            # faults are told before the work begins
            clusters = read_clusters(options.clusters, task.files)
            GraphFeatures(arc_templates(template_set(options.templates, task.train), clusters), ["X"], clusters)
            if cls.joint:
                PosFeatures(pos_templates(options.pos_templates, clusters), clusters)
        dev = [s for s in task.dev if len(s)]

        def measure(tagger: CrfTagger, crf: ArcCrf) -> dict[str, float]:
            return cls(options, tagger, crf, None, {}).measure(dev).scores

        ground = lay_groundwork(
            task,
            options,
            gold_tags=cls.uses_gold_tags(options),
            projective=cls.projective(options),
            arcs=not first_order,
            measure=measure if dev and first_order else None,
            decides=cls.decides(options),
            on_epoch=task.on_epoch if first_order else lambda record: None,
        )
        if not first_order:
            return cls.fit_chart(ground, task, options)
        scores = measure(ground.tagger, ground.crf) if dev else {}
        training = ground.record | {"dev": scores, "tagger": ground.tagger.training}
        return cls(options, ground.tagger, ground.crf, None, training)

    @classmethod
    def fit_chart(cls, ground: Groundwork, task: TrainingTask, options: Any) -> Self:
        """Train a chart on a groundwork; many can stand on the same one."""
        system = cls(options, ground.tagger, ground.crf, None, {})
        labels, tags = system.labels, ground.tagger.tags
        clusters = ground.tagger.clusters
        chosen = arc_templates(template_set(options.templates, ground.train), clusters)
        features = GraphFeatures(chosen, tags, clusters, second=options.order == 2)
        pos = None
        if cls.joint:
            tagged = [(s.forms, right.tolist()) for s, right in zip(ground.train, ground.tags, strict=True)]
            affixes = [build_affix_tags(tagged, last) for last in (False, True)]
            pos = PosFeatures(pos_templates(options.pos_templates, clusters), clusters, affixes)
        tables = {SYN: new_table(options.table, len(labels.names), options.hash_bits)}
        if cls.joint:
            tables[POS] = new_table(options.table, len(tags), options.hash_bits)
        model = ChartInTraining(features, labels, pos, tables, options.augment)
        report = PruningReport()
        examples = list(system._examples(ground, features, pos, report))
        task.on_epoch(report)
        dev = [s for s in task.dev if len(s)]

        def measure(tables: Mapping[str, Scorer]) -> Outcome:
            system.chart = ChartModel(features, labels, pos, tables)
            return system.measure(dev)

        held_out = measure if dev else None
        frozen, _, training = fit_online(task, options, model, examples, held_out, cls.decides(options))
        training |= {"pruning": report.to_dict(), "first_order": ground.record, "tagger": ground.tagger.training}
        return cls(options, ground.tagger, ground.crf, ChartModel(features, labels, pos, frozen), training)

    def _examples(
        self, ground: Groundwork, features: GraphFeatures, pos: PosFeatures | None, report: PruningReport
    ) -> Iterator[Example]:
        """The training sentences in their pruned spaces; gold is always within reach."""
        options = self.options
        for sentence, right, tree, p_tag, (p_arc, heads) in zip(
            ground.train, ground.tags, ground.trees, ground.p_tags, ground.p_arcs, strict=True
        ):
            chosen = self._candidate_tags(p_tag)
            keep = keep_arcs(p_arc, options.prune_arcs, heads, options.max_heads if options.prune_arcs > 0 else 0)
            report.add(chosen, right.tolist(), keep, tree.heads)
            if len(sentence) > options.max_words:
                continue
            keep[tree.heads[1:], np.arange(1, len(keep))] = 1
            if self.joint:
                for word, tag in zip(chosen, right.tolist(), strict=True):
                    if tag not in word:
                        word.append(tag)
            else:
                right = np.array([word[0] for word in chosen], dtype=np.uint16)
            best = p_tag.argmax(axis=1)
            candidates = Candidates.of(chosen, len(ground.tagger.tags))
            atoms = pos.atoms(sentence.forms, best) if pos is not None else None
            yield Example(Space(features.encode(sentence.forms, best), candidates, keep, atoms), right, tree)

    def measure(self, dev: Sequence[Sentence]) -> Outcome:
        """Analyse held-out data; ``decides`` names the score that chooses the best epoch."""
        outcome = Outcome(*(("las", "uas") if self.labels.labelled else ("uas",)), *(("tags",) if self.joint else ()))
        for sentence in dev:
            found = sentence.copy() if self.uses_gold_tags(self.options) else sentence.bare()
            self._annotate(found, PLAIN)
            outcome.add(
                tags=(self.columns.read(sentence), self.columns.read(found)),
                heads=(sentence.heads, found.heads),
                labels=(sentence.deprels, found.deprels),
            )
        return outcome

    @staticmethod
    def decides(options: Any) -> str:
        """The dev score that chooses the best epoch."""
        return "las" if options.labeled else "uas"

    # use

    def annotate(self, sentence: Sentence) -> None:
        """Tag and parse one sentence."""
        self.annotate_with(sentence, PLAIN)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag and parse one sentence; with ``request.scores`` every token gets the probability of its arc and label.

        The probabilities are those of the first-order CRF, for second-order trees too. With ``request.constrain`` the
        tags, heads and labels that the sentence has stay as they are.
        """
        request.refuse(self.name, "dictionary")
        self._notice(sentence)
        self._annotate(sentence, request)

    def _notice(self, sentence: Sentence) -> None:
        if self.chart is not None and len(sentence) > self.options.max_words:
            logger.warning(
                '"%s ..." has %d words, more than %d (max_words); it gets the tree of the first-order model',
                " ".join(sentence.forms[:3]), len(sentence), self.options.max_words,
            )  # fmt: skip

    def _annotate(self, sentence: Sentence, request: Request) -> None:
        if len(sentence) == 0:
            return
        given = self._given(sentence, request.constrain)
        labels = list(sentence.deprels) if request.constrain and not self.labels.labelled else []
        self._write(sentence, given, self.analyse(sentence.forms, given, scores=request.scores))
        for i, label in enumerate(labels):
            if label != UNSPECIFIED:
                sentence.deprels[i] = label

    def _write(self, sentence: Sentence, given: Given, found: Analysis) -> None:
        names = (*self.tagger.tags, "", "")
        old = self.columns.read(sentence)
        tags = [names[t] if g != len(names) - 1 else o for t, g, o in zip(found.tags, given.tags, old, strict=True)]
        self.columns.write(sentence, tags)
        self.labels.write(sentence, found.tree, given.heads >= 0)  # a given arc is not one that was lifted
        sentence.score = found.score
        sentence.scores = found.scores

    def analyse(self, forms: Sequence[str], given: Given, *, scores: bool = False) -> Analysis:
        """The best analysis of some words."""
        found = self._first_order(forms, given, scores=scores)
        tags, tree, score = found.best.astype(np.uint16), found.tree, found.score
        space = self._space(forms, given, found)
        if space is not None:
            assert self.chart is not None
            tags, tree, score = self.chart.decode(space)
        p = None
        if scores:
            assert found.p_arcs is not None
            of_arcs = found.p_arcs[tree.heads[1:], np.arange(1, len(forms) + 1)]
            p = (of_arcs * self.crf.label_probabilities(found.encoded, tree)).tolist()
        return Analysis(tags, tree, score, p)

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The ``count`` best analyses, best first, each with its score; exact within what pruning leaves.

        Analyses that differ only in marks of lifting, and read the same once these are taken off, count as one.
        """
        if len(sentence) == 0:
            return [sentence.copy()]
        self._notice(sentence)
        given = self._given(sentence, False)

        def written() -> Iterator[Sentence]:
            for tags, tree, score in self._analyses(sentence.forms, given, lambda: request.watch(len(sentence))):
                twin = sentence.copy()
                self._write(twin, given, Analysis(tags, tree, score, None))
                yield twin

        return first_distinct(written(), count, lambda s: tuple(tuple(getattr(s, column)) for column in self.predicts))

    def _analyses(
        self, forms: Sequence[str], given: Given, on_search: Callable[[], None]
    ) -> Iterator[tuple[Tags, Tree, float]]:
        """All analyses of some words, the best first; ``on_search`` is called before each search."""
        found = self._first_order(forms, given)
        space = self._space(forms, given, found)
        if space is not None:
            assert self.chart is not None
            yield from self.chart.decode_all(space, on_search)
            return
        for tree, score in self.crf.best_in_order(found.encoded, found.allowed, given.labels, on_search):
            yield found.best.astype(np.uint16), tree, score

    def _first_order(self, forms: Sequence[str], given: Given, *, scores: bool = False) -> FirstOrder:
        """What tagger and first-order model say of some words; DataError when what is given leaves no tree."""
        p_tags = self._tag_probabilities(forms, given)
        best = np.where(given.tags >= 0, given.tags, p_tags.argmax(axis=1))
        encoded = self.crf.features.encode(forms, best)
        allowed = given.keep()
        p_arcs: Matrix | None = None
        if scores or (self._prunes(forms) and self.options.prune_arcs > 0):
            tree, score, p_arcs = self.crf.probabilities(encoded, allowed, given.labels)
        else:
            tree, score = self.crf.best(encoded, allowed, given.labels)
        if score == -np.inf:
            raise DataError(
                f'no {"projective " if self.labels.projective else ""}tree has the given heads and labels: "{forms[0]} '
                f'..." ({len(forms)} words); leave some of them open'
            )
        return FirstOrder(p_tags, best, encoded, allowed, tree, score, p_arcs)

    def _prunes(self, forms: Sequence[str]) -> bool:
        return self.chart is not None and len(forms) <= self.options.max_words

    def _space(self, forms: Sequence[str], given: Given, found: FirstOrder) -> Space | None:
        """What the chart searches; None when the first-order model has the last word."""
        n, options = len(forms), self.options
        if self.chart is None or not self._prunes(forms):
            return None
        if options.prune_arcs > 0:
            assert found.p_arcs is not None
            keep = keep_arcs(found.p_arcs, options.prune_arcs, found.tree.heads, options.max_heads)
        else:
            keep = keep_arcs(np.ones((n + 1, n + 1)), 0.0, found.tree.heads)
        keep = keep if found.allowed is None else keep & found.allowed
        chosen = self._candidate_tags(found.p_tags)
        chosen = [[int(g)] if g >= 0 else word for word, g in zip(chosen, given.tags.tolist(), strict=True)]
        atoms = self.chart.pos.atoms(forms, found.best) if self.chart.pos is not None else None
        candidates = Candidates.of(chosen, len(self.tagger.tags))
        return Space(self.chart.features.encode(forms, found.best), candidates, keep, atoms, given.labels)

    def _candidate_tags(self, p: Matrix) -> list[list[int]]:
        return [[int(tag)] for tag in p.argmax(axis=1)]

    def _tag_probabilities(self, forms: Sequence[str], given: Given) -> Matrix:
        if (given.tags >= 0).all():
            return one_hot(given.tags, len(self.tagger.tags))
        return self.tagger.tag_probabilities(forms)

    def _given(self, sentence: Sentence, constrain: bool) -> Given:
        given = Given.nothing(len(sentence))
        if constrain or (self.uses_gold_tags(self.options) and self.columns.given(sentence)):
            numbers = self.crf.features.number(self.columns.read(sentence)).astype(np.int64)
            open_tag = "\t".join([UNSPECIFIED] * len(self.columns.columns))
            is_open = np.array([tag == open_tag for tag in self.columns.read(sentence)])
            if self.joint and (unseen := np.flatnonzero(~is_open & (numbers > len(self.tagger.tags)))).size:
                raise DataError(
                    f'given tag "{self.columns.read(sentence)[unseen[0]]}" was never seen in training; leave it open'
                )
            given = dataclasses.replace(given, tags=np.where(is_open, -1, numbers))
        if constrain:
            number = {name: i for i, name in enumerate(self.labels.names)}
            labels = np.full(len(sentence) + 1, -1, dtype=np.int32)
            for m, label in enumerate(sentence.deprels, 1):
                if label != UNSPECIFIED and self.labels.labelled:
                    if label not in number or (self.labels.projective and is_marked(label)):
                        raise DataError(f'given label "{label}" was never seen in training; leave it open')
                    labels[m] = number[label]
            given = dataclasses.replace(given, heads=np.array(sentence.heads), labels=labels)
        return given

    # the model file

    def parts(self) -> Parts:
        """Labels, templates and weights, and the whole tagger."""
        tables = {ARC: self.crf.weights, **(self.chart.tables if self.chart is not None else {})}
        header: dict[str, Any] = {
            "labels": self.labels.header(),
            "arc_templates": [template.text for template in self.crf.features.templates],
        }
        if self.chart is not None:
            header["templates"] = [template.text for template in self.chart.features.templates]
        if self.chart is not None and self.chart.pos is not None:
            header["pos_templates"] = [template.text for template in self.chart.pos.templates]
        arrays: dict[str, npt.NDArray[Any]] = {}
        if self.chart is not None and self.chart.pos is not None:
            arrays |= affix_arrays(self.chart.pos.affixes)
        table_header, table_arrays = table_parts(tables)
        inner, inner_arrays = nested_parts("tagger", self.tagger)
        return header | table_header | inner, arrays | table_arrays | inner_arrays

    @classmethod
    def from_parts(cls, options: Any, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Put a system together from a model file."""
        try:
            tagger = open_nested("tagger", CrfTagger, header, arrays)
            labels = ArcLabels.from_header(header["labels"])
            groups = {ARC: len(labels.names)}
            chart_too = cls.joint or options.order == 2
            if chart_too:
                groups |= {SYN: len(labels.names)} | ({POS: len(tagger.tags)} if cls.joint else {})
            tables: dict[str, Scorer] = {}
            for group, width in groups.items():
                tables[group] = open_table(header["tables"][group], under(f"{group}.", arrays))
                if tables[group].labels != width:
                    raise ValueError(f"{tables[group].labels} weights a row for {width} labels of {group}")
            clusters = tagger.clusters  # all of the model look at the same ones
            features = GraphFeatures(stored_templates(header["arc_templates"]), tagger.tags, clusters, second=False)
            crf = ArcCrf(features, labels, tables[ARC])
            chart = None
            if chart_too:
                stored = stored_templates(header["templates"])
                features = GraphFeatures(stored, tagger.tags, clusters, second=options.order == 2)
                pos = None
                if cls.joint:
                    stored = stored_templates(header["pos_templates"])
                    pos = PosFeatures(stored, clusters, open_affixes(arrays) if sees_affixes(stored) else ())
                chart = ChartModel(features, labels, pos, {group: tables[group] for group in groups if group != ARC})
            return cls(options, tagger, crf, chart, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError, AttributeError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error
