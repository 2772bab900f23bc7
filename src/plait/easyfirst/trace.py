"""Easy-first decisions as the papers print them: the pending list and the valid set, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plait.data.document import Sentence
from plait.easyfirst.steps import Step, Trace, Valid
from plait.errors import OptionError

SHOWN_DECISIONS = 6  # valid decisions that are printed for a step


def format_trace(
    forms: Sequence[str], trace: Sequence[Step], tags: Sequence[str] | None = None, limit: int = 0
) -> Iterator[str]:
    """The state after each step, like Figures 1, 3 and 5 of Ma et al. (2012).

    The word of the last decision is in ``[ ]``; a tagged word is followed by its tag; the children of a tree are in
    ``( )`` around its root, so that each item of the pending list is one group of words. With ``limit`` it is preceded
    by a line of the best valid decisions, with the chosen one in ``[ ]``.

    >>> steps = [Step(1, "attach_right", "nsubj", 2, 1.5), Step(2, "set_root", "root", 0, 0.0)]
    >>> print("\\n".join(format_trace(["Dogs", "bark"], steps)))
    (0) p1:Dogs  p2:bark
    (1) p1 attach_right:nsubj → 2  1.50
        p2:[(Dogs) bark]
    (2) p2 set_root:root
        p2:[(Dogs) bark]
    """
    states = pending_lists(forms, trace, tags)
    yield "(0) " + next(states)
    width = len(f"({len(trace)}) ")
    for number, (step, valid) in enumerate(zip(trace, _valid_sets(trace, limit), strict=True), 1):
        yield f"({number}) ".ljust(width) + _spelled(step, "  ")
        if valid is not None:
            yield " " * width + _valid_line(step, valid)
        yield " " * width + next(states)


def pending_lists(forms: Sequence[str], trace: Sequence[Step], tags: Sequence[str] | None) -> Iterator[str]:
    """The pending list at the beginning and after each step."""
    known = dict(enumerate(tags or (), 1))
    pending = list(range(1, len(forms) + 1))
    left, right = dict.fromkeys(pending, ""), dict.fromkeys(pending, "")  # the children of each word, spelled out

    def shown(word: int) -> str:
        tag = f"_{known[word]}" if word in known else ""
        return f"{left[word]}{forms[word - 1]}{tag}{right[word]}"

    yield "  ".join(f"p{i}:{shown(i)}" for i in pending)
    for step in trace:
        changed = step.word
        if step.action == "tag":
            known[step.word] = step.label
        elif step.head > 0:
            if step.word < step.head:  # children come from the inside out
                left[step.head] = f"({shown(step.word)}) {left[step.head]}"
            else:
                right[step.head] += f" ({shown(step.word)})"
            pending.remove(step.word)
            changed = step.head
        yield "  ".join(f"p{i}:[{shown(i)}]" if i == changed else f"p{i}:{shown(i)}" for i in pending)


def _spelled(step: Step, space: str) -> str:
    name = f"{step.action}:{step.label}" if step.label else step.action
    target = f" → {step.head}" if step.head > 0 else ""
    score = "" if step.action == "set_root" else f"{space}{step.score:.2f}"
    return f"p{step.word} {name}{target}{score}"


def _valid_sets(trace: Sequence[Step], limit: int) -> Sequence[Valid | None]:
    if limit == 0 or not isinstance(trace, Trace) or not trace.knows_valid_sets:
        return [None] * len(trace)
    return trace.valid_sets(limit)


def _is_same(one: Step, other: Step) -> bool:
    return one[:4] == other[:4]


def _valid_line(taken: Step, valid: Valid) -> str:
    shown = [f"[{_spelled(s, ' ')}]" if _is_same(s, taken) else _spelled(s, " ") for s in valid.best]
    rest = valid.size - len(shown)
    return "valid: " + ", ".join([*shown, *([f"{rest} more"] if rest else [])])


def trace_of(sentence: Sentence) -> Iterator[str]:
    """The lines of one sentence's trace; an error if the model does not record traces."""
    if sentence.trace is None and len(sentence):
        raise OptionError("this model does not support traces; the easyfirst and transition systems do")
    if any(isinstance(step, str) for step in sentence.trace or ()):  # transitions: they act on the stack, not on a word
        return iter([" ".join(sentence.forms), *(f"({k}) {step}" for k, step in enumerate(sentence.trace or (), 1))])
    return format_trace(sentence.forms, sentence.trace or (), _own_tags(sentence), SHOWN_DECISIONS)


def _own_tags(sentence: Sentence) -> Sequence[str] | None:
    """The tags that were there before the first step."""
    has_tag_steps = any(step.action == "tag" for step in sentence.trace or ())
    return None if has_tag_steps or all(tag == "_" for tag in sentence.upos) else sentence.upos


def trace_pieces(sentences: Iterable[Sentence]) -> Iterator[str]:
    """All traces as text, an empty line after each."""
    return ("\n".join([*trace_of(sentence), "", ""]) for sentence in sentences)
