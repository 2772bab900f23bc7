"""A treebank in which case tells the relation: what parsers learn of FEATS is seen at once."""

from plait.data.document import Sentence

NOUNS = ("kato", "hundo", "birdo", "viro", "arbo", "domo", "floro", "libro")
CASES = {"Nom": "nsubj", "Acc": "obj"}


def case_sentence(noun: str, case: str, first: bool) -> Sentence:
    """The ending tells the case, the case tells the relation; the order tells nothing."""
    words = [noun + ("n" if case == "Acc" else ""), "vidas"]
    columns = {
        "lemmas": [noun, "vidi"],
        "upos": ["NOUN", "VERB"],
        "feats": [f"Case={case}|Number=Sing", "Number=Sing|VerbForm=Fin"],
    }
    step = 1 if first else -1
    sentence = Sentence(words[::step], **{name: values[::step] for name, values in columns.items()})
    sentence.set_tree([2, 0] if first else [0, 1], [CASES[case], "root"][::step])
    return sentence


def case_treebank() -> list[Sentence]:
    """Every noun in both cases and both orders."""
    return [case_sentence(n, c, first) for c in CASES for first in (True, False) for n in NOUNS]
