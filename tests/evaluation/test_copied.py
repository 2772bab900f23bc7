"""What a model took over from its input is called copied and not scored."""

import json

import pytest

import plait
from plait.cli.main import main
from plait.errors import DataError
from plait.evaluation import compare
from plait.evaluation.breakdown import breakdown, breakdowns, possible_breakdowns
from plait.evaluation.pairing import pair
from plait.evaluation.report import report_page
from plait.evaluation.scores import score


def gold() -> plait.Document:
    return plait.Document(
        [
            plait.Sentence(
                ["The", "dog", "barks"], lemmas=["the", "dog", "bark"], upos=["DET", "NOUN", "VERB"],
                xpos=["DT", "NN", "VBZ"], feats=["Definite=Def", None, "Number=Sing"], heads=[2, 3, 0],
                deprels=["det", "nsubj", "root"],
            ),
            plait.Sentence(["Go", "!"], upos=["VERB", "PUNCT"], heads=[0, 1], deprels=["root", "punct"]),
        ]
    )  # fmt: skip


def predicted(*columns: str, comment: bool = False) -> plait.Document:
    """A prediction with one error in each of the columns, which are marked as predicted by a model."""
    document = gold()
    for column in columns:
        values = getattr(document[0], column)
        values[0] = 3 if column == "heads" else "X"
    if comment:
        names = {"heads": "head", "deprels": "deprel", "lemmas": "lemma"}
        document[0].comments = ["# plait_columns = " + " ".join(names.get(c, c) for c in columns)]
    else:
        document.predicted_columns = frozenset(columns)
    return document


@pytest.mark.parametrize("comment", [True, False])
@pytest.mark.parametrize(
    ("columns", "copied", "scored"),
    [
        (["upos"], ["xpos", "feats", "lemma", "head", "deprel"], {"upos", "seg_upos_f1"}),
        (["heads"], ["upos", "xpos", "feats", "lemma", "deprel"], {"uas", "root", "complete"}),
        (["heads", "deprels"], ["upos", "xpos", "feats", "lemma"], {"uas", "las", "clas", "root", "complete"}),
        (
            ["upos", "heads", "deprels"],
            ["xpos", "feats", "lemma"],
            {"upos", "seg_upos_f1", "uas", "las", "tlas", "clas", "root", "complete"},
        ),
        (["feats", "xpos"], ["upos", "lemma", "head", "deprel"], {"feats", "xpos"}),
        ([], ["upos", "xpos", "feats", "lemma", "head", "deprel"], set()),
    ],
)
def test_only_what_the_model_found_is_scored(comment, columns, copied, scored):
    record = plait.evaluate(gold(), predicted(*columns, comment=comment)).to_dict()
    assert record.pop("copied") == copied
    assert set(record) == scored | {"tokens", "sentences", "seg_precision", "seg_recall", "seg_f1"}


def test_columns_of_which_nothing_is_said_are_scored_as_ever():
    document = gold()
    record = plait.evaluate(gold(), document).to_dict()
    assert "copied" not in record
    assert record["feats"] == record["las"] == 100.0
    bare = plait.Document([s.bare() for s in gold()])
    bare.predicted_columns = frozenset({"forms", "upos"})  # raw text: what is not there has not been copied
    assert plait.evaluate(gold(), bare).uas == 0.0


def test_the_table_says_copied():
    text = plait.evaluate(gold(), predicted("upos")).to_text()
    rows = dict(line.rsplit(maxsplit=1) for line in text.splitlines())
    assert rows["UPOS"] == "80.00"
    assert rows["XPOS"] == rows["FEATS"] == rows["UAS"] == rows["LAS"] == "copied"
    assert "TLAS" not in rows
    assert "CLAS" not in rows


def test_different_words_leave_copied_rows_out():
    other = predicted("upos", "heads", "deprels")
    other.sentences[1] = plait.Sentence(["Go!"], upos=["VERB"], heads=[0], deprels=["root"])
    rows = plait.evaluate(gold(), other).conll18
    assert set(rows) == {"Tokens", "Sentences", "Words", "UPOS", "UAS", "LAS", "CLAS"}


