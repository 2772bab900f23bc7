"""Train, save, load, predict: in one process, in many, in threads, and the same every time."""

import multiprocessing
import pickle
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import plait
from plait.errors import DataError, ModelError, OptionError, PlaitError
from plait.system.modelfile import model_bytes, parse_model

SYSTEM = "perceptron-tagger"


@pytest.fixture(scope="module")
def tagger(treebank):
    return plait.train(SYSTEM, train=treebank, epochs=6)


def tags(model, document):
    return [sentence.upos for sentence in model(document)]


def test_the_tiny_treebank_is_learnt_by_heart(tagger, treebank):
    assert tags(tagger, treebank) == [sentence.upos for sentence in treebank]


def test_a_saved_model_predicts_the_same(tagger, treebank, tmp_path):
    tagger.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    assert tags(loaded, treebank) == tags(tagger, treebank)
    assert loaded.to_bytes() == tagger.to_bytes()


def test_equal_training_gives_equal_bytes(treebank):
    def once(seed):
        return plait.train(SYSTEM, train=treebank, dev=treebank[:4], epochs=3, seed=seed).to_bytes()

    assert once(1) == once(1) != once(2)


@pytest.mark.parametrize(
    "options", [{"table": "hash", "hash_bits": 14}, {"learner": "pa"}, {"learner": "spa"}, {"bits": 8}]
)
def test_every_table_and_learner_learns_it(treebank, options):
    model = plait.train(SYSTEM, train=treebank, epochs=8, **options)
    gold = [tag for s in treebank for tag in s.upos]
    right = sum(
        a == b for s, p in zip(treebank, model(treebank), strict=True) for a, b in zip(s.upos, p.upos, strict=True)
    )
    assert right >= 0.97 * len(gold)


@pytest.mark.parametrize("spec", ["lemma", "upos+feats", "deprel", "upos+deprel"])
def test_other_columns_and_joined_ones_are_predicted(treebank, spec):
    model = plait.train(SYSTEM, train=treebank, tag=spec, epochs=8)
    blank = [s.bare() for s in treebank]
    predicted = model(plait.Document(blank))
    for column in model.system.predicts:
        gold = [value for s in treebank for value in getattr(s, column)]
        mine = [value for s in predicted for value in getattr(s, column)]
        assert sum(a == b for a, b in zip(gold, mine, strict=True)) > 0.9 * len(gold)


def test_everything_but_the_predicted_column_stays(tagger, treebank):
    before = treebank.to_conllu()
    after = tagger(treebank)
    assert treebank.to_conllu() == before
    for old, new in zip(treebank, after, strict=True):
        new.upos = old.upos
        assert new == old


def test_any_layer_of_input_is_taken(tagger):
    text = tagger("The cat sleeps .\n\n  Dogs bark .  ")
    assert [s.forms for s in text] == [["The", "cat", "sleeps", "."], ["Dogs", "bark", "."]]
    assert all(text.source_text[t.start : t.end] == t.form for s in text for t in s)
    words = tagger(["The", "cat", "sleeps", "."])
    assert words[0].upos == text[0].upos == tagger(plait.Sentence(["The", "cat", "sleeps", "."]))[0].upos
    assert len(tagger("")) == len(tagger(" \n ")) == 0
    assert len(tagger([])[0]) == 0
    with pytest.raises(PlaitError, match="cannot analyse input of type int"):
        tagger(7)


@pytest.mark.parametrize("text", ["\x00", "\ud800 x", "🙂" * 3000, "\u200b\u202e x", "a" * 100_000, "\ufffd\ufeff"])
def test_strange_text_is_tagged_like_any_other(tagger, text):
    document = tagger(text)
    assert all(tag in tagger.system.tags for sentence in document for tag in sentence.upos)
    assert all(text[t.start : t.end] == t.form for sentence in document for t in sentence)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pipe_keeps_the_order_and_the_result_for_any_number_of_threads(tagger, treebank, threads):
    texts = [" ".join(s.forms) for s in treebank] * 20
    expected = [tags(tagger, text) for text in texts]
    assert [[s.upos for s in document] for document in tagger.pipe(texts, threads=threads)] == expected


def test_pipe_is_lazy(tagger):
    def endless():
        while True:
            yield "Dogs bark ."

    stream = tagger.pipe(endless(), threads=2)
    assert [len(next(stream)) for _ in range(300)] == [1] * 300
    stream.close()


def predict_elsewhere(model):
    return model(["The", "cat", "sleeps"])[0].upos


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_models_work_in_other_processes(tagger, method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(predict_elsewhere, [tagger] * 3))
    assert results == [predict_elsewhere(tagger)] * 3


