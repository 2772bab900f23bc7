"""Parquet files: rows keep their columns and their order, and get a new column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from plait.errors import DataError, OptionError
from plait.integrations.annotator import Annotator
from plait.integrations.batches import column_values
from plait.integrations.bulk.partitions import Cut, Kind, Outcome

ROWS = 256  # in memory at once


class Parquet(Kind):
    """Rows of a Parquet file; partitions need not begin where row groups do."""

    name = "parquet"
    suffixes = (".parquet", ".pq")

    def check(self, annotator: Annotator) -> None:
        """Parquet needs pyarrow."""
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise OptionError("Parquet needs pyarrow; install it with: pip install 'plait[arrow]'") from None

    def cut(self, file: Path, size: int) -> Iterator[Cut]:
        """Runs of ``size`` rows."""
        with file.open("rb") as opened:
            rows = _open(opened, file).metadata.num_rows
        weight = file.stat().st_size
        for begin in range(0, max(rows, 1), size):
            end = min(begin + size, rows)
            yield Cut(begin, end, 1, weight * (end - begin) // max(rows, 1))

    def write(self, source: Path, name: str, annotator: Annotator, outcome: Outcome, target: IO[bytes]) -> None:
        """Analyse a partition some rows at a time, and write it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        with source.open("rb") as opened:
            file = _open(opened, source)
            there = file.schema_arrow.names
            if annotator.text_column not in there:
                raise DataError(
                    f'{name}: no column "{annotator.text_column}"; found {", ".join(there)}; choose --text-column'
                )
            if taken := [column for column in annotator.new_columns if column in there]:
                raise DataError(f'{name}: the column "{taken[0]}" already exists; choose --output-column')
            with pq.ParquetWriter(target, annotator.arrow_schema(file.schema_arrow), compression="zstd") as writer:
                for first, rows in self._rows(file, outcome.partition.cut):
                    texts = column_values(rows, annotator.text_column)
                    analyses = annotator.analyse_all(texts)
                    for row, analysis in enumerate(analyses, first + 1):
                        outcome.count(analysis, f"{name}: row {row}", stop=annotator.on_error == "stop")
                    writer.write_table(pa.Table.from_batches([annotator.extend(rows, analyses)]))

    def _rows(self, file: Any, cut: Cut) -> Iterator[tuple[int, Any]]:
        """(number of the first row from 0, record batch) of the rows of a cut."""
        assert cut.end is not None
        at = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if at + count <= cut.begin or at >= cut.end:
                at += count
                continue
            for rows in file.iter_batches(ROWS, row_groups=[group]):
                begin, end = max(cut.begin - at, 0), min(cut.end - at, len(rows))
                if begin < end:
                    yield at + begin, rows.slice(begin, end - begin)
                at += len(rows)


def _open(opened: IO[bytes], file: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(opened)
    except pa.ArrowException as error:
        raise DataError(f"{file}: not a Parquet file, or damaged ({str(error).splitlines()[0]})") from None
