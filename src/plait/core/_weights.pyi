from plait.arrays import Float32Array, Float64Array, Int64Array, UInt16Array, UInt64Array

class Scorer:
    labels: int
    def scores(self, keys: UInt64Array) -> Float32Array: ...

class Trainable(Scorer):
    clock: float
    def tick(self) -> None: ...
    def get(self, key: int, label: int) -> float: ...
    def update(self, key: int, label: int, amount: float) -> None: ...

class Weights(Trainable):
    def __init__(self, labels: int, expected_rows: int = 0) -> None: ...
    def __len__(self) -> int: ...
    def export(
        self, averaged: bool = True, zeros: bool = False
    ) -> tuple[UInt64Array, Int64Array, UInt16Array, Float32Array, Float64Array]: ...
    @classmethod
    def restore(
        cls,
        labels: int,
        clock: float,
        keys: UInt64Array,
        starts: Int64Array,
        label_list: UInt16Array,
        values: Float32Array,
        sums: Float64Array,
    ) -> Weights: ...
