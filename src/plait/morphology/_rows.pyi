from plait.arrays import AnyArray, Int32Array, Int64Array, UInt8Array, UInt16Array
from plait.morphology._parts import TagParts

def seen_rows(
    features: Int32Array, count: int, gold: UInt16Array, tag_parts: TagParts, tag_templates: UInt8Array
) -> tuple[Int64Array, AnyArray]: ...
