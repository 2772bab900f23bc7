from typing import Any

import numpy as np
import numpy.typing as npt

from plait.morphology._parts import TagParts

def seen_rows(
    features: npt.NDArray[np.int32],
    count: int,
    gold: npt.NDArray[np.uint16],
    tag_parts: TagParts,
    tag_templates: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]: ...
