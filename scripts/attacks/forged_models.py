"""Model files of every system with some header field or array forged: refused when loaded, or of use like any other."""

from __future__ import annotations

import copy
import random
import warnings
from contextlib import suppress
from typing import Any

from attacks import ACCEPTED, REFUSED
from attacks.forging import forge
from attacks.workspace import SYSTEMS, Workspace, command, random_text


def run(seed: int, workspace: Workspace) -> str:
    """Forge one model and use it."""
    from plait.errors import PlaitError
    from plait.pipeline.model import Model
    from plait.system.modelfile import model_bytes, parse_model

    rng = random.Random(seed)
    name = list(SYSTEMS)[seed % len(SYSTEMS)]
    content = b""
    while not content:
        header, arrays = parse_model(workspace.model_bytes(name))
        header = copy.deepcopy(header)
        arrays = dict(arrays)
        forge(rng, header, arrays)
        try:
            content = model_bytes(header, arrays)
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            continue  # what cannot even be written
    try:
        model = Model.from_bytes(content)
    except PlaitError:
        return REFUSED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        use(model, rng)
    if rng.random() < 0.2:
        path = workspace.folder / f"forged-{seed}.plait"
        path.write_bytes(content)
        try:
            command("info", str(path), *rng.choice([(), ("--json",)]))
        finally:
            path.unlink()
    return ACCEPTED


def use(model: Any, rng: random.Random) -> None:
    """All that a model can be asked; typed errors are as good as answers, which must be sound."""
    from plait.data.document import Sentence
    from plait.errors import PlaitError
    from plait.web.catalogue import ServedModel, abilities
    from plait.web.limits import Limits

    words = ["The", "old", "dog", "didn't", "see", "Mary", "狗", "."][: rng.randrange(1, 9)]
    n = len(words)
    given = Sentence(words, heads=[-1] * (n - 1) + [rng.choice([0, -1])], upos=["_"] * (n - 1) + ["NOUN"])
    calls = [
        lambda: model(words),
        lambda: model("The cat sleeps.\nDogs bark, don't they?"),
        lambda: model(random_text(rng, 30)),
        lambda: model(given, keep=True),
        lambda: model(words, scores=True),
        lambda: model.nbest(words, 3),
        lambda: model("Dogs bark loudly", dictionary=["Dogs bark"], mode=rng.choice(["force", "merge", "prefer"])),
        lambda: ServedModel("m", model, abilities(model)).describe(Limits()),
        lambda: type(model).from_bytes(model.to_bytes())(words),
    ]
    for call in calls:
        try:
            answer = call()
        except PlaitError:
            continue
        for document in answer if isinstance(answer, list) else [answer]:
            if not isinstance(document, dict):
                check(document, model)


def check(document: Any, model: Any) -> None:
    """Trees are trees, and the document can be written, or the format says why not."""
    from plait.data.trees import is_tree
    from plait.errors import PlaitError
    from plait.formats.conllu import write_conllu

    for sentence in document:
        if len(sentence) and "heads" in model.system.predicts:
            assert is_tree(sentence.heads), f"not a tree: {sentence.heads}"
    with suppress(PlaitError):  # a word with a NUL, say
        "".join(write_conllu(document))
