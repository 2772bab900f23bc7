"""A small treebank of our own, and random damage to it that keeps the characters and leaves valid trees."""

from __future__ import annotations

from random import Random

from plait.data import EmptyNode, Range, Sentence

TREEBANK = """\
# sent_id = garden-1
# text = We didn't see the old gardener's cats.
1	We	we	PRON	PRP	Case=Nom|Number=Plur|Person=1|PronType=Prs	4	nsubj	_	_
2-3	didn't	_	_	_	_	_	_	_	_
2	did	do	AUX	VBD	Mood=Ind|Tense=Past|VerbForm=Fin	4	aux	_	_
3	n't	not	PART	RB	Polarity=Neg	4	advmod	_	_
4	see	see	VERB	VB	VerbForm=Inf	0	root	_	_
5	the	the	DET	DT	Definite=Def|PronType=Art	7	det	_	_
6	old	old	ADJ	JJ	Degree=Pos	7	amod	_	_
7-8	gardener's	_	_	_	_	_	_	_	_
7	gardener	gardener	NOUN	NN	Number=Sing	9	nmod:poss	_	_
8	's	's	PART	POS	_	7	case	_	_
9	cats	cat	NOUN	NNS	Number=Plur	4	obj	_	SpaceAfter=No
10	.	.	PUNCT	.	_	4	punct	_	_

# sent_id = garden-2
# text = Rosa and Lea watered it twice, he only once.
1	Rosa	Rosa	PROPN	NNP	Number=Sing	4	nsubj	_	_
2	and	and	CCONJ	CC	_	3	cc	_	_
3	Lea	Lea	PROPN	NNP	Number=Sing	1	conj	_	_
4	watered	water	VERB	VBD	Mood=Ind|Tense=Past|VerbForm=Fin	0	root	_	_
5	it	it	PRON	PRP	Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs	4	obj	_	_
6	twice	twice	ADV	RB	NumType=Mult	4	advmod	_	SpaceAfter=No
7	,	,	PUNCT	,	_	8	punct	_	_
8	he	he	PRON	PRP	Case=Nom|Gender=Masc|Number=Sing|Person=3|PronType=Prs|Typo=Yes	4	conj	_	_
8.1	watered	water	VERB	VBD	_	_	_	4:conj	_
9	only	only	ADV	RB	_	10	advmod:emph	_	_
10	once	once	ADV	RB	NumType=Mult	8	orphan	_	SpaceAfter=No
11	.	.	PUNCT	.	_	4	punct	_	_

# sent_id = garden-3
# text = Go!
1	Go	_	VERB	VB	Mood=Imp|VerbForm=Fin	0	root	_	SpaceAfter=No
2	!	!	PUNCT	.	_	1	punct	_	_

# sent_id = garden-4
# text = The roses were being cut by whoever was about, I'm told
1	The	the	DET	DT	Definite=Def|PronType=Art	2	det	_	_
2	roses	rose	NOUN	NNS	Number=Plur	5	nsubj:pass	_	_
3	were	be	AUX	VBD	Mood=Ind|Tense=Past|VerbForm=Fin	5	aux	_	_
4	being	be	AUX	VBG	VerbForm=Ger	5	aux:pass	_	_
5	cut	cut	VERB	VBN	Tense=Past|VerbForm=Part|Voice=Pass	0	root	_	_
6	by	by	ADP	IN	_	7	case	_	_
7	whoever	whoever	PRON	WP	PronType=Rel	5	obl:agent	_	_
8	was	be	AUX	VBD	Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin	9	cop	_	_
9	about	about	ADV	RB	_	7	acl:relcl	_	SpaceAfter=No
10	,	,	PUNCT	,	_	13	punct	_	_
11-12	I'm	_	_	_	_	_	_	_	_
11	I	I	PRON	PRP	Case=Nom|Number=Sing|Person=1|PronType=Prs	13	nsubj:pass	_	_
12	'm	be	AUX	VBP	Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin	13	aux:pass	_	_
13	told	tell	VERB	VBN	Tense=Past|VerbForm=Part|Voice=Pass	5	parataxis	_	_

"""


def parse(text: str) -> list[Sentence]:
    """The sentences of well-formed CoNLL-U; the real reader has its own tests."""
    return [_sentence(block.split("\n")) for block in text.split("\n\n") if block.strip()]


def _sentence(lines: list[str]) -> Sentence:
    comments, ranges, empties, rows = [], [], [], []
    for line in filter(None, lines):
        columns = line.split("\t")
        if line.startswith("#"):
            comments.append(line)
        elif "-" in columns[0]:
            start, end = map(int, columns[0].split("-"))
            ranges.append(Range(start, end, columns[1], tuple(columns[2:])))
        elif "." in columns[0]:
            after, minor = map(int, columns[0].split("."))
            empties.append(EmptyNode(after, minor, tuple(columns[1:])))
        else:
            rows.append(columns)
    _, forms, lemmas, upos, xpos, feats, heads, deprels, deps, misc = zip(*rows, strict=True)
    return Sentence(
        forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats, heads=[-1 if h == "_" else int(h) for h in heads],
        deprels=deprels, deps=deps, misc=misc, comments=comments, ranges=ranges, empties=empties,
    )  # fmt: skip


def spell(sentences: list[Sentence]) -> str:
    """The sentences as CoNLL-U, without comments."""
    lines = []
    for s in sentences:
        ranges = {r.start: r for r in s.ranges}
        for i in range(1, len(s) + 1):
            if i in ranges:
                lines.append("\t".join([f"{i}-{ranges[i].end}", ranges[i].form, *ranges[i].rest]))
            t = s[i - 1]
            cells = [str(i), t.form, t.lemma, t.upos, t.xpos, t.feats, t.head, t.deprel, t.deps, t.misc]
            lines.append("\t".join("_" if cell is None else str(cell) for cell in cells))
            lines += ["\t".join([f"{e.after}.{e.minor}", *e.columns]) for e in s.empties if e.after == i]
        lines.append("")
    return "\n".join(lines) + "\n"


