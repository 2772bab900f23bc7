"""Several analyses from the beam: the slow twin's, best first, the model's own answer before all others."""

from random import Random

import pytest
from test_transition_search import Model, sentence

import plait
from plait.data.document import Sentence
from plait.data.trees import is_tree
from plait.pipeline import train


@pytest.mark.parametrize(("b1", "b2"), [(1, 0), (2, 0), (4, 2), (8, 4)])
def test_the_end_of_the_beam_equals_that_of_the_slow_twin(b1, b2):
    random = Random(b1 + 10 * b2)
    for n in (1, 2, 4, 6):
        model = Model(n, b1, b2, graph=True)
        given = sentence(n, 3, random, model.features)
        beam = model.twin.beam(given, b1, b2)
        found = model.search.analyses(*given, b1 + b2)
        assert [tuple(trace) for *_, trace in found] == [state.path for state in beam]
        assert [score for *_, score, _ in found] == pytest.approx([state.score for state in beam], abs=1e-4)
        for (tags, heads, labels, _, _), state in zip(found, beam, strict=True):
            assert {(h, i, y) for i, (h, y) in enumerate(zip(heads, labels, strict=True), 1)} == state.arcs
            assert dict(enumerate(tags.tolist(), 1)) == dict(state.tags)
        assert len(model.search.analyses(*given, 2)) == min(2, len(beam))


@pytest.mark.parametrize("name", ["transition-parser", "transition-joint"])
def test_models_give_their_own_answer_first_and_no_analysis_twice(tiny_file, name):
    treebank = plait.read(tiny_file).sentences
    model = train(name, train=treebank, epochs=2, folds=2, beam=6, tagger_epochs=2)
    room = 6 + getattr(model.system.options, "beam_tags", 0)
    for gold in treebank[:5]:
        own = model(gold.forms)[0]
        found = [document[0] for document in model.nbest(gold.forms, 50)]
        assert 1 < len(found) <= room
        assert (found[0], found[0].score, found[0].trace) == (own, own.score, own.trace)
        read = {(tuple(s.upos), tuple(s.heads), tuple(s.deprels)) for s in found}
        assert len(read) == len(found)
        assert all(is_tree(s.heads) for s in found)
        assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
        assert model.system.alternatives(Sentence(gold.forms), 2) == found[:2]
    assert [len(d[0]) for d in model.nbest(Sentence([]), 2)] == [0]
