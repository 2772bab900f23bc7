"""Documents as tables (pandas, Arrow), and as what displaCy and spaCy take; packages are imported when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from plait.data.absent import UNSPECIFIED, given, given_heads, given_lemmas
from plait.data.document import Document, Sentence
from plait.errors import OptionError

TEXT, NUMBER, REAL = "text", "number", "real"

# the columns of a table with a row for each word, and what they hold
TOKEN_COLUMNS = {
    "doc": TEXT,  # the document's name
    "sentence": NUMBER,  # from 0, as in document[sentence]
    "sent_id": TEXT,
    "id": NUMBER,  # from 1, as heads count
    "form": TEXT,
    "lemma": TEXT,
    "upos": TEXT,
    "xpos": TEXT,
    "feats": TEXT,
    "head": NUMBER,  # 0 is the root
    "deprel": TEXT,
    "deps": TEXT,
    "misc": TEXT,
    "multiword": TEXT,  # the surface form of the multiword token that the word belongs to
    "start": NUMBER,  # in the document's text, in code points
    "end": NUMBER,
    "score": REAL,
}
RECORDED = [name for name in TOKEN_COLUMNS if name not in ("doc", "sent_id", "deps", "multiword")]  # of one document
TEXT_COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels", "deps": "deps", "misc": "misc"}


def token_columns(documents: Iterable[Document]) -> dict[str, list[Any]]:
    """One list for each column of ``TOKEN_COLUMNS``; what is not given is None.

    >>> columns = token_columns([Document([Sentence(["Hi", "you"], heads=[0, 1])])])
    >>> columns["form"], columns["head"], columns["upos"]
    (['Hi', 'you'], [0, 1], [None, None])
    """
    table: dict[str, list[Any]] = {name: [] for name in TOKEN_COLUMNS}
    for document in documents:
        for number, sentence in enumerate(document):
            n = len(sentence)
            table["doc"] += [document.name] * n
            table["sentence"] += [number] * n
            table["sent_id"] += [sentence.sent_id] * n
            table["id"] += range(1, n + 1)
            table["form"] += sentence.forms
            table["lemma"] += given_lemmas(sentence.lemmas, sentence.forms)
            for name, column in TEXT_COLUMNS.items():
                table[name] += given(getattr(sentence, column))
            table["head"] += given_heads(sentence.heads)
            table["multiword"] += _multiword(sentence)
            table["start"] += [None] * n if sentence.offsets is None else [a for a, _ in sentence.offsets]
            table["end"] += [None] * n if sentence.offsets is None else [b for _, b in sentence.offsets]
            table["score"] += [None] * n if sentence.scores is None else sentence.scores
    return table


def _multiword(sentence: Sentence) -> list[str | None]:
    surface: list[str | None] = [None] * len(sentence)
    for start, end, form, _ in sentence.ranges:
        surface[start - 1 : end] = [form] * (end - start + 1)
    return surface


def to_pandas(documents: Iterable[Document]) -> Any:
    """A ``pandas.DataFrame`` with a row for each word."""
    pandas = _need("pandas", "tables")
    kinds = {TEXT: "string", NUMBER: "Int64", REAL: "Float64"}
    table = token_columns(documents)
    return pandas.DataFrame(
        {name: pandas.array(column, dtype=kinds[TOKEN_COLUMNS[name]]) for name, column in table.items()}
    )


def to_arrow(documents: Iterable[Document]) -> Any:
    """A ``pyarrow.Table`` with a row for each word; Polars and Hugging Face datasets take it as it is."""
    arrow = _need("pyarrow", "tables")
    kinds = {TEXT: arrow.string(), NUMBER: arrow.int64(), REAL: arrow.float64()}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in TOKEN_COLUMNS.items()])
    return arrow.table(token_columns(documents), schema=schema)


def to_displacy(sentence: Sentence) -> dict[str, Any]:
    """What ``displacy.render(..., style="dep", manual=True)`` draws.

    >>> s = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> to_displacy(s)["arcs"]
    [{'start': 0, 'end': 1, 'label': 'nsubj', 'dir': 'left'}]
    """
    tags = [upos if upos != UNSPECIFIED else xpos for upos, xpos in zip(sentence.upos, sentence.xpos, strict=True)]
    lemmas = given_lemmas(sentence.lemmas, sentence.forms)
    words = [
        {"text": form, "tag": "" if tag == UNSPECIFIED else tag, "lemma": lemma}
        for form, tag, lemma in zip(sentence.forms, tags, lemmas, strict=True)
    ]
    arcs = [
        {
            "start": min(id, head) - 1,
            "end": max(id, head) - 1,
            "label": "" if label == UNSPECIFIED else label,
            "dir": "left" if id < head else "right",
        }
        for id, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1)
        if head > 0
    ]
    return {"words": words, "arcs": arcs, "settings": {}, "title": sentence.sent_id}


def to_spacy(document: Document, vocab: Any = None) -> Any:
    """A ``spacy.tokens.Doc`` of the document's words.

    spaCy has no multiword tokens: their parts become words without a space between, so that ``Doc.text`` spells parts
    (``de le`` for ``du``). XPOS becomes the tag and UPOS the part of speech; the label of roots is ``ROOT``, as spaCy
    writes it. A sentence in which a head is unknown has no tree: beside sentences that have one its words hang, without
    labels, on its first word, since spaCy takes the sentence boundaries from the heads.
    """
    tokens = _need("spacy.tokens", "spacy")
    known = _need("spacy.parts_of_speech", "spacy").IDS
    vocab = vocab if vocab is not None else _need("spacy.vocab", "spacy").Vocab()
    words: list[str] = []
    spaces: list[bool] = []
    heads: list[int] = []
    deps: list[str | None] = []
    starts: list[bool] = []
    for sentence in document:
        base = len(words)
        words += sentence.forms
        spaces += _spaces(sentence)
        starts += [i == 0 for i in range(len(sentence))]
        whole = all(0 <= head <= len(sentence) for head in sentence.heads)
        for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            heads.append(base + head - 1 if whole and head > 0 else base + i if whole else base)
            deps.append(None if not whole else "ROOT" if head == 0 else "" if label == UNSPECIFIED else label)
    columns = {name: [v for s in document for v in given(getattr(s, name))] for name in ("upos", "xpos", "feats")}
    columns["lemmas"] = [lemma for s in document for lemma in given_lemmas(s.lemmas, s.forms)]
    filled = {name: any(v is not None for v in column) for name, column in columns.items()}
    plain = {name: [v or "" for v in column] for name, column in columns.items()}
    treeless = all(dep is None for dep in deps)
    return tokens.Doc(
        vocab,
        words=words,
        spaces=spaces,
        tags=plain["xpos"] if filled["xpos"] else plain["upos"] if filled["upos"] else None,
        pos=[tag if tag in known else "" for tag in plain["upos"]] if filled["upos"] else None,
        lemmas=plain["lemmas"] if filled["lemmas"] else None,
        morphs=[spacy_feats(feats) for feats in plain["feats"]] if filled["feats"] else None,
        heads=None if treeless else heads,
        deps=None if treeless else deps,
        sent_starts=starts,
    )


def spacy_feats(feats: str) -> str:
    """The features that spaCy can hold, ``Name=Value``; a treebank, and so a model, can have others.

    >>> spacy_feats("Case=Nom|nom|A=b=c|X="), spacy_feats("nom|sg")
    ('Case=Nom', '')
    """
    pairs = (piece.split("=") for piece in feats.split("|"))
    return "|".join("=".join(pair) for pair in pairs if len(pair) == 2 and all(pair))


def _spaces(sentence: Sentence) -> list[bool]:
    """Whether a space follows each word in the text."""
    spaces = [False] * len(sentence)
    for _, end, _, misc in sentence.surface_tokens():
        spaces[end - 1] = "SpaceAfter=No" not in misc.split("|")
    return spaces


def _need(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise OptionError(f"{package} is not installed; run: pip install plait[{extra}]") from error