def test_models_and_documents_pickle(tagger, treebank):
    again = pickle.loads(pickle.dumps(tagger))
    assert tags(again, treebank) == tags(tagger, treebank)
    assert pickle.loads(pickle.dumps(treebank)) == treebank


def test_one_model_serves_many_threads(tagger, treebank):
    expected = tags(tagger, treebank)
    found = [None] * 8

    def run(k):
        for _ in range(10):
            found[k] = tags(tagger, treebank)

    workers = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 8


def test_memory_stays_flat_over_many_sentences(tagger):
    words = ["The", "small", "cat", "sleeps", "."] * 4
    for _ in tagger.pipe(words for _ in range(2000)):
        pass
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in tagger.pipe((words for _ in range(20000)), threads=2):
        pass
    kilobyte = 1024 if sys.platform == "darwin" else 1  # the unit of macOS is a byte
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000 * kilobyte


def test_training_stops_and_goes_on_from_its_checkpoint(treebank, tmp_path):
    checkpoint = tmp_path / "state.plait"
    whole = plait.train(SYSTEM, train=treebank, dev=treebank[:6], epochs=5)

    def stop(record):
        if record.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plait.train(SYSTEM, train=treebank, dev=treebank[:6], epochs=5, checkpoint=checkpoint, on_epoch=stop)
    done = []
    resumed = plait.train(
        SYSTEM, train=treebank, dev=treebank[:6], epochs=5, checkpoint=checkpoint, resume=True,
        on_epoch=lambda record: done.append(record.epoch),
    )  # fmt: skip
    assert done == [3, 4, 5]
    assert resumed.to_bytes() == whole.to_bytes()


def test_a_checkpoint_with_another_template_file_is_refused(treebank, tmp_path):
    checkpoint, table = tmp_path / "state.plait", tmp_path / "mine.txt"
    table.write_text("set a\n w0 | t-1\n")
    common = {"train": treebank, "checkpoint": checkpoint, "templates": str(table)}
    plait.train(SYSTEM, epochs=1, **common)
    table.write_text("set a\n w0 | t-1 | suf1\n")
    with pytest.raises(ModelError, match="different data, options or seed"):
        plait.train(SYSTEM, epochs=2, resume=True, **common)


def test_a_checkpoint_with_more_epochs_than_asked_for_is_refused(treebank, tmp_path):
    checkpoint = tmp_path / "state.plait"
    plait.train(SYSTEM, train=treebank, epochs=3, checkpoint=checkpoint)
    with pytest.raises(ModelError, match="has more epochs"):
        plait.train(SYSTEM, train=treebank, epochs=2, checkpoint=checkpoint, resume=True)


