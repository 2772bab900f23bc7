"""Batches of rows of any type: Arrow tables and record batches, pandas data frames, dicts of columns.

pyarrow and pandas are imported only for their own batches, so that neither is needed for the others.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plait.errors import DataError, OptionError
from plait.integrations.conversion import NUMBER, REAL, RECORDED, TEXT, TOKEN_COLUMNS


def column_values(batch: Any, name: str) -> list[Any]:
    """The values of a column as Python objects; missing ones are None.

    >>> column_values({"text": np.array(["a", None], dtype=object)}, "text")
    ['a', None]
    """
    names = column_names(batch)
    if name not in names:
        raise DataError(f'the batch has no column "{name}"; it has {", ".join(map(str, names)) or "none"}')
    if _is_arrow(batch):
        return batch.column(name).to_pylist()  # type: ignore[no-any-return]
    column = batch[name]
    if _is_frame(batch):
        return [value if present else None for value, present in zip(column, column.notna(), strict=True)]
    values = column.tolist() if isinstance(column, np.ndarray) else column
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]


def column_names(batch: Any) -> list[str]:
    """The names of the columns."""
    if _is_arrow(batch):
        return list(batch.schema.names)
    if _is_frame(batch):
        return list(batch.columns)
    if isinstance(batch, Mapping):
        return list(batch)
    raise OptionError(
        f"cannot annotate a {type(batch).__name__}; expected an Arrow table or record batch, a pandas data frame, "
        "or a dict of columns"
    )


def append_columns(batch: Any, columns: Mapping[str, Sequence[Any]], *, nested: bool, like: str) -> Any:
    """The batch with further columns: the first nested (records of tokens) or strings, the others strings.

    In a data frame strings have the type of the column ``like``.
    """
    there = [name for name in columns if name in column_names(batch)]
    if there:
        raise DataError(f'the batch has a column "{there[0]}" already; choose another name for the result')
    if _is_arrow(batch):
        return _append_arrow(batch, columns, nested)
    if _is_frame(batch):
        import pandas as pd

        kind = batch[like].dtype if isinstance(batch[like].dtype, pd.StringDtype) else object
        kinds = [object if nested else kind, *[kind] * (len(columns) - 1)]
        return batch.assign(
            **{
                name: pd.Series(list(values), index=batch.index, dtype=dtype)
                for (name, values), dtype in zip(columns.items(), kinds, strict=True)
            }
        )
    as_arrays = isinstance(batch[like], np.ndarray)  # the columns of one batch are all of one kind
    return {
        **batch,
        **{name: np.fromiter(values, object) if as_arrays else list(values) for name, values in columns.items()},
    }


def arrow_schema(schema: Any, names: Sequence[str], *, nested: bool) -> Any:
    """An Arrow schema with further columns, as ``append_columns`` adds them."""
    import pyarrow as pa

    for k, name in enumerate(names):
        schema = schema.append(pa.field(name, _tokens_type() if nested and k == 0 else pa.string()))
    return schema


def _append_arrow(batch: Any, columns: Mapping[str, Sequence[Any]], nested: bool) -> Any:
    import pyarrow as pa

    schema = arrow_schema(batch.schema, list(columns), nested=nested)
    arrays = [pa.array(values, type=schema.field(name).type) for name, values in columns.items()]
    return type(batch).from_arrays([*batch.columns, *arrays], schema=schema)


def _tokens_type() -> Any:
    import pyarrow as pa

    kinds = {TEXT: pa.string(), NUMBER: pa.int32(), REAL: pa.float64()}
    return pa.list_(pa.struct([(name, kinds[TOKEN_COLUMNS[name]]) for name in RECORDED]))


def _is_arrow(batch: Any) -> bool:
    pa = sys.modules.get("pyarrow")  # a batch of its own has been made with it
    return pa is not None and isinstance(batch, (pa.Table, pa.RecordBatch))


def _is_frame(batch: Any) -> bool:
    pd = sys.modules.get("pandas")
    return pd is not None and isinstance(batch, pd.DataFrame)
