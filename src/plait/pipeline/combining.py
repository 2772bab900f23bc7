"""Combining trained models into one file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from plait.chain.crf_segmenter import CrfSegmenter
from plait.committee.options import CommitteeOptions
from plait.committee.system import Committee, check_members, members_text
from plait.committee.training import make_committee
from plait.data.document import Sentence
from plait.errors import OptionError
from plait.morphology.lemmatizer import Lemmatizer
from plait.options import make_options
from plait.pipeline.agreement import COARSE
from plait.pipeline.model import Model
from plait.pipeline.system import (
    LEMMATIZER,
    PARSER,
    SEGMENTER,
    TAGGER,
    Pipeline,
    learn_agreement,
    options_of,
    segmenter_inside,
)
from plait.system import System


def combine(
    segmenter: Model,
    parser: Model,
    tagger: Model | None = None,
    lemmatizer: Model | None = None,
    *,
    train: Iterable[Sentence] | None = None,
) -> Model:
    """One ``pipeline`` model of a crf-segmenter, a parser, and optionally a tagger for another column and a lemmatizer.

    From a pipeline the matching part is used. The records of the models' training data are kept.

    train: the data of parser and tagger, from which consistent tags are learnt; the tagger then chooses among the tags
        that occur with the UPOS of the parser. By default those of the tagger's pipeline, if it comes from one.
    """
    given = {SEGMENTER: segmenter, PARSER: parser, TAGGER: tagger, LEMMATIZER: lemmatizer}
    models = {name: model for name, model in given.items() if model is not None}
    parts = {name: _part(name, model.system) for name, model in models.items()}
    cutter = parts[SEGMENTER]
    if parts[PARSER].finds_words and cutter is not segmenter_inside(parts[PARSER]):
        raise OptionError(f"{parts[PARSER].name} has its own segmenter; give its model as the segmenter, too")
    if not isinstance(cutter, CrfSegmenter):
        raise OptionError(f"{cutter.name} does not segment text; expected a crf-segmenter model first")
    lemmas = parts.get(LEMMATIZER)
    if lemmas is not None and not isinstance(lemmas, Lemmatizer):
        raise OptionError(f"{lemmas.name} is not a lemmatizer; leave it out, or give a lemmatizer model")
    for name in (PARSER, TAGGER):
        if name in parts and parts[name].segments and not (name == PARSER and parts[name].finds_words):
            raise OptionError(f"{parts[name].name} segments raw text; expected a tagger or parser as {name}")
    if TAGGER in parts and set(parts[TAGGER].predicts) <= set(parts[PARSER].predicts) - parts[PARSER].takes:
        raise OptionError(f"{parts[PARSER].name} predicts all that {parts[TAGGER].name} does; leave the tagger out")
    options = options_of(cutter, parts[PARSER], parts.get(TAGGER), lemmas, _lemma_weight(tagger, lemmatizer))
    training = {name: system.training for name, system in parts.items()}
    agreement = None if tagger is None else getattr(tagger.system, "agreement", None)
    if train is not None:
        agreement = learn_agreement(train, parts[PARSER], parts.get(TAGGER))
        if agreement is None:
            raise OptionError(
                "--train is only used with a morph-tagger or crf-tagger and a parser that predicts UPOS; remove it"
            )
    elif COARSE not in parts[PARSER].predicts:
        agreement = None
    pipeline = Pipeline(options, cutter, parts[PARSER], parts.get(TAGGER), agreement, lemmas, training=training)
    return Model(pipeline, _header(pipeline, models, parser))


def _lemma_weight(tagger: Model | None, lemmatizer: Model | None) -> float:
    """The weight of lemmas in the pipelines from which both parts come; 0 if it is not the same."""
    if tagger is None or lemmatizer is None:
        return 0.0
    weights = {float(getattr(model.system.options, "lemma_weight", 0.0)) for model in (tagger, lemmatizer)}
    return weights.pop() if len(weights) == 1 else 0.0


def vote(
    models: Sequence[Model], *, dev: Sequence[Sentence] = (), weights: str = "", projective: bool = False
) -> Model:
    """One model whose members all analyse the words and vote: see ``committee``.

    Pipelines vote with their parsers; the result then has the segmenter, tagger and lemmatizer of the first of them,
    and accepts raw text as well.

    dev: development set, from which the weights of the members' votes are learnt.
    weights: of a vote: equal, accuracy or probability; by default accuracy with a development set, otherwise equal.
    """
    systems = [_part(PARSER, model.system) for model in models]
    options: CommitteeOptions = make_options(
        CommitteeOptions,
        {
            "members": members_text(systems),
            "weights": weights or ("accuracy" if dev else "equal"),
            "projective": projective,
        },
        Committee.name,
    )
    check_members(systems)
    committee = make_committee(options, systems, dev)
    parts = {f"member{number}": model for number, model in enumerate(models, 1)}
    voting = Model(committee, _header(committee, parts, models[0]))
    whole = next((model for model in models if isinstance(model.system, Pipeline)), None)
    if whole is None:
        return voting
    tagger, lemmatizer = (whole if getattr(whole.system, name) is not None else None for name in (TAGGER, LEMMATIZER))
    return combine(whole, voting, tagger, lemmatizer)


def _header(system: System, models: dict[str, Model], seeded: Model) -> dict[str, Any]:
    """The records of the parts, for the header of the combined model; the seed is that of one of them."""
    return {
        "system": system.name,
        "options": dataclasses.asdict(system.options),
        "data": {f"{name} {key}": data for name, model in models.items() for key, data in model.header["data"].items()},
        "training": system.training,
        "seed": seeded.header["seed"],
        "licence": _joined(models, "licence"),
        "attribution": _joined(models, "attribution"),
    }


def _part(name: str, system: System) -> System:
    if name == SEGMENTER and (inside := segmenter_inside(system)) is not None:
        return inside
    if not isinstance(system, Pipeline):
        return system
    part = getattr(system, name)
    if part is None:
        raise OptionError(f"this pipeline has no {name}; use another model")
    assert isinstance(part, System)
    return part


def _joined(models: dict[str, Model], key: str) -> str:
    """All that the models say, each once."""
    return "; ".join(dict.fromkeys(str(model.header[key]) for model in models.values() if model.header[key]))
