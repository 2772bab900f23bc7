"""``crf-segmenter``: raw text of any script into sentences, words and tags (Qian et al. 2010, and its rivals)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf import Crf, Labelling
from plait.chain.crf_tagger import fit_tagger
from plait.chain.fitting import CrfOptions, CrfProblem, Example, fit_crf
from plait.chain.heaviest import Source, heaviest_features
from plait.chain.multiword import JOIN, Splitter
from plait.chain.rawtext import Passage, has_spaces, passages
from plait.chain.segments import SegmentLabels, Token
from plait.chain.warm import warm_model
from plait.data.document import UNSPECIFIED, Range, Sentence
from plait.data.given import Given
from plait.data.lexicon import Match
from plait.data.schemes import SCHEMES
from plait.data.tags import TagColumns
from plait.errors import DataError, ModelError, OptionError
from plait.features._units import UNIT_COLUMNS, find_units, unit_atoms
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.heaviest import show_form
from plait.features.labelled import LabelledTemplates
from plait.features.templates import load_templates
from plait.options import option
from plait.system import Parts, System, TrainingTask
from plait.system.modelparts import open_names
from plait.system.request import PLAIN, Request

STRUCTURES = ("hybrid", "cross-product", "pipeline", "rerank", "linear")
JOINED = 1  # the gap of a unit that nothing separates from the one before
EDGE = 50  # units before the end of such a window that are decoded again with the next one
WINDOW = 4000  # units decoded at once; longer texts are cut at a sentence or word border
CUT_RUNS = 0.005  # more letter or digit runs than this cut by words: every character is a unit

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LINE = re.compile(r"[\r\n\u2028\u2029]+")

Rule = tuple[frozenset[str] | None, str]


@dataclass(frozen=True)
class CrfSegmenterOptions(CrfOptions):
    """The options of ``crf-segmenter``."""

    structure: str = option(
        "hybrid", "hybrid and cross-product: words and tags at once; pipeline: tags after words; rerank: the best of "
        "several segmentations; linear: words alone", choices=STRUCTURES
    )  # fmt: skip
    tag: str = option("upos", "columns to predict: upos, xpos, feats, or several joined by +")
    scheme: str = option("bmes", "labels of a word's characters: bmes (four) or six", choices=("bmes", "six"))
    hard: bool = option(True, "legal labels and one tag a word always; --no-hard learns that, as the paper did")
    sentences: bool = option(True, "learn to split running text into sentences; off: every line is one")
    units: str = option(
        "auto", "runs: letters and digits in a row stay together", choices=("auto", "runs", "characters")
    )
    templates: str = option("", "feature set: text-words, text-joint, qian2010-..., or a table FILE or FILE:SET")
    tag_templates: str = option("qian2010-tag", "pipeline and rerank: feature set of the tagger over words")
    candidates: int = option(20, "rerank: segmentations to choose from", minimum=1)


class CrfSegmenter(System):
    """Raw text into sentences, words and tags, for every script."""

    name = "crf-segmenter"
    grants = frozenset({"scores", "constrain"})
    Options = CrfSegmenterOptions
    segments = True

    def __init__(
        self,
        options: CrfSegmenterOptions,
        types: Sequence[str],
        crf: Crf,
        tagger: Crf | None,
        splitter: Splitter,
        facts: Mapping[str, bool],
        training: dict[str, Any],
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.types = tuple(types)
        self.labels = segment_labels(options, types)
        self.crf = crf
        self.tagger = tagger
        self.splitter = splitter
        self.facts = dict(facts)  # runs: letter runs are units; inner: words may hold spaces; spaces: the data had some
        self.training = training

    @property
    def predicts(self) -> tuple[str, ...]:
        """The tag columns; words and sentences come with them."""
        return () if self.options.structure == "linear" else self.columns.columns

    @classmethod
    def fit(cls, task: TrainingTask, options: CrfSegmenterOptions) -> Self:
        """Train the segmenter, and the tagger of pipeline and rerank."""
        tagged = options.structure != "linear"
        columns = TagColumns(options.tag) if tagged else None
        if columns is not None and not any(columns.given(s) for s in task.train):
            raise DataError(
                f'the training data has no "{columns.spec}" tags; choose another column with --tag, '
                "or --structure linear for words alone"
            )
        spaces = has_spaces(task.train)
        train = list(passages(task.train, columns, running=options.sentences, spaces=spaces))
        dev = list(passages(task.dev, columns, running=options.sentences, spaces=spaces))
        facts = {
            "runs": options.units == "runs" or (options.units == "auto" and keeps_runs(train)),
            "inner": any(any(c.isspace() for c in p.text[a:b]) for p in train for a, b in p.spans),
            "spaces": spaces,
        }
        types = read_types(train) if tagged else [""]
        splitter = learn_splits(task.train)
        labels = segment_labels(options, types)
        joint = options.structure in ("hybrid", "cross-product")
        name = options.templates or {"hybrid": "text-joint"}.get(options.structure, "text-words")
        features = LabelledTemplates(load_templates(name, "chain"), UNIT_COLUMNS)
        known = set(types)

        def examples() -> Iterator[Example]:
            for passage in task.track(train, "features"):
                yield gold_example(passage, labels, features, facts, known)

        bar = labels.bars([(labels.beginnings, "")])
        bars = tuple(np.concatenate([np.zeros_like(bar[v]), bar[v]]).astype(np.float64) for v in ("s", "t"))
        problem = CrfProblem(
            labels.space,
            features,
            examples(),
            cutoff=options.cutoff,
            unseen=options.unseen,
            bars=bars,  # type: ignore[arg-type]
        )

        def measure(crf: Crf) -> dict[str, float]:
            model = cls(options, types, crf, None, splitter, facts, {})
            counts = Counter[str]()
            for passage in dev:
                tokens, _ = model.tokens(passage.text, PLAIN, tags=False)
                gold = {(a, b): t for (a, b), t in zip(passage.spans, passage.types, strict=True)}
                counts["gold"] += len(gold)
                counts["found"] += len(tokens)
                counts["right"] += sum((t.start, t.end) in gold for t in tokens)
                counts["both"] += sum(gold.get((t.start, t.end)) == t.type for t in tokens)
            total = max(counts["gold"] + counts["found"], 1)
            scores = {"joint_f1": 200.0 * counts["both"] / total} if joint else {}
            return {**scores, "seg_f1": 200.0 * counts["right"] / total}

        warm = warm_model(options.warm_start, cls)
        decides = "joint_f1" if joint else "seg_f1"
        crf, training = fit_crf(problem, task, options, measure if dev else None, decides, warm)
        training["heaviest"] = heaviest_features(problem, crf, shown_units(train, features, facts["runs"]))
        tagger = None
        if options.structure in ("pipeline", "rerank"):
            pairs = [(words_of(p), [t if t in known else t.split(JOIN)[0] for t in p.types]) for p in train]
            held_out = [(words_of(p), list(p.types)) for p in dev]
            tagger, record = fit_tagger(pairs, held_out, types, task, options, options.tag_templates, part="tagger")
            training["tagger"] = record
        return cls(options, types, crf, tagger, splitter, facts, training)

    def segment(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """Sentences of a raw text; offsets count from its beginning."""
        sentences: list[Sentence] = []
        stretches = [(0, len(text))] if request.whole and text.strip() else self._stretches(text)
        for start, end in stretches:
            tokens, chances = self.tokens(text[start:end], request)
            sentences += self._sentences(text, start, tokens, chances)
        return sentences

    def alternatives_of(self, text: str, count: int, request: Request = PLAIN) -> list[list[Sentence]]:
        """The ``count`` best analyses of a text that is one paragraph (or line), best first."""
        found = list(self._stretches(text))
        if len(found) > 1:
            raise OptionError("alternatives are given for one paragraph at a time; split the text at its blank lines")
        results: list[list[Sentence]] = []
        for start, end in found:
            piece = text[start:end]
            starts, ends, gaps = find_units(piece, self.facts["runs"])
            atoms = unit_atoms(piece, starts, ends, gaps, self.crf.features.columns, self.crf.features.pad)
            bars = self.labels.bars(self._rules(gaps))
            log_z = self.crf.probabilities(atoms, bars)[0]
            for marks, types, score in self.crf.best_n(atoms, count, bars):
                request.watch(0)
                tokens = in_characters(self.labels.decode(marks, types), starts, ends)
                if self.tagger is not None:
                    tokens = self._tag(piece, tokens)[0]
                sentences = self._sentences(text, start, tokens, None)
                for sentence in sentences:
                    sentence.score = score - log_z
                results.append(sentences)
        return results or [[]]

    def _stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """What is decoded at once: paragraphs, or lines where sentences are not learnt."""
        at = 0
        border = _BLANK_LINE if self.options.sentences else _LINE
        for match in [*border.finditer(text), None]:
            end = len(text) if match is None else match.start()
            if text[at:end].strip():
                yield at, end
            at = end if match is None else match.end()

    def tokens(self, text: str, request: Request, *, tags: bool = True) -> tuple[list[Token], list[float] | None]:
        """Surface tokens in characters, and their probabilities on request; long texts in windows."""
        dictionary = request.dictionary
        forced = dictionary.longest(text) if dictionary is not None and dictionary.mode == "force" else []
        cuts = {at for match in forced for at in (match.start, match.end)}
        if dictionary is not None and dictionary.mode == "prefer":
            cuts |= {at for match in dictionary.all(text) for at in (match.start, match.end)}
        units = find_units(text, self.facts["runs"], cuts)
        margin = EDGE if dictionary is None else EDGE + max(map(len, dictionary.entries), default=0)
        found: list[Token] = []
        chances: list[float] = []
        first, n = 0, len(units[0])
        while first < n:
            request.watch(0)
            last = min(n, first + WINDOW)
            piece = (units[0][first:last], units[1][first:last], units[2][first:last])
            tokens, likely = self._decode(text, *piece, request, forced)
            if last < n:
                tokens, last = self._complete(tokens, first, last, margin)
            found += in_characters(tokens, piece[0], piece[1])
            chances += likely[: len(tokens)]
            first = last
        if tags and self.tagger is not None:
            found, tag_chances = self._tag(text, found, scores=request.scores)
            chances = [a * b for a, b in zip(chances, tag_chances, strict=False)]
        if dictionary is not None:  # a tag the model does not know could not bind it; it is written all the same
            unknown = dictionary.mode == "prefer"
            given = {
                (m.start, m.end): m.entry.tag
                for m in (forced or dictionary.all(text))
                if m.entry.tag and not (unknown and m.entry.tag in self.types)
            }
            found = [t._replace(type=given.get((t.start, t.end), t.type)) for t in found]
        return found, chances if request.scores else None

    def _complete(self, tokens: list[Token], first: int, last: int, margin: int) -> tuple[list[Token], int]:
        """Of the tokens of a window that is not the last, those that no longer depend on what follows."""
        ends = [k for k, t in enumerate(tokens) if t.final and t.end < last - first - margin]
        keep = ends[-1] + 1 if ends else max(1, sum(t.end < last - first - margin for t in tokens))
        return tokens[:keep], first + tokens[keep - 1].end

    def _rules(self, gaps: Sequence[int]) -> list[Rule]:
        """White space ends a word, unless the training data had words with spaces."""
        begins = (self.labels.beginnings, "")
        free: Rule = (None, "")
        return [free if gap == JOINED or self.facts["inner"] else begins for gap in gaps]

    def _decode(
        self,
        text: str,
        starts: list[int],
        ends: list[int],
        gaps: list[int],
        request: Request,
        forced: Sequence[Match],
    ) -> tuple[list[Token], list[float]]:
        """Tokens over the units of one window."""
        atoms = unit_atoms(text, starts, ends, gaps, self.crf.features.columns, self.crf.features.pad)
        rules = self._rules(gaps)
        begins, finishes = {at: i for i, at in enumerate(starts)}, {at: i for i, at in enumerate(ends)}
        for match in forced:
            if match.start in begins and match.end in finishes:
                self._force(rules, begins[match.start], finishes[match.end] + 1, match.entry.tag)
        bars = self.labels.bars(rules) if request.whole or any(rule != (None, "") for rule in rules) else None
        if bars is not None and request.whole:
            self.labels.bar_sentences(bars)
        dictionary = request.dictionary
        bonuses = []
        if dictionary is not None and dictionary.mode == "prefer":
            for match in dictionary.all(text):
                if match.start in begins and match.end in finishes:
                    a, b = begins[match.start], finishes[match.end] + 1
                    bonuses += self.labels.bonuses(a, b, match.entry.tag, -match.entry.cost)
        if self.options.structure == "rerank" and self.tagger is not None and not bonuses:
            marks, types = self._rerank(text, starts, ends, atoms, bars)
        else:
            marks, types, _ = self.crf.best(atoms, bars, bonuses)
        tokens = self.labels.decode(marks, types)
        if dictionary is not None and dictionary.mode == "merge":
            joined = join_tokens(tokens, starts, ends, text, dictionary.all(text))
            if len(joined) < len(tokens):
                for token, tag in joined:
                    self._force(rules, token.start, token.end, tag)
                bars = self.labels.bars(rules)
                if request.whole:
                    self.labels.bar_sentences(bars)
                marks, types, _ = self.crf.best(atoms, bars)
                tokens = self.labels.decode(marks, types)
        chances: list[float] = []
        if request.scores and tokens:
            pairs = list(zip(marks.tolist(), types.tolist(), strict=True))
            stretches = [(t.start, pairs[t.start : t.end]) for t in tokens]
            _, p = self.crf.probabilities(atoms, bars, stretches)
            chances = p["stretches"].tolist()
            if self.labels.finals:  # whether the sentence ends there is another question than whether it is a word
                for k, token in enumerate(tokens):
                    other = self.labels.path(token._replace(final=not token.final))
                    stretches[k] = (token.start, other)
                _, p = self.crf.probabilities(atoms, bars, stretches)
                chances = [min(1.0, a + b) for a, b in zip(chances, p["stretches"].tolist(), strict=True)]
        return tokens, chances

    def _force(self, rules: list[Rule], start: int, end: int, tag: str) -> None:
        """Make these units one word; a tag that the model knows binds it too."""
        type = tag if tag in self.types and self.options.structure in ("hybrid", "cross-product") else ""
        rules[start:end] = self.labels.rules(Token(start, end, "", False), type)
        if end < len(rules) and rules[end] == (None, ""):
            rules[end] = (self.labels.beginnings, "")

    def _rerank(
        self, text: str, starts: list[int], ends: list[int], atoms: npt.NDArray[np.uint64], bars: Any
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Shi and Wang (2007): of the n best segmentations the one with the best product of both probabilities."""
        best: tuple[float, Labelling] | None = None
        for labelling in self.crf.best_n(atoms, self.options.candidates, bars):
            tokens = in_characters(self.labels.decode(*labelling[:2]), starts, ends)
            total = labelling[2] + self._tag_score(text, tokens)
            if best is None or total > best[0]:
                best = total, labelling
        assert best is not None
        return best[1][0], best[1][1]

    def _tag_score(self, text: str, tokens: list[Token]) -> float:
        """log P(best tags | words), sentence by sentence."""
        assert self.tagger is not None
        total = 0.0
        for group in by_sentence(tokens):
            atoms = self._word_atoms(text, group)
            total += self.tagger.best(atoms)[2] - self.tagger.probabilities(atoms)[0]
        return total

    def _tag(self, text: str, tokens: list[Token], *, scores: bool = False) -> tuple[list[Token], list[float]]:
        """The second stage of the pipeline."""
        assert self.tagger is not None
        tagged: list[Token] = []
        chances: list[float] = []
        for group in by_sentence(tokens):
            atoms = self._word_atoms(text, group)
            tags = self.tagger.best(atoms)[1]
            tagged += [t._replace(type=self.tagger.space.types[k]) for t, k in zip(group, tags.tolist(), strict=True)]
            if scores:
                chances += self.tagger.probabilities(atoms)[1]["t"][np.arange(len(tags)), tags].tolist()
        return tagged, chances

    def _word_atoms(self, text: str, tokens: Sequence[Token]) -> npt.NDArray[np.uint64]:
        assert self.tagger is not None
        features = self.tagger.features
        return word_atoms([text[t.start : t.end] for t in tokens], features.columns, features.pad)

    def _sentences(self, text: str, start: int, tokens: Sequence[Token], chances: list[float] | None) -> list[Sentence]:
        """Tokens (in characters from ``start``) as sentences with words, ranges, offsets and SpaceAfter."""
        made: list[Sentence] = []
        at = 0
        for group in by_sentence(tokens):
            scores = None if chances is None else chances[at : at + len(group)]
            at += len(group)
            after = tokens[at].start + start if at < len(tokens) else None
            made.append(self._sentence(text, start, group, scores, after))
        return made

    def _sentence(
        self, text: str, start: int, tokens: Sequence[Token], chances: list[float] | None, after: int | None
    ) -> Sentence:
        forms: list[str] = []
        tags: list[str] = []
        misc: list[str] = []
        ranges: list[Range] = []
        offsets: list[tuple[int, int]] = []
        scores: list[float] = []
        for k, token in enumerate(tokens):
            a, b = token.start + start, token.end + start
            following = tokens[k + 1].start + start if k + 1 < len(tokens) else after
            joined = following == b if following is not None else False
            note = "SpaceAfter=No" if joined else UNSPECIFIED
            form = " ".join(text[a:b].split())
            parts = token.type.split(JOIN)
            words = None
            if self.options.structure == "linear":
                words = self.splitter.usual(form)
                parts = parts if words is None else [""] * len(words)
            elif len(parts) > 1:
                words = self.splitter.split(form, len(parts))
            if words is None:
                words, parts = (form,), parts[:1]
                misc.append(note)
            else:
                ranges.append(Range(len(forms) + 1, len(forms) + len(words), form, (*[UNSPECIFIED] * 7, note)))
                misc += [UNSPECIFIED] * len(words)
            offsets += word_offsets(text[a:b], words, a)
            forms += words
            tags += parts
            if chances is not None:
                scores += [chances[k]] * len(words)
        sentence = Sentence(forms, misc=misc, ranges=ranges)
        if self.predicts:
            self.columns.write(sentence, tags)
        sentence.offsets = offsets
        if chances is not None:
            sentence.scores = scores
        first, last = tokens[0].start + start, tokens[-1].end + start
        sentence.set_comment("text", " ".join(text[first:last].split()))
        return sentence

    def annotate(self, sentence: Sentence) -> None:
        """Tag a sentence whose words are given: they stay as they are."""
        self.annotate_with(sentence, PLAIN)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` the probability of each tag."""
        request.refuse(self.name + " on given words", "dictionary")
        if not self.predicts or not len(sentence):
            return
        passage = next(iter(passages([sentence], self.columns, running=False, spaces=self.facts["spaces"])))
        counts = [last - first + 1 for first, last, _, _ in sentence.surface_tokens()]
        if self.tagger is not None:
            tokens = [Token(a, b, "", False) for a, b in passage.spans]
            tagged, chances = self._tag(passage.text, tokens, scores=request.scores)
        else:
            tagged, chances = self._tag_given(passage, counts, request.scores)
        tags: list[str] = []
        for token, count in zip(tagged, counts, strict=True):
            parts = token.type.split(JOIN)
            tags += parts if len(parts) == count else [parts[min(k, len(parts) - 1)] for k in range(count)]
        given = Given(sentence, self.predicts) if request.constrain else None
        self.columns.write(sentence, tags)
        if given is not None:
            given.restore(sentence)
        if request.scores:
            sentence.scores = [p for p, count in zip(chances, counts, strict=True) for _ in range(count)]

    def _tag_given(self, passage: Passage, counts: Sequence[int], scores: bool) -> tuple[list[Token], list[float]]:
        text = passage.text
        cuts = {at for span in passage.spans for at in span}
        starts, ends, gaps = find_units(text, self.facts["runs"], cuts)
        atoms = unit_atoms(text, starts, ends, gaps, self.crf.features.columns, self.crf.features.pad)
        begins, finishes = {at: i for i, at in enumerate(starts)}, {at: i for i, at in enumerate(ends)}
        rules: list[Rule] = [(None, "")] * len(starts)
        for a, b in passage.spans:
            first, last = begins[a], finishes[b] + 1
            rules[first:last] = self.labels.rules(Token(first, last, "", False))
        bars = self.labels.bars(rules)
        parts = np.array([type.partition("-")[2].count(JOIN) + 1 if self.labels.structure != "hybrid"
                          else type.count(JOIN) + 1 for type in self.crf.space.types])  # fmt: skip
        for (a, b), count in zip(passage.spans, counts, strict=True):
            if (parts == count).any():
                bars["t"][begins[a] : finishes[b] + 1, parts != count] = -np.inf
        marks, types, _ = self.crf.best(atoms, bars)
        tokens = self.labels.decode(marks, types)
        chances: list[float] = []
        if scores:
            pairs = list(zip(marks.tolist(), types.tolist(), strict=True))
            stretches = [(t.start, pairs[t.start : t.end]) for t in tokens]
            chances = self.crf.probabilities(atoms, bars, stretches)[1]["stretches"].tolist()
        return tokens, chances

    def parts(self) -> Parts:
        """Types, splits, templates and weights."""
        header, arrays = self.crf.parts()
        entries: dict[str, Any] = {
            "crf": header,
            "types": list(self.types),
            "multiword": self.splitter.header(),
            "facts": self.facts,
        }
        if self.tagger is not None:
            entries["tagger"], more = self.tagger.parts("tagger.")
            arrays = {**arrays, **more}
        return entries, arrays

    @classmethod
    def from_parts(
        cls, options: CrfSegmenterOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a segmenter together from a model file."""
        try:
            crf = Crf.from_parts(header["crf"], arrays, UNIT_COLUMNS)
            two = options.structure in ("pipeline", "rerank")
            tagger = Crf.from_parts(header["tagger"], arrays, WORD_COLUMNS, "tagger.") if two else None
            facts = {name: bool(header["facts"][name]) for name in ("runs", "inner", "spaces")}
            types = open_names(header["types"], "types")
            splitter = Splitter.from_header(header["multiword"])
            found = cls(options, types, crf, tagger, splitter, facts, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error
        if (found.labels.space.marks, found.labels.space.types) != (crf.space.marks, crf.space.types):
            raise ModelError(f"damaged {cls.name} model: other labels than its types; train or fetch the model again")
        return found


def segment_labels(options: CrfSegmenterOptions, types: Sequence[str]) -> SegmentLabels:
    """The labels that a structure decodes at once."""
    structure = options.structure if options.structure in ("hybrid", "cross-product") else "linear"
    return SegmentLabels(structure, SCHEMES[options.scheme], types, finals=options.sentences, hard=options.hard)


def gold_example(
    passage: Passage,
    labels: SegmentLabels,
    features: LabelledTemplates,
    facts: Mapping[str, bool],
    known: set[str],
) -> Example:
    """A passage as numbers. Where a word ends inside a run of letters, the run is cut there."""
    cuts = {at for span in passage.spans for at in span}
    starts, ends, gaps = find_units(passage.text, facts["runs"], cuts)
    begins, finishes = {at: i for i, at in enumerate(starts)}, {at: i for i, at in enumerate(ends)}
    tokens = [
        Token(begins[a], finishes[b] + 1, type if type in known else type.split(JOIN)[0], final)
        for (a, b), type, final in zip(passage.spans, passage.types, passage.final, strict=True)
        if a in begins and b in finishes
    ]
    atoms = unit_atoms(passage.text, starts, ends, gaps, features.columns, features.pad)
    classes = np.array([gap != JOINED and not facts["inner"] for gap in gaps], dtype=np.uint8)
    return Example(atoms, *labels.encode(len(starts), tokens), classes)


def shown_units(train: Sequence[Passage], features: LabelledTemplates, runs: bool) -> Iterator[Source]:
    """The passages, to be looked up for what features say."""
    gaps_shown = {JOINED: "none", 2: "space", 3: "line", 4: "start"}
    for passage in train:
        starts, ends, gaps = find_units(passage.text, runs)
        units = [passage.text[a:b] for a, b in zip(starts, ends, strict=True)]

        def show(column: str, i: int, units: list[str] = units, gaps: list[int] = gaps) -> str:
            return gaps_shown[gaps[i]] if column == "g" else show_form(column, units[i])

        yield unit_atoms(passage.text, starts, ends, gaps, features.columns, features.pad), show


def keeps_runs(train: Sequence[Passage]) -> bool:
    """Whether words hardly ever end inside a run of letters or digits."""
    runs = cut = 0
    for passage in train[:2000]:
        starts, ends, _ = find_units(passage.text, True)
        borders = {at for span in passage.spans for at in span}
        for a, b in zip(starts, ends, strict=True):
            if b - a > 1:
                runs += 1
                cut += any(at in borders for at in range(a + 1, b))
    return cut <= CUT_RUNS * runs


def read_types(train: Sequence[Passage]) -> list[str]:
    """The types of the tokens, sorted; of multiword types those that were seen twice."""
    count = Counter(type for passage in train for type in passage.types)
    singles = {type for type in count if JOIN not in type}
    frequent = {type for type, times in count.items() if JOIN in type and times > 1}
    return sorted(singles | {part for type in count for part in [type.split(JOIN)[0]]} | frequent)


def learn_splits(sentences: Sequence[Sentence]) -> Splitter:
    """How the multiword tokens of a treebank come apart."""
    seen = [(r.form, s.forms[r.start - 1 : r.end]) for s in sentences for r in s.ranges]
    alone = Counter(form.lower() for s in sentences for a, b, form, _ in s.surface_tokens() if a == b) if seen else None
    return Splitter.learn(seen, alone)


def words_of(passage: Passage) -> list[str]:
    """The surface tokens as strings."""
    return [passage.text[a:b] for a, b in passage.spans]


def in_characters(tokens: Sequence[Token], starts: Sequence[int], ends: Sequence[int]) -> list[Token]:
    """Tokens over units as tokens over the characters of the text."""
    return [Token(starts[a], ends[b - 1], type, final) for a, b, type, final in tokens]


def by_sentence(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each sentence; what is left over is a sentence too."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.final:
            yield group
            group = []
    if group:
        yield group


def join_tokens(
    tokens: Sequence[Token], starts: Sequence[int], ends: Sequence[int], text: str, matches: Sequence[Match]
) -> list[tuple[Token, str]]:
    """The tokens with those joined that together spell a dictionary word, and the tag it has there."""
    first = {starts[t.start]: k for k, t in enumerate(tokens)}
    last = {ends[t.end - 1]: k for k, t in enumerate(tokens)}
    longest: dict[int, tuple[int, str]] = {}
    for match in matches:
        if match.start in first and match.end in last and last[match.end] > first[match.start]:
            k = first[match.start]
            if not any(t.final for t in tokens[k : last[match.end]]):
                longest.setdefault(k, (last[match.end], match.entry.tag))
    joined: list[tuple[Token, str]] = []
    k = 0
    while k < len(tokens):
        end, tag = longest.get(k, (k, ""))
        joined.append((Token(tokens[k].start, tokens[end].end, "", tokens[end].final), tag))
        k = end + 1
    return joined


def word_offsets(surface: str, words: Sequence[str], start: int) -> list[tuple[int, int]]:
    """Where the words of a token are: each its own part when they spell it, else all of it."""
    if len(words) == 1 or "".join(words) != surface:
        return [(start, start + len(surface))] * len(words)
    found = []
    for word in words:
        found.append((start, start + len(word)))
        start += len(word)
    return found
