"""Packed tables that somebody wrote who knows the format: each breaks one rule, and has a sound twin beside it."""

import numpy as np
import pytest
from packed_by_hand import SECTIONS, PackedByHand

import plait
from plait.core._frozen import FrozenWeights, open_packed
from plait.core._packing import is_packable, pack
from plait.core._unpacking import unpack
from plait.errors import ModelError
from plait.system.modelfile import model_bytes, parse_model

SHAPES = [(17, 8), (17, 16), (13, 16), (300, 16)]


def refused(table, words, **changes):
    with pytest.raises(ValueError, match=f"the packed table is damaged: {words}"):
        unpack(table.array(**changes), table.labels, table.bits)


def opened(table):
    found = open_packed(table.array(), table.labels, table.bits, 1.0, 1)
    FrozenWeights(found.index, found.arena, table.labels, table.bits, 1.0, 1)  # which checks the rows as well
    return found


@pytest.mark.parametrize(("labels", "bits"), SHAPES)
def test_both_encoders_write_the_same(labels, bits):
    table = PackedByHand(labels, bits).sparse(3, 1, labels - 1).dense(0, 9, labels - 1).sparse().sparse(*range(12))
    found = opened(table)
    assert found.index[0, :5].tolist() == [10, 20, 30, 40, 0]
    packed = pack(found.index, found.arena, labels, bits)
    assert packed.tobytes() == table.array().tobytes()


@pytest.mark.parametrize(("labels", "bits"), SHAPES)
def test_a_row_has_at_most_as_many_weights_as_there_are_labels(labels, bits):
    full = [*range(labels)]
    assert opened(PackedByHand(labels, bits).sparse(*full).sparse(1)).arena[0] == labels
    refused(PackedByHand(labels, bits).sparse(*full, 0).sparse(1), "a row with more weights than labels")


def test_a_size_beyond_16_bits_is_not_cut_to_them():
    """There is space for 65,538 entries, but the count of a row, in 16 bits, would say 2."""
    refused(PackedByHand(17, 8).sparse(*[7] * 65538), "a row with more weights than labels")


@pytest.mark.parametrize("size", [3, 300, 2**30])
def test_a_row_does_not_reach_behind_the_arena(size):
    table = PackedByHand(300, 16).sparse(1, 2, size=size)
    refused(table, "more rows than there is space for" if size <= 300 else "a row with more weights than labels")