@pytest.mark.parametrize(
    "change",
    [
        lambda h, a: a.pop("state.tags.keys"),
        lambda h, a: a["state.tags.starts"].__setitem__(1, -(10**12)),
        lambda h, a: a["state.tags.starts"].__setitem__(-1, 10**9),
        lambda h, a: a["state.tags.keys"].fill(0),
        lambda h, a: a["state.tags.values"].fill(np.nan),
        lambda h, a: a["state.tags.labels"].fill(60000),
        lambda h, a: a["best.tags.labels"].fill(60000),
        lambda h, a: h.update(checkpoint=5),
        lambda h, a: h["checkpoint"].pop("best_epoch"),
        lambda h, a: h["checkpoint"].update(best_epoch=99),
        lambda h, a: h["checkpoint"].update(records=[{"epoch": 1}]),
    ],
)
def test_a_forged_checkpoint_is_refused(treebank, tmp_path, change):
    checkpoint = tmp_path / "state.plait"
    common = {"train": treebank, "checkpoint": checkpoint, "templates": "collins"}
    plait.train(SYSTEM, epochs=1, **common)
    header, arrays = parse_model(checkpoint.read_bytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    checkpoint.write_bytes(model_bytes(header, arrays))
    with pytest.raises(ModelError):
        plait.train(SYSTEM, epochs=2, resume=True, **common)


def test_an_error_in_the_stream_comes_after_all_before_it(tagger):
    def broken():
        yield from ["Dogs bark ."] * 150
        raise ValueError("no more")

    for threads in (1, 3):
        seen = []
        with pytest.raises(ValueError, match="no more"):
            seen.extend(tagger.pipe(broken(), threads=threads))
        stream, seen = tagger.pipe(broken(), threads=threads), []
        try:
            for document in stream:
                seen.append(document)
        except ValueError:
            pass
        assert len(seen) == 150


def test_only_newlines_end_a_line(tagger):
    assert [s.forms for s in tagger("a b\x0cc\u2028d e\u0085f\ng")] == [["a", "b", "c", "d", "e", "f"], ["g"]]


def test_a_negative_seed_is_refused(treebank):
    with pytest.raises(OptionError, match="seed"):
        plait.train(SYSTEM, train=treebank, seed=-1)


def test_a_checkpoint_of_other_data_or_options_is_refused(treebank, tmp_path):
    checkpoint = tmp_path / "state.plait"
    plait.train(SYSTEM, train=treebank, epochs=1, checkpoint=checkpoint)
    for change in ({"train": treebank[:5]}, {"seed": 2}, {"learner": "pa"}, {"tag_dictionary": 3}):
        with pytest.raises(ModelError, match="different data, options or seed"):
            plait.train(SYSTEM, **{"train": treebank, "epochs": 2, "checkpoint": checkpoint, "resume": True, **change})
    with pytest.raises(ModelError, match="checkpoint, not a model"):
        plait.load(checkpoint)


def test_the_header_records_data_options_and_epochs(tagger, treebank):
    assert tagger.header["data"]["train"]["sentences"] == len(treebank)
    assert len(tagger.header["data"]["train"]["sha256"]) == 64
    assert tagger.header["options"]["epochs"] == 6
    assert [record["epoch"] for record in tagger.header["training"]["epochs"]] == [1, 2, 3, 4, 5, 6]
    assert tagger.header["training"]["heaviest"]["PUNCT"]


def test_unusable_training_data_and_options_are_refused(treebank):
    with pytest.raises(DataError, match="no words"):
        plait.train(SYSTEM, train=[])
    with pytest.raises(DataError, match='no "xpos" tags'):
        plait.train(SYSTEM, train=treebank, tag="xpos")
    with pytest.raises(OptionError, match="did you mean epochs"):
        plait.train(SYSTEM, train=treebank, epoch=3)
    with pytest.raises(OptionError, match="expected upos, xpos"):
        plait.train(SYSTEM, train=treebank, tag="uposs")
    with pytest.raises(OptionError, match="did you mean perceptron-tagger"):
        plait.train("perceptron-taggr", train=treebank)


def test_a_user_template_file_is_used(treebank, tmp_path):
    table = tmp_path / "mine.txt"
    table.write_text("set only\n w0 | suf1 | t-1\n")
    model = plait.train(SYSTEM, train=treebank, templates=str(table), epochs=5)
    assert [t.text for t in model.system.features.templates] == ["w0", "suf1", "t-1"]
    again = plait.pipeline.Model.from_bytes(model.to_bytes())
    table.unlink()  # the model holds all it needs
    assert tags(again, treebank) == tags(model, treebank)
    table.write_text("set wrong\n t+1\n")
    with pytest.raises(OptionError, match="t-1"):
        plait.train(SYSTEM, train=treebank, templates=str(table))


def test_training_takes_what_no_file_could_hold(treebank):
    odd = [plait.Sentence([]), plait.Sentence(["New York", "a\tb"], upos=["PROPN", "X"], heads=[0, 0])]
    model = plait.train(SYSTEM, train=[*treebank, *odd], epochs=2)
    assert model.header["data"]["train"]["sentences"] == len(treebank) + 2


def test_the_digest_tells_data_apart(treebank):
    def digest(sentences):
        return plait.train(SYSTEM, train=sentences, epochs=1).header["data"]["train"]["sha256"]

    changed = [sentence.copy() for sentence in treebank]
    changed[3][1].deprel = "other"
    commented = [sentence.copy() for sentence in treebank]
    commented[0].comments.append("# note")
    assert digest(treebank) == digest(commented) != digest(changed)


def test_open_tags_are_no_tags(treebank):
    partly = [*treebank, plait.Sentence(["a", "b"], upos=["_", "X"])]
    with pytest.raises(DataError, match="1 word has no UPOS in the training data, first in sentence"):
        plait.train(SYSTEM, train=partly)
    with pytest.raises(DataError, match="development set has no"):
        plait.train(SYSTEM, train=treebank, dev=[plait.Sentence(["a"])])
    with pytest.raises(DataError, match="cannot be"):
        plait.train(SYSTEM, train=[plait.Sentence(["a"], upos=["\ud800"])])
    with pytest.raises(DataError, match="different tags"):
        plait.train(SYSTEM, train=[plait.Sentence(list("ab") * 40_000, upos=[str(k) for k in range(80_000)])])


def test_threads_read_only_a_little_ahead_of_what_is_taken():
    from plait.pipeline.streams import BATCH_SIZE, in_order

    taken = 0

    def texts():
        nonlocal taken
        while True:
            taken += 1
            yield taken, "x" * BATCH_SIZE

    results = in_order(lambda numbered: numbered[0], texts(), threads=2)
    assert next(results) == 1
    assert taken < 12
    results.close()
