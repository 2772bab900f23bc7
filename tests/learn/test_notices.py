"""What a training says of its own options when the development scores speak against them."""

import logging
from types import SimpleNamespace

import pytest

import plait
from plait import Sentence
from plait.chain.options import CrfSegmenterOptions
from plait.easyfirst.options import EasyFirstOptions
from plait.learn.notices import notices


def told(scores, **options):
    epochs = [{"epoch": k, "dev": {"las": score, "uas": 50.0 + k}} for k, score in enumerate(scores, 1)]
    best = max(range(len(scores)), key=lambda k: scores[k]) + 1
    return list(notices({"epochs": epochs, "best_epoch": best, "decides": "las"}, EasyFirstOptions(**options)))


def test_a_beam_worse_than_its_greedy_warm_up_is_reported():
    (notice,) = told([60.0, 62.0, 61.0, 61.5], beam=8, warmup=2)
    assert "greedy warm-up (dev las 62.00 in epoch 2), with the beam it was 61.50 at most" in notice
    assert "--warmup" in notice
    (notice,) = told([60.0, 62.0, 61.0, 61.5, 61.0, 60.0], beam=8, epochs=6)  # a third of the epochs, by default
    assert "greedy warm-up (dev las 62.00 in epoch 2), with the beam it was 61.50 at most" in notice


def test_a_beam_that_gains_is_not():
    assert told([60.0, 62.0, 61.0, 62.5], beam=8, warmup=2) == []
    assert told([60.0, 62.0], beam=8, warmup=2) == []  # no epoch with the beam yet


def test_useless_epochs_are_reported():
    (notice,) = told([60.0, 62.0, 61.0, 60.5])
    assert "dev las 62.00 in epoch 2, 60.50 in epoch 4" in notice
    assert notice.endswith("use fewer epochs, or the option patience")
    assert told([60.0, 61.0, 62.0, 60.5]) == []
    assert told([60.0, 62.0, 61.0, 62.0]) == []  # no worse than before
    assert told([62.0, 60.0]) == []  # too few to say anything


def test_the_narrowest_beam_is_a_beam_and_systems_without_one_get_a_notice_about_epochs():
    assert "greedy warm-up" in told([62.0, 60.0], beam=2, warmup=1)[0]
    epochs = [{"dev": {"las": score}} for score in (62.0, 60.0, 60.0, 60.0)]
    (notice,) = notices({"epochs": epochs, "best_epoch": 1, "decides": "las"}, object())
    assert "dev las 62.00 in epoch 1, 60.00 in epoch 4" in notice


def test_who_has_chosen_a_patience_is_not_told_of_it():
    assert told([60.0, 62.0, 61.0, 60.5], patience=2) == []


def test_systems_without_patience_are_not_told_of_it():
    epochs = [{"dev": {"text_f1": score}} for score in (100.0, 99.0, 98.0, 97.0)]
    (notice,) = notices({"epochs": epochs, "best_epoch": 1, "decides": "text_f1"}, CrfSegmenterOptions())
    assert notice.endswith("97.00 in epoch 4; use fewer epochs")


def test_scores_that_were_not_taken_in_every_epoch_tell_nothing():
    epochs = [{"dev": {"las": 62.0}}, {"dev": {}}, {"dev": {}}, {"dev": {"las": 60.0}}]
    assert list(notices({"epochs": epochs, "best_epoch": 1, "decides": "las"}, EasyFirstOptions())) == []


def test_without_development_data_nothing_is_told():
    assert list(notices({"epochs": [{"dev": {}}] * 8, "best_epoch": 8, "decides": ""}, EasyFirstOptions())) == []
    assert list(notices({}, EasyFirstOptions())) == []


def test_a_training_logs_its_notices_and_those_of_parts_and_members(caplog, monkeypatch):
    monkeypatch.setattr("plait.pipeline.training.notices", lambda training, options: [f"{type(options).__name__}"])
    data = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]
    with caplog.at_level(logging.WARNING, "plait"):
        plait.train("pipeline", train=data, tagger="perceptron-tagger")
    assert [record.getMessage() for record in caplog.records] == [
        "pipeline: PipelineOptions",
        "pipeline, crf-segmenter: CrfSegmenterOptions",
        "pipeline, transition-joint: TransitionJointOptions",
        "pipeline, perceptron-tagger: PerceptronTaggerOptions",
    ]
    caplog.clear()
    with caplog.at_level(logging.WARNING, "plait"):
        plait.train("committee", train=data, weights="equal", members="easyfirst-joint epochs=1; perceptron-tagger")
    assert [record.getMessage() for record in caplog.records] == [
        "committee: CommitteeOptions",
        "committee, easyfirst-joint: EasyFirstJointOptions",
        "committee, perceptron-tagger: PerceptronTaggerOptions",
    ]


def test_without_records_or_without_a_measure_that_decides_nothing_is_told():
    epochs = [{"dev": {"las": score}} for score in (62.0, 60.0, 60.0, 60.0)]
    assert list(notices({}, object())) == []
    assert list(notices({"epochs": epochs, "best_epoch": 1, "decides": ""}, object())) == []
    assert list(notices({"epochs": [], "best_epoch": 0, "decides": "las"}, object())) == []


def test_a_best_epoch_in_the_middle_is_early_and_one_after_it_is_not():
    assert len(told([60.0, 62.0, 61.0, 61.0, 60.0])) == 1  # the second of five
    assert told([60.0, 61.0, 62.0, 61.0, 60.0]) == []  # the third


@pytest.mark.parametrize("options", [{"beam": 8}, {"beam": 1, "warmup": 2}, {"warmup": 2}])
def test_only_a_beam_after_a_warm_up_is_told_of_it(options):
    epochs = [{"dev": {"las": score}} for score in (62.0, 60.0, 60.0, 60.0)]
    (notice,) = notices({"epochs": epochs, "best_epoch": 1, "decides": "las"}, SimpleNamespace(**options))
    assert notice.startswith("the scores fell in later epochs")


def test_greedy_systems_have_no_warm_up_to_be_told_of():
    assert told([62.0, 60.0], beam=1) == []
