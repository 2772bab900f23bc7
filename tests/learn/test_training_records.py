"""Records of epochs: how they are printed, which one is best, and what a checkpoint may hold."""

import math

import pytest

from plait.errors import ModelError
from plait.learn.records import EpochRecord, IterationRecord, PassRecord, best_epoch, restore_records, training_record


def records(*scores):
    return [EpochRecord(k, 5, 2, 1.0, 7, dev={"las": score, "uas": 1.0}) for k, score in enumerate(scores, 1)]


def test_records_as_the_command_line_prints_them():
    epoch = EpochRecord(2, 10, 3, 4.0, 5, dev={"las": 50.0, "uas": 60.125}, seconds=1.25)
    assert epoch.line() == (
        "epoch   2  updates       3  errors         4  features         5  dev las 50.00  dev uas 60.12  1.2 s"
    )
    iteration = IterationRecord(12, 1.5, 0.25, 1, 9)
    assert iteration.line() == ("iteration  12  objective         1.500  gradient      0.250  weights         9  0.0 s")
    # a pass has an epoch, as its option and the notices call it, and no gradient
    assert PassRecord(3, 1.5, 4, 9).line() == "epoch   3  loss         1.500  weights         9  0.0 s"


def test_the_best_epoch_is_the_first_with_the_highest_score_and_without_a_measure_the_last():
    assert best_epoch(records(1.0, 3.0, 3.0, 2.0), "las") == 2
    assert best_epoch(records(1.0, 3.0, 2.0), "") == 3
    assert best_epoch([], "las") == best_epoch([], "") == 0


def test_a_header_has_the_records_without_their_seconds():
    found = training_record(records(4.0), 1, "las")
    assert found == {
        "epochs": [{"epoch": 1, "examples": 5, "updates": 2, "errors": 1.0, "features": 7,
                    "dev": {"las": 4.0, "uas": 1.0}}],
        "best_epoch": 1, "decides": "las",
    }  # fmt: skip


def test_a_checkpoint_gives_its_records_back():
    header = {"records": [record.to_dict() for record in records(1.0, 2.0)], "decides": "las"}
    assert restore_records(EpochRecord, header, "las", 2) == records(1.0, 2.0)
    header["records"][1]["dev"] = {}  # not measured in this epoch
    assert restore_records(EpochRecord, header, "las", 2)[1].dev == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dev": [1.0]}, "record 2 has no score 'las'"),
        ({"dev": 3}, "record 2 has no score 'las'"),
        ({"dev": {"uas": 1.0}}, "record 2 has no score 'las'"),
        ({"epoch": 1}, "record 2 contains a value that is not a finite number"),
        ({"epoch": 3}, "record 2 contains a value that is not a finite number"),
        ({"errors": math.nan}, "record 2 contains a value that is not a finite number"),
        ({"updates": math.inf}, "record 2 contains a value that is not a finite number"),
        ({"updates": True}, "record 2 contains a value that is not a finite number"),
        ({"updates": "2"}, "record 2 contains a value that is not a finite number"),
        ({"dev": {"las": "x"}}, "record 2 contains a value that is not a finite number"),
    ],
)
def test_records_that_no_training_writes_are_refused(change, words):
    made = [record.to_dict() for record in records(1.0, 2.0)]
    made[1] |= change
    with pytest.raises(ValueError, match=words):
        restore_records(EpochRecord, {"records": made, "decides": "las"}, "las", 2)


def test_records_of_another_measure_or_of_more_epochs_are_refused():
    header = {"records": [record.to_dict() for record in records(1.0, 2.0)], "decides": "las"}
    with pytest.raises(ValueError, match="the best epoch by 'las' is not the best by 'uas'"):
        restore_records(EpochRecord, header, "uas", 2)
    with pytest.raises(ModelError, match=r"^has more epochs than requested; increase --epochs or omit --resume$"):
        restore_records(EpochRecord, header, "las", 1)