class Word:
    """A word that remembers its head while sentences are cut and joined; the head of a root is None."""

    def __init__(self, form: str, values: dict[str, str]) -> None:
        self.form = form
        self.values = values
        self.head: Word | None = None


def damage(sentences: list[Sentence], random: Random, rate: float = 0.2) -> list[Sentence]:
    """Cut and join tokens and sentences, make and undo multiword tokens, change every column; characters stay."""
    pools = {name: sorted({v for s in sentences for v in getattr(s, name)}) for name in VALUES}
    pools["deprels"] += ["nsubj:other", "aux", "det:x", "punct", "case"]
    pools["forms"] = sorted({form for s in sentences for form in s.forms})
    rows = [_tokens(s) for s in sentences]
    rows = [[t for token in row for t in _cut_token(token, random, rate, pools)] for row in rows]
    rows = [_join_tokens(row, random, rate) for row in rows]
    rows = _move_boundaries(rows, random, rate)
    return [_tree(row, random, rate, pools) for row in rows]


VALUES = ("lemmas", "upos", "xpos", "feats", "deprels")
Token = tuple[str, list[Word]]  # surface form, its words


def _tokens(sentence: Sentence) -> list[Token]:
    words = [Word(form, {name: getattr(sentence, name)[i] for name in VALUES}) for i, form in enumerate(sentence.forms)]
    for word, head in zip(words, sentence.heads, strict=True):
        word.head = words[head - 1] if head > 0 else None
    return [(form, words[first - 1 : last]) for first, last, form, _ in sentence.surface_tokens()]


def _cut_token(token: Token, random: Random, rate: float, pools: dict[str, list[str]]) -> list[Token]:
    form, words = token
    if random.random() > rate:
        return [token]
    fate = random.choice(["cut", "multiword", "plain", "other words"])
    if fate == "cut" and len(form) > 1:
        at = random.randrange(1, len(form))
        first, second = Word(form[:at], dict(words[0].values)), Word(form[at:], dict(words[-1].values))
        first.head, second.head = second, words[-1].head
        return [(form[:at], [first]), (form[at:], [second])]
    if fate == "plain":
        return [(form, [words[0]])] if words[0].form == form else [(form, [_like(words[0], form)])]
    if fate == "multiword" and len(form) > 1:
        at = random.randrange(1, len(form))
        return [(form, [_like(words[0], form[:at].upper()), _like(words[-1], form[at:])])]
    count = random.randrange(2, 4)
    return [(form, [*words, *(_like(words[0], random.choice(pools["forms"])) for _ in range(count - len(words)))])]


def _like(word: Word, form: str) -> Word:
    twin = Word(form, dict(word.values))
    twin.head = word.head
    return twin


def _join_tokens(row: list[Token], random: Random, rate: float) -> list[Token]:
    joined: list[Token] = []
    for form, words in row:
        if joined and random.random() < rate / 2:
            before, earlier = joined.pop()
            if random.random() < 0.5:
                joined.append((before + form, [*earlier, *words]))
            else:
                joined.append((before + form, [_like(words[0], before + form)]))
        else:
            joined.append((form, words))
    return joined


def _move_boundaries(rows: list[list[Token]], random: Random, rate: float) -> list[list[Token]]:
    moved: list[list[Token]] = []
    for row in rows:
        if moved and random.random() < rate:
            moved[-1] = moved[-1] + row
        elif len(row) > 1 and random.random() < rate:
            at = random.randrange(1, len(row))
            moved += [row[:at], row[at:]]
        else:
            moved.append(row)
    return moved


def _tree(row: list[Token], random: Random, rate: float, pools: dict[str, list[str]]) -> Sentence:
    words = [word for _, its_words in row for word in its_words]
    heads = random_heads(words, random, rate)
    ranges, at = [], 1
    for form, its_words in row:
        if len(its_words) > 1:
            ranges.append(Range(at, at + len(its_words) - 1, form))
        at += len(its_words)
    columns = {
        name: [random.choice(pools[name]) if random.random() < rate else w.values[name] for w in words]
        for name in VALUES
    }
    columns["deprels"] = [
        "root" if h == 0 else ("dep" if label == "root" else label)
        for h, label in zip(heads, columns["deprels"], strict=True)
    ]
    empties = [EmptyNode(1, 1, ("ghost", *["_"] * 6, "0:root", "_"))] if random.random() < rate else []
    return Sentence([w.form for w in words], heads=heads, ranges=ranges, empties=empties, **columns)


def random_heads(words: list[Word], random: Random, rate: float) -> list[int]:
    """The words' own heads where they still make one tree, random ones elsewhere."""
    number = {id(word): i for i, word in enumerate(words, 1)}
    heads = [number.get(id(w.head), 0) if random.random() > rate else random.randint(0, len(words)) for w in words]
    roots = [i for i, h in enumerate(heads, 1) if h == 0] or [random.randint(1, len(words))]
    root = random.choice(roots)
    heads = [0 if i == root else (root if h in (0, i) else h) for i, h in enumerate(heads, 1)]
    for i in range(1, len(heads) + 1):  # whatever is in a cycle is hung on the root
        seen, at = set(), i
        while at and at not in seen:
            seen.add(at)
            at = heads[at - 1]
        if at:
            heads[at - 1] = root
    return heads
