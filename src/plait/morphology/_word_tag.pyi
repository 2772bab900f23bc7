import numpy as np
import numpy.typing as npt

MAX_PARTS: int

class WordTag:
    def __init__(self, upos: str, xpos: str, feats: str) -> None: ...
    def array(self) -> npt.NDArray[np.uint64]: ...
