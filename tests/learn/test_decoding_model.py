"""A model in training whose decoder follows its tables."""

from plait.core._weights import Weights
from plait.learn.decoding_model import DecodingModel


def test_new_tables_have_a_new_decoder():
    made = []

    def make_decoder(tables):
        made.append(tables)
        return len(made)

    first, second = {"all": Weights(2)}, {"all": Weights(2)}
    model = DecodingModel(make_decoder, first)
    assert model.tables is first
    assert model._decoder == 1
    model.tables = second
    assert model.tables is second
    assert model._decoder == 2
    assert made == [first, second]
