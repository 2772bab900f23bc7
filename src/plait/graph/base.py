"""What ``graph-parser`` and ``graph-joint`` share: a tagger and a first-order CRF inside, pruning, the exact chart."""

from __future__ import annotations

import dataclasses
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf_tagger import CrfTagger, CrfTaggerOptions
from plait.core._weights import Scorer
from plait.core.tables import new_table, open_table
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.data.trees import with_trees
from plait.errors import DataError, ModelError, OptionError
from plait.features.templates import Template, load_templates
from plait.graph.crf import ArcCrf, ArcCrfTrainer, ArcExample, Keep
from plait.graph.features import GraphFeatures
from plait.graph.pruning import Candidates, PruningReport, keep_arcs
from plait.graph.tagging import PosFeatures
from plait.graph.training import POS, SYN, ChartInTraining, ChartModel, Example, Space
from plait.graph.trees import ArcLabels, Tree, attachment
from plait.learn.jackknife import jackknife
from plait.learn.options import option
from plait.system import Parts, System, TrainingTask
from plait.system.fitting import OnlineOptions, fit_online
from plait.system.modelparts import nested_parts, open_nested, table_parts, under
from plait.system.request import PLAIN, Request

LEARNER = {"ap": "perceptron", "pa": "pa", "spa": "spa"}
ARC = "arc"  # the table of the first-order CRF

Matrix = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Tags = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class GraphOptions(OnlineOptions):
    """What both graph-based systems can be told."""

    learner: str = option(
        "pa", "ap: averaged perceptron; pa: passive-aggressive; spa: with a step of its own for POS and for syntax",
        choices=tuple(LEARNER),
    )  # fmt: skip
    order: int = option(2, "1: arcs alone; 2: siblings and grandchildren as well", choices=(1, 2))
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    templates: str = option("li2012", "feature set: li2012, li2012-zh, -en, -ptb, or a table FILE or FILE:SET")
    prune_templates: str = option("prune", "feature set of the first-order CRF that prunes")
    tag: str = option("upos", "tag column that the templates see: upos, xpos, feats, or several joined by +")
    prune_arcs: float = option(
        1e-3, "leave out heads less probable than this part of the best one; 0 keeps all", minimum=0.0, maximum=1.0
    )
    max_heads: int = option(10, "and keep no more heads of a word than this; 0: any number", minimum=0)
    max_words: int = option(120, "longer sentences get the tree of the first-order model", minimum=1)
    folds: int = option(5, "jackknife folds for tags of the training data", minimum=2)
    arc_folds: int = option(2, "jackknife folds for arcs of the training data; more cost time and gain little", minimum=2)
    tagger_templates: str = option("general", "feature set of the tagger inside")
    tagger_epochs: int = option(6, "passes over the training data for the tagger inside", minimum=1)
    arc_epochs: int = option(5, "passes over the training data for the first-order CRF", minimum=1)
    arc_rate: float = option(0.2, "size of its steps", minimum=1e-6)
    arc_cutoff: int = option(1, "features seen less often are left out of it", minimum=1)


@dataclass(frozen=True)
class Given:
    """What an input fixes: tags (−1: open), heads (−1: open) and labels (−1: open) of the words 1, 2, ..."""

    tags: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    labels: Ints  # entry 0 is the root's

    @classmethod
    def nothing(cls, n: int) -> Given:
        """Everything is open."""
        return cls(np.full(n, -1), np.full(n, -1), np.full(n + 1, -1, dtype=np.int32))

    def keep(self) -> Keep | None:
        """The arcs that given heads leave; None when none is given."""
        n = len(self.heads)
        if (self.heads < 0).all():
            return None
        keep = np.ones((n + 1, n + 1), dtype=np.uint8)
        for m, h in enumerate(self.heads.tolist(), 1):
            if h >= 0:
                keep[:, m] = 0
                keep[h, m] = 1
        return keep


@dataclass(frozen=True)
class Analysis:
    """Tags, tree and score of a sentence; with probabilities, that of each word's arc and label."""

    tags: Tags
    tree: Tree
    score: float
    scores: list[float] | None


