from plait.arrays import UInt64Array

MAX_PARTS: int

class WordTag:
    def __init__(self, upos: str, xpos: str, feats: str) -> None: ...
    def array(self) -> UInt64Array: ...