def test_breakdowns_leave_copied_columns_out():
    tags, trees = (pair(gold(), predicted(*columns)) for columns in (["upos"], ["heads", "deprels"]))
    assert breakdown(tags, "tag").columns[-1] == "F1"
    assert breakdown(trees, "tag").columns == ("tag", "gold", "UAS", "LAS")
    assert breakdown(tags, "sentence").columns[3:] == ("UPOS",)
    assert breakdown(trees, "sentence").columns[3:] == ("UAS", "LAS")
    for by in ("length", "label"):
        with pytest.raises(DataError, match=r"column .* was copied from the input"):
            breakdown(tags, by)
    with pytest.raises(DataError, match="copied"):
        breakdowns([tags, trees], "tag")
    assert possible_breakdowns(tags) == ("sentence", "tag")
    assert possible_breakdowns(trees) == ("length", "sentence", "tag", "label")
    assert possible_breakdowns(tags, trees) == ()


def test_two_systems_are_compared_in_what_both_predict():
    found = compare(gold(), predicted("upos", "heads", "deprels"), predicted("upos", "xpos"), samples=50)
    assert [row.measure for row in found.differences if not row.measure.startswith("seg")] == ["upos"]
    assert set(found.patterns) == {"upos"}
    text = found.to_text(("a.conllu", "b.conllu"))
    assert "A  has copied from its input, and is not scored on: xpos, feats, lemma" in text
    assert found.a.to_dict()["copied"] == ["xpos", "feats", "lemma"]


@pytest.mark.parametrize("against", [False, True])
def test_the_report_calls_them_copied(against):
    files = [predicted("heads", "deprels"), *([predicted("upos")] if against else [])]
    comparison = compare(gold(), *files, samples=50) if against else None
    pairings = [pair(gold(), document) for document in files]
    page = report_page(
        pairings, [score(p) for p in pairings], ["a", "b"][: len(files)], gold="g", comparison=comparison
    )
    a = "upos, xpos, feats, lemma (from the input of the model, not scored)"
    assert f"<dt>copied</dt><dd>{'A: ' if against else ''}{a}</dd>" in page
    assert ("B: xpos, feats, lemma, head, deprel" in page) == against
    for row in ("UPOS", "XPOS", "FEATS"):  # beside another system they are not in the table at all
        assert (f'<th scope="row">{row}</th><td>copied</td>' in page) == (not against)
    assert "TLAS" not in page


def test_parse_and_evaluate_agree(tiny_file, tmp_path, capsys):
    tagger, parser = tmp_path / "pos.plait", tmp_path / "trees.plait"
    plait.train("perceptron-tagger", train=tiny_file, epochs=1).save(tagger)
    plait.train("easyfirst-parser", train=tiny_file, epochs=1, gold_tags=True).save(parser)
    out = [tmp_path / f"{k}.conllu" for k in range(4)]
    assert main(["parse", "--model", str(tagger), "--input", str(tiny_file), "--output", str(out[0])]) == 0
    for source, target, options in ((out[0], out[1], []), (out[1], out[2], []), (out[0], out[3], ["--threads", "3"])):
        assert main(["parse", "--model", str(parser), "--input", str(source), "--output", str(target), *options]) == 0
    lines = out[1].read_text().splitlines()
    assert lines[:2] == [
        f"# generator = plait {plait.__version__}, model trees.plait",
        "# plait_columns = head deprel; upos from pos.plait",
    ]
    assert out[1].read_bytes() == out[2].read_bytes() == out[3].read_bytes()
    capsys.readouterr()
    copied = {}
    for file in out[:2]:
        assert main(["evaluate", str(tiny_file), str(file), "--json"]) == 0
        copied[file] = json.loads(capsys.readouterr().out)["copied"]
    assert copied == {out[0]: ["lemma", "head", "deprel"], out[1]: ["lemma"]}