class GraphSystem(System):
    """A tagger, a first-order CRF, and (but for the first-order parser) a chart over what these two leave."""

    joint: ClassVar[bool]

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
        if task.checkpoint is not None and options.order == 1 and not cls.joint:
            raise OptionError(
                "the first-order parser keeps no checkpoints, its training is short; leave --checkpoint out"
            )
        templates = load_templates(options.templates, "graph")
        train, dev = with_trees(task.train), [s for s in task.dev if len(s)]
        quiet = dataclasses.replace(
            task, train=train, dev=dev, checkpoint=None, resume=False, on_epoch=lambda record: None
        )
        tagger = CrfTagger.fit(quiet, tagger_options(options))
        first_order = options.order == 1 and not cls.joint
        arc_templates = templates if first_order else load_templates(options.prune_templates, "graph")
        features = GraphFeatures(arc_templates, tagger.tags, second=False)
        labels = ArcLabels.read(train, labelled=options.labeled, projective=cls.projective(options))
        gold = [features.number(tagger.columns.read(s)) for s in train]
        if cls.uses_gold_tags(options):
            p_tags = [one_hot(tags, len(tagger.tags)) for tags in gold]
        else:
            p_tags = jackknifed_tags(quiet, train, options, tagger.tags)
        examples = [
            ArcExample(features.encode(s.forms, p.argmax(axis=1)), labels.gold(s))
            for s, p in zip(train, p_tags, strict=True)
        ]
        system = cls(options, tagger, ArcCrf(features, labels, Scorer()), None, {})

        def measure_crf(crf: ArcCrf) -> dict[str, float]:
            system.crf = crf
            return system._measure(dev)

        trainer = ArcCrfTrainer(
            features, labels, examples, rate=options.arc_rate, cutoff=options.arc_cutoff, track=task.track
        )
        records = []
        for record in trainer.run(options.arc_epochs, task.seed, measure_crf if dev else None):
            records.append(record.to_dict())
            if first_order:
                task.on_epoch(record)
        crf = ArcCrf(features, labels, trainer.frozen(options.bits or 16))
        arc_training = {"epochs": records, "best_epoch": trainer.best_epoch, "weights": len(trainer.rows.codes)}
        if first_order:
            dev_scores = measure_crf(crf) if dev else {}
            return cls(options, tagger, crf, None, arc_training | {"dev": dev_scores, "tagger": tagger.training})
        del trainer
        p_arcs = jackknifed_arcs(quiet, examples, options, features, labels)
        system = cls(options, tagger, crf, None, {})
        return system._fit_chart(task, train, dev, templates, gold, p_tags, examples, p_arcs, arc_training)

    def _fit_chart(
        self,
        task: TrainingTask,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        templates: Sequence[Template],
        gold: Sequence[Tags],
        p_tags: Sequence[Matrix],
        arc_examples: Sequence[ArcExample],
        p_arcs: Sequence[tuple[Matrix, Ints]],
        arc_training: dict[str, Any],
    ) -> Self:
        options, labels, tags = self.options, self.labels, self.tagger.tags
        features = GraphFeatures(templates, tags, second=options.order == 2)
        pos = PosFeatures(load_templates(options.pos_templates, "tagging")) if self.joint else None
        report = PruningReport()
        examples = []
        for sentence, right, p_tag, arc, (p_arc, heads) in zip(train, gold, p_tags, arc_examples, p_arcs, strict=True):
            chosen = self._candidate_tags(p_tag)
            keep = keep_arcs(p_arc, options.prune_arcs, heads, options.max_heads if options.prune_arcs > 0 else 0)
            report.add(chosen, right.tolist(), keep, arc.tree.heads)
            if len(sentence) > options.max_words:
                continue
            keep[arc.tree.heads[1:], np.arange(1, len(keep))] = 1  # gold is always within reach in training
            if self.joint:
                for word, tag in zip(chosen, right.tolist(), strict=True):
                    if tag not in word:
                        word.append(tag)
            else:
                right = np.array([word[0] for word in chosen], dtype=np.uint16)
            best = p_tag.argmax(axis=1)
            candidates = Candidates.of(chosen, len(tags))
            atoms = pos.atoms(sentence.forms, best) if pos is not None else None
            encoded = features.encode(sentence.forms, best)
            examples.append(Example(Space(encoded, candidates, keep, atoms), right, arc.tree))
        tables = {SYN: new_table(options.table, len(labels.names), options.hash_bits)}
        if self.joint:
            tables[POS] = new_table(options.table, len(tags), options.hash_bits)
        model = ChartInTraining(features, labels, pos, tables)

        def measure(tables: Mapping[str, Scorer]) -> dict[str, float]:
            self.chart = ChartModel(features, labels, pos, tables)
            return self._measure(dev)

        task.on_epoch(report)
        online = dataclasses.replace(options, learner=LEARNER[options.learner])
        frozen, _, training = fit_online(task, online, model, examples, measure if dev else None)
        training |= {"pruning": report.to_dict(), "first_order": arc_training, "tagger": self.tagger.training}
        chart = ChartModel(features, labels, pos, frozen)
        return type(self)(options, self.tagger, self.crf, chart, training)

    def _measure(self, dev: Sequence[Sentence]) -> dict[str, float]:
        predicted = []
        right = total = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sentence in dev:
                found = sentence.copy() if self.uses_gold_tags(self.options) else sentence.bare()
                self.annotate(found)
                predicted.append(found)
                right += sum(a == b for a, b in zip(*map(self.columns.read, (found, sentence)), strict=True))
                total += len(sentence)
        scores = attachment(dev, predicted, self.labels.labelled)
        return scores | ({"tags": 100.0 * right / max(total, 1)} if self.joint else {})

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
        if len(sentence) == 0:
            return
        given = self._given(sentence, request.constrain)
        found = self.analyse(sentence.forms, given, scores=request.scores)
        names = (*self.tagger.tags, "", "")
        old = self.columns.read(sentence)
        tags = [names[t] if g != len(names) - 1 else o for t, g, o in zip(found.tags, given.tags, old, strict=True)]
        self.columns.write(sentence, tags)
        self.labels.write(sentence, found.tree)
        sentence.score = found.score
        sentence.scores = found.scores

    def analyse(self, forms: Sequence[str], given: Given, *, scores: bool = False) -> Analysis:
        """The best analysis of some words."""
        n, options = len(forms), self.options
        p_tags = self._tag_probabilities(forms, given)
        best = np.where(given.tags >= 0, given.tags, p_tags.argmax(axis=1))
        encoded = self.crf.features.encode(forms, best)
        allowed = given.keep()
        prunes = self.chart is not None and n <= options.max_words
        p_arcs: Matrix | None = None
        if scores or (prunes and options.prune_arcs > 0):
            tree, score, p_arcs = self.crf.probabilities(encoded, allowed, given.labels)
        else:
            tree, score = self.crf.best(encoded, allowed, given.labels)
        if score == -np.inf:
            raise DataError(
                f'no {"projective " if self.labels.projective else ""}tree has the given heads and labels: "{forms[0]} '
                f'..." ({n} words); leave some of them open'
            )
        tags = best.astype(np.uint16)
        if self.chart is not None and not prunes:
            warnings.warn(
                f"a sentence has more than {options.max_words} words (max_words); "
                "it gets the tree of the first-order model",
                stacklevel=2,
            )
        if self.chart is not None and prunes:
            if options.prune_arcs > 0:
                assert p_arcs is not None
                keep = keep_arcs(p_arcs, options.prune_arcs, tree.heads, options.max_heads)
            else:
                keep = keep_arcs(np.ones((n + 1, n + 1)), 0.0, tree.heads)
            keep = keep if allowed is None else keep & allowed
            chosen = self._candidate_tags(p_tags)
            chosen = [[int(g)] if g >= 0 else word for word, g in zip(chosen, given.tags.tolist(), strict=True)]
            atoms = self.chart.pos.atoms(forms, best) if self.chart.pos is not None else None
            candidates = Candidates.of(chosen, len(self.tagger.tags))
            space = Space(self.chart.features.encode(forms, best), candidates, keep, atoms, given.labels)
            tags, tree, score = self.chart.decode(space)
        found = None
        if scores:
            assert p_arcs is not None
            found = (p_arcs[tree.heads[1:], np.arange(1, n + 1)] * self.crf.label_probabilities(encoded, tree)).tolist()
        return Analysis(tags, tree, score, found)

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
                    if label not in number:
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
            header["pos_templates"] = [template.text for template in self.chart.pos.sequence.templates]
        arrays: dict[str, npt.NDArray[Any]] = {}
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
            crf = ArcCrf(GraphFeatures(_stored(header["arc_templates"]), tagger.tags, second=False), labels, tables[ARC])
            chart = None
            if chart_too:
                features = GraphFeatures(_stored(header["templates"]), tagger.tags, second=options.order == 2)
                pos = PosFeatures(_stored(header["pos_templates"])) if cls.joint else None
                chart = ChartModel(features, labels, pos, {group: tables[group] for group in groups if group != ARC})
            return cls(options, tagger, crf, chart, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError, AttributeError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error


def _stored(texts: Sequence[Any]) -> list[Template]:
    return [Template(tuple(str(text).split())) for text in texts]


def tagger_options(options: GraphOptions) -> CrfTaggerOptions:
    """The options of the tagger inside."""
    return CrfTaggerOptions(
        optimizer="adagrad", epochs=options.tagger_epochs, tag=options.tag, templates=options.tagger_templates
    )


def one_hot(tags: npt.NDArray[Any], width: int) -> Matrix:
    """Certainty; tags never seen stand beyond the known ones."""
    p = np.zeros((len(tags), width + 2))
    p[np.arange(len(tags)), tags] = 1.0
    return p


def jackknifed_tags(
    task: TrainingTask, train: Sequence[Sentence], options: GraphOptions, tags: Sequence[str]
) -> list[Matrix]:
    """Tag probabilities of the training data by taggers that have not seen it."""
    number = {tag: i for i, tag in enumerate(tags)}
    if len(train) < 2:
        columns = TagColumns(options.tag)
        return [one_hot(np.array([number[t] for t in columns.read(s)]), len(tags))[:, : len(tags)] for s in train]

    def fit(seen: list[Sentence]) -> Any:
        tagger = CrfTagger.fit(dataclasses.replace(task, train=seen, dev=()), tagger_options(options))
        columns = [number[tag] for tag in tagger.tags]

        def predict(held_out: list[Sentence]) -> list[Matrix]:
            found = []
            for sentence in held_out:
                p = np.zeros((len(sentence), len(tags)))
                p[:, columns] = tagger.tag_probabilities(sentence.forms)
                found.append(p)
            return found

        return predict

    return jackknife(train, options.folds, fit, task.track)


def jackknifed_arcs(
    task: TrainingTask,
    examples: Sequence[ArcExample],
    options: GraphOptions,
    features: GraphFeatures,
    labels: ArcLabels,
) -> list[tuple[Matrix, Ints]]:
    """Arc marginals and best heads of the training data by CRFs that have not seen it; all arcs when none is pruned."""
    if options.prune_arcs == 0.0 or len(examples) < 2:
        return [(np.ones((len(e.tree.heads),) * 2), e.tree.heads) for e in examples]

    def fit(seen: list[ArcExample]) -> Any:
        trainer = ArcCrfTrainer(features, labels, seen, rate=options.arc_rate, cutoff=options.arc_cutoff)
        for _ in trainer.run(options.arc_epochs, task.seed):
            pass
        crf = ArcCrf(features, labels, trainer.rows)

        def predict(held_out: list[ArcExample]) -> list[tuple[Matrix, Ints]]:
            found = []
            for example in held_out:
                tree, _, p = crf.probabilities(example.encoded)
                found.append((p, tree.heads))
            return found

        return predict

    return jackknife(list(examples), options.arc_folds, fit, task.track)
