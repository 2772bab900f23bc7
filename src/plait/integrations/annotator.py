"""A callable for parallel engines: a batch of rows with texts in, the same rows with their analyses out.

It is independent of the engine. It can be pickled, its batches are Arrow tables, data frames or dicts of columns, and
the result of a row depends only on that row: Ray, Spark, Dask and a plain loop give the same.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from plait.data.document import Document
from plait.data.provenance import mark
from plait.errors import DataError, OptionError, PlaitError
from plait.formats import FORMATS, find_format
from plait.formats.scores import check_scored, with_scores
from plait.integrations.batches import append_columns, arrow_schema, column_values
from plait.integrations.conversion import RECORDED, token_columns
from plait.options import check_positive
from plait.pipeline.model import Model, load
from plait.pipeline.streams import in_order

TOKENS = "tokens"
TEXT_COLUMN = "text"
ERROR_COLUMN = "error"


class Analysis(NamedTuple):
    """The result for one text: the value of the new column, or the reason why there is none."""

    value: Any
    error: str | None = None
    sentences: int = 0
    words: int = 0


class Annotator:
    """Adds a column with the analyses to each batch it is called with.

    ``model`` is a name, a path or a loaded ``Model``. The text column holds strings, or lists of words that are then
    kept; a missing text has a missing analysis. ``output`` is a file format (conllu, json, segmented, ...), which gives
    a string for each row, or ``tokens``: a list of records, one a word. ``on_error="skip"`` gives a missing analysis to
    a row that cannot be analysed, and adds the column ``error`` with the reasons.

    >>> import plait
    >>> data = [plait.Sentence(["dogs", "bark"], upos=["NOUN", "VERB"])]
    >>> annotate = Annotator(plait.train("perceptron-tagger", train=data, epochs=2), output="segmented")
    >>> annotate({"id": [7, 8], "text": ["dogs bark", None]})
    {'id': [7, 8], 'text': ['dogs bark', None], 'segmented': ['dogs_NOUN bark_VERB\\n', None]}
    """

    def __init__(
        self,
        model: str | Path | Model,
        *,
        text_column: str = TEXT_COLUMN,
        output: str = "conllu",
        output_column: str | None = None,
        on_error: str = "stop",
        scores: bool = False,
        threads: int = 1,
    ) -> None:
        if output != TOKENS:
            find_format(output)  # an unknown one is an error
        if on_error not in ("stop", "skip"):
            raise OptionError(f"on_error is {on_error!r}; expected 'stop' or 'skip'")
        check_positive("threads", threads)
        self.text_column = text_column
        self.output = output
        self.output_column = output_column or output
        self.on_error = on_error
        self.scores = scores
        self.threads = threads
        self._stamp: tuple[int, int] | None = None
        if not isinstance(model, Model) and Path(model).is_file():
            status = Path(model).stat()
            # part of a pickle, so that those who keep results by the digest of one see that the file has changed
            self._stamp = status.st_size, status.st_mtime_ns
            model = str(Path(model).resolve())  # workers may run in another folder
        self._origin = model
        self._model: Model | None = model if isinstance(model, Model) else load(model)
        self._digest: str | None = None
        if self.text_column in self.new_columns or len(set(self.new_columns)) < len(self.new_columns):
            raise OptionError(f"the columns {', '.join([text_column, *self.new_columns])} must have different names")
        if scores:
            if output != TOKENS:
                check_scored(output)
            self.model(["."], scores=True)  # a model that has none says so now, not in every row

    def __getstate__(self) -> dict[str, Any]:
        # a model that has a name is opened by each process itself, from its file
        return self.__dict__ if isinstance(self._origin, Model) else {**self.__dict__, "_model": None, "_digest": None}

    def __repr__(self) -> str:
        return f"<Annotator {self.text_column} → {self.output_column}, {self._origin}>"

    @property
    def model(self) -> Model:
        """The model, opened when a process first needs it."""
        if self._model is None:
            assert not isinstance(self._origin, Model)
            self._model = load(self._origin)
        return self._model

    @property
    def model_name(self) -> str:
        """What the model is called in comments: the name of its file, or its system."""
        return self._origin.system.name if isinstance(self._origin, Model) else Path(self._origin).name

    @property
    def digest(self) -> str:
        """SHA-256 of the model's content, the same for every process that opened the same model."""
        if self._digest is None:
            self._digest = hashlib.sha256(self.model.to_bytes()).hexdigest()
        return self._digest

    @property
    def new_columns(self) -> list[str]:
        """The names of the columns that a batch gets."""
        return [self.output_column, *([ERROR_COLUMN] if self.on_error == "skip" else [])]

    def __call__(self, batch: Any) -> Any:
        """The batch with its new columns, of the same kind: Arrow table or record batch, data frame or dict."""
        texts = column_values(batch, self.text_column)
        return self.extend(batch, self.analyse_all(texts))

    def analyse_all(self, texts: list[Any]) -> list[Analysis]:
        """The analyses of texts, each a separate document that names the model."""
        return list(in_order(partial(self.analyse, marked=True), texts, self.threads))

    def extend(self, batch: Any, analyses: list[Analysis]) -> Any:
        """The batch with these analyses, one a row."""
        if self.on_error == "stop":
            for row, analysis in enumerate(analyses, 1):
                if analysis.error is not None:
                    raise DataError(f"row {row} of the batch: {analysis.error}")
        columns = {self.output_column: [analysis.value for analysis in analyses]}
        if self.on_error == "skip":
            columns[ERROR_COLUMN] = [analysis.error for analysis in analyses]
        return append_columns(batch, columns, nested=self.output == TOKENS, like=self.text_column)

    def analyse(self, text: Any, *, marked: bool = False) -> Analysis:
        """The analysis of one text or list of words; errors are reported in it, not raised.

        marked: name the model and its columns in comments on the first sentence, as ``plait parse`` does.
        """
        if text is None:
            return Analysis(None)
        try:
            if not isinstance(text, str):
                text = text.tolist() if hasattr(text, "tolist") else text
                if not isinstance(text, list) or not all(isinstance(word, str) and word for word in text):
                    raise DataError(f"the text is {_shown(text)}; expected a string or a list of words")
            document = self.model(text, scores=self.scores)
            if marked:
                mark(document, self.model_name)
            return Analysis(self._value(document), None, len(document), document.token_count)
        except PlaitError as error:
            return Analysis(None, str(error))
        except UnicodeEncodeError as error:
            broken = f"{error.object[error.start]!r} is half of a surrogate pair; check how the text was decoded"
            return Analysis(None, broken)
        except Exception as error:  # one document must not take the others with it
            return Analysis(None, f"{type(error).__name__}: {error}")

    def arrow_schema(self, schema: Any) -> Any:
        """The Arrow schema of the results for batches of this schema."""
        return arrow_schema(schema, self.new_columns, nested=self.output == TOKENS)

    def _value(self, document: Document) -> Any:
        if self.output != TOKENS:
            scored = with_scores(document, self.output) if self.scores else document
            text = "".join(FORMATS[self.output].write(scored))
            text.encode()
            return text
        records = token_records(document)
        for record in records:
            record["form"].encode()
        return records


def token_records(document: Document) -> list[dict[str, Any]]:
    """Each word as a record; sentences count from 0, IDs and heads from 1, and what is not given is None.

    >>> from plait.data.document import Sentence
    >>> record = token_records(Document([Sentence(["Hi"], upos=["INTJ"])]))[0]
    >>> record["sentence"], record["id"], record["upos"], record["lemma"]
    (0, 1, 'INTJ', None)
    """
    columns = token_columns([document])
    rows = zip(*(columns[name] for name in RECORDED), strict=True)
    return [dict(zip(RECORDED, row, strict=True)) for row in rows]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