@pytest.mark.parametrize("suffix", ["conllu", "json"])
def test_what_python_writes_is_scored_as_what_the_command_writes(tiny_file, tmp_path, suffix):
    found = plait.train("perceptron-tagger", train=tiny_file, epochs=1)(plait.read(tiny_file))
    before = [list(sentence.comments) for sentence in found]
    for name in ("once", "again"):
        plait.write(found, tmp_path / f"{name}.{suffix}")
        found = plait.read(tmp_path / f"{name}.{suffix}") if name == "once" else found
        assert plait.evaluate(tiny_file, tmp_path / f"{name}.{suffix}").copied == ("lemma", "head", "deprel")
    assert found[0].comments == [f"# generator = plait {plait.__version__}", "# plait_columns = upos", *before[0]]
    assert [sentence.comments for sentence in found][1:] == before[1:]
    whole = plait.train("easyfirst-parser", train=tiny_file, epochs=1, gold_tags=True)(found)
    assert whole.predicted_columns == {"upos", "heads", "deprels"}
    comments = list(whole[0].comments)
    plait.write(whole, tmp_path / "whole.conllu")
    assert whole[0].comments == comments  # the document itself stays as it is
    assert plait.evaluate(tiny_file, tmp_path / "whole.conllu").copied == ("lemma",)


def test_alternatives_say_what_was_found_and_what_copied(tiny_file):
    gold = plait.Document(plait.read(tiny_file)[:1])
    nlp = plait.train("transition-parser", train=tiny_file, epochs=1, beam=2, folds=2)
    assert [plait.evaluate(gold, found).copied for found in nlp.nbest(gold, 2)] == [("lemma",)] * 2
    assert [found.predicted_columns for found in nlp.nbest(["dogs", "bark"], 1)] == [set(nlp.system.predicts)]


@pytest.mark.parametrize("name", ["conllx", "conll09"])
def test_a_format_without_comments_has_a_notice_of_what_is_copied(tiny_file, tmp_path, capsys, name):
    tagger, trees = tmp_path / "pos.plait", tmp_path / f"gold.{name}"
    plait.train("perceptron-tagger", train=tiny_file, epochs=1).save(tagger)
    plait.write(plait.read(tiny_file), trees)
    parse = ["parse", "--model", str(tagger), "--to", name]
    assert main([*parse, "--input", str(trees)]) == 0
    assert "head, deprel copied from the input, which " + name in capsys.readouterr().err
    assert main([*parse, "--from", "segmented", "Dogs bark ."]) == 0
    assert main([*parse[:3], "--input", str(trees)]) == 0
    assert capsys.readouterr().err == ""


def test_a_model_says_what_it_found(tiny_file):
    document = plait.read(tiny_file)
    nlp = plait.train(
        "pipeline", train=document, lemmatizer="none", parser_options="epochs=1", segmenter_options="epochs=1"
    )
    assert nlp("Dogs bark.").predicted_columns == {"sentences", "forms", "upos", "heads", "deprels"}
    assert nlp("Dogs bark.", keep="sentences").predicted_columns == {"forms", "upos", "heads", "deprels"}
    assert nlp(document).predicted_columns == {"upos", "heads", "deprels"}
    assert nlp(document, keep="upos").predicted_columns == {"heads", "deprels"}
    assert nlp(document, keep=True).predicted_columns == set()
    assert nlp(plait.Document([plait.Sentence(["a", "b"], upos=["X", None])]), keep="upos").predicted_columns >= {
        "upos"
    }
    tagger = plait.train("perceptron-tagger", train=document, epochs=1, tag="lemma")
    assert tagger(nlp(document)).predicted_columns == {"upos", "heads", "deprels", "lemmas"}
    assert plait.evaluate(document, nlp(document)).copied == ("lemma",)
    assert document.predicted_columns is None
