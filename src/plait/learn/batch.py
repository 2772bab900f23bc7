"""Batch training: L-BFGS with periodic evaluation on development data, resumable after every iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from plait.arrays import AnyArray, Float64Array
from plait.learn.divergence import check_learned, check_score
from plait.learn.lbfgs import LBFGS
from plait.learn.records import IterationRecord, restore_records

DevScores = Callable[[AnyArray], dict[str, float]]  # weights -> scores on the development data


@dataclass
class BatchTrainer:
    """Runs a minimizer until it converges. Dev scores are only reported; the final weights are kept."""

    minimizer: LBFGS
    _: KW_ONLY
    dev_every: int
    measure: DevScores | None
    decides: str
    records: list[IterationRecord] = field(default_factory=list, init=False)

    @property
    def w(self) -> Float64Array:
        """The weights as they are."""
        return self.minimizer.w

    @property
    def best_epoch(self) -> int:
        """The last one."""
        return len(self.records)

    def run(self) -> Iterator[IterationRecord]:
        """The iterations still to be done."""
        for record in self.minimizer.run(self.records):
            check_score(record.objective)
            check_score(record.gradient)
            check_learned(self.w)
            if self.measure is not None and self._is_measured(record.epoch):
                record = replace(record, dev=self.measure(self.w))
            self.records.append(record)
            yield record

    def _is_measured(self, iteration: int) -> bool:
        return iteration % self.dev_every == 0 or iteration == self.minimizer.iterations

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Header and arrays of a checkpoint."""
        header, arrays = self.minimizer.state()
        records = [record.to_dict() for record in self.records]
        return {"records": records, "decides": self.decides, "lbfgs": header}, arrays

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
        """Go on from a checkpoint of the same data and options."""
        records = restore_records(IterationRecord, header, self.decides, self.minimizer.iterations)
        # scores of what was the last iteration then, and is none that this run would evaluate
        self.records = [r if self._is_measured(r.epoch) else replace(r, dev={}) for r in records]
        self.minimizer.resume(header["lbfgs"], arrays)
        if len(self.minimizer.objectives) != len(self.records) + 1:
            raise ValueError(f"{len(self.minimizer.objectives)} objectives after {len(self.records)} iterations")
