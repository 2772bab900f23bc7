from plait.arrays import AnyArray, Int32Array, UInt16Array

class LabelFilter:
    classes: int
    labels: int
    starts: Int32Array
    known: UInt16Array
    def __init__(self, classes: int, labels: int, starts: Int32Array, known: UInt16Array) -> None: ...
    def arrays(self) -> dict[str, AnyArray]: ...
    def labels_of(self, head: int, dependent: int) -> list[int]: ...
