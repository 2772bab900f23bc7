import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.features._templates import Templates

def item_scores(
    weights: Scorer, templates: Templates, atoms: npt.NDArray[np.uint64], pad: int
) -> npt.NDArray[np.float32]: ...
