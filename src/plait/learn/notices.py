"""Notices about training options that the development scores speak against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MIN_EPOCHS = 4  # epochs from which on a fall of the scores says something


def notices(training: Mapping[str, Any], options: Any) -> Iterator[str]:
    """Messages for the user, from the training record of a model."""
    decides = training.get("decides")
    scores = [record["dev"].get(decides) for record in training.get("epochs", ())]
    if not decides or not scores or None in scores:
        return
    best = training["best_epoch"]
    top = f"dev {decides} {scores[best - 1]:.2f} in epoch {best}"
    warmup = options.greedy_epochs() if getattr(options, "beam", 1) > 1 and hasattr(options, "greedy_epochs") else 0
    if best <= warmup < len(scores):
        yield (
            f"the best epoch is one of the greedy warm-up ({top}), with the beam it was {max(scores[warmup:]):.2f} at "
            "most; more epochs, another --warmup, or --beam 1 may do better"
        )
    elif len(scores) >= MIN_EPOCHS and best <= len(scores) // 2 and scores[-1] < scores[best - 1]:
        patience = getattr(options, "patience", None)
        if patience:
            return  # the training ended early, as the user wants it to
        last = f"{scores[-1]:.2f} in epoch {len(scores)}"
        advice = "use fewer epochs" if patience is None else "use fewer epochs, or the option patience"
        yield f"the scores fell in later epochs: {top}, {last}; {advice}"
