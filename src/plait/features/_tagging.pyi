import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.core._templates import Templates
from plait.core._weights import Scorer

Atoms = npt.NDArray[np.uint64]
Tags = npt.NDArray[np.uint16]
Floats = npt.NDArray[np.float32]

def tag_scores(
    weights: Scorer,
    unigrams: Templates,
    bigrams: Templates,
    atoms: Atoms,
    pad: int,
    column: int,
    starts: npt.NDArray[np.int32],
    tag: Tags,
) -> tuple[Floats, Floats]: ...
def tag_delta(
    unigrams: Templates, bigrams: Templates, atoms: Atoms, pad: int, column: int, gold: Tags, predicted: Tags
) -> Delta: ...