@pytest.mark.parametrize(("labels", "bits"), SHAPES)
def test_a_mask_has_no_label_behind_the_last(labels, bits):
    """With 17 labels of 8 bits, number 17 would hit the byte that fills up the row, the others the row behind it."""
    sound = opened(PackedByHand(labels, bits).dense(labels - 1).dense(0))
    assert (sound.arena != 0).sum() == 2
    for label in range(labels, (labels + 7) // 8 * 8):
        refused(PackedByHand(labels, bits).dense(label).dense(0), "a label that is none")


@pytest.mark.parametrize("label", [-1, -2, 300, 301, 65535, 65836])
def test_a_gap_does_not_lead_outside_the_labels(label):
    assert opened(PackedByHand(300, 16).sparse(4, 299, 0)).arena[:4].tolist() == [3, 4, 299, 0]
    refused(PackedByHand(300, 16).sparse(4, label), "a label that is none")


def test_the_models_of_labels_have_no_others():
    opened(PackedByHand(17, 8).sparse(16))
    refused(PackedByHand(17, 8).sparse(17), "symbols that no table holds")


def test_many_labels_have_no_contexts():
    with pytest.raises(ValueError, match="contexts that this version does not read"):
        unpack(PackedByHand(300, 16).sparse(4).array(context=1), 300, 16)


def test_a_shared_row_is_one_that_was_read():
    table = PackedByHand(13, 16).sparse(4, shared=True).sparse(5, shared=True).reference(2).reference(1)
    assert opened(table).index[0, 8:10].tolist() == [6, 0]
    refused(table.reference(3), "a shared row that is not there")


def test_buckets_have_no_more_features_than_the_table():
    table = PackedByHand(13, 16).sparse(4).sparse(5)
    refused(table, "more features than there are", features=1)
    refused(PackedByHand(13, 16).sparse(1), "more features than there are", features=0)
    refused(table, "less than it says", features=3)
    nine = PackedByHand(13, 16)
    for _ in range(9):
        nine.sparse(1)
    refused(nine, "symbols that no table holds")


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("more", [1, 4, 400])
def test_no_section_is_longer_than_what_is_read_of_it(section, more):
    table = PackedByHand(300, 16).sparse(*range(239)).dense(3)  # a size that needs the rest
    sections = table.sections()
    opened(table)
    refused(table, "(streams|models) of another length", sections=sections | {section: sections[section] + bytes(more)})


@pytest.mark.parametrize("section", SECTIONS)
def test_no_section_is_shorter_than_what_is_read_of_it(section):
    """The rest is four bits of 0, of 240, which a reader would also find behind its end."""
    table = PackedByHand(300, 16).sparse(*range(239)).dense(3)
    sections = table.sections()
    with pytest.raises(ValueError, match=r"the packed table is damaged"):
        unpack(table.array(sections | {section: sections[section][:-4]}), 300, 16)


@pytest.mark.parametrize("section", ["slots", "labels", "weights"])
@pytest.mark.parametrize("state", [0, 1])
def test_a_stream_ends_in_the_state_in_which_it_began(section, state):
    """Where a model has one symbol only, no symbol shows that the state is another one."""
    table = PackedByHand(13, 16).sparse(4)
    sections = table.sections()
    states = np.frombuffer(sections[section], dtype="<u8").copy()
    states[state] += 1
    refused(table, "streams of another length", sections=sections | {section: states.tobytes()})


def test_places_of_rows_have_31_bits():
    """Were there more units, the place of a row could be cut to one in the middle of another."""
    features = 1 << 25
    assert is_packable(features, 9, 2**31 - 1)
    assert not is_packable(features, 9, 2**31)
    packed = np.zeros(40 + 3 * features, dtype=np.uint8)
    packed[:12].view("<u4")[:] = features, 9, 2**31
    with pytest.raises(ValueError, match="larger than its features allow"):
        unpack(packed, 17, 8)


@pytest.fixture(scope="module")
def parts(tiny_file):
    return parse_model(plait.train("crf-tagger", train=plait.read(tiny_file), epochs=1).to_bytes())


def with_table(parts, packed):
    header, arrays = parts
    return plait.Model.from_bytes(model_bytes(header, {**arrays, "t.packed": packed}))


def test_a_forged_table_is_a_model_error(parts):
    entry = parts[0]["crf"]["tables"]["t"]
    labels, bits = entry["labels"], entry["bits"]
    assert (labels, bits, entry["kind"]) == (13, 16, "packed")
    sound = PackedByHand(labels, bits).dense(12).sparse(*range(13))
    assert len(with_table(parts, sound.array())(["Dogs", "bark"])[0].upos) == 2
    sections = sound.sections()
    for packed, words in (
        (PackedByHand(labels, bits).dense(13).dense(0).array(), "a label that is none"),
        (PackedByHand(labels, bits).sparse(*range(13), 0).array(), "a row with more weights than labels"),
        (sound.array(sections | {"slots": sections["slots"] + bytes(8)}), "streams of another length"),
    ):
        with pytest.raises(ModelError, match=f"damaged weight table: the packed table is damaged: {words}; train or"):
            with_table(parts, packed)


def test_a_table_for_which_there_is_no_memory_is_a_model_error(parts, monkeypatch):
    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr("plait.core.tables.open_packed", exhausted)
    with pytest.raises(ModelError, match="model: a weight table is too large for the available memory"):
        with_table(parts, PackedByHand(13, 16).sparse(4).array())
