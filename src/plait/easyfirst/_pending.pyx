"""Easy-first search over tags, arcs or both: the best item from a tournament tree, its neighbourhood rescored."""

cimport cython
from libc.math cimport INFINITY
from libc.stdlib cimport free
from libc.string cimport memset

from plait.errors import ModelError

from plait.core._arrays cimport free_arrays, new_array
from plait.core._memory cimport clear, free_map, release, rewind
from plait.core._rows cimport first_largest, prefetch
from plait.core._templates cimport clear_sums, close_sums, open_sums
from plait.core._types cimport label_t, uint64_t
from plait.easyfirst._scoring cimport LEFT, PAIRS, REACH, RIGHT, Best, AllowedTags, attach, leaf, no_node

LOSSES = {"joint": JOINT, "dep": DEP, "pos": POS}

cdef enum:
    FREE = 2        # in ``allowed``: no tag is given for the word


cdef int raise_diverged() except -1 nogil:
    """End a search in which no decision has a finite score."""
    with gil:
        raise ModelError("no decision has a finite score: the weights have diverged")


@cython.final
cdef class Task:
    """What is decided and how it is scored, and which decisions are compatible with gold."""

    def __cinit__(self, TagScoring tagging, ArcScoring parsing, Py_ssize_t columns, Py_ssize_t pad):
        if tagging is None and parsing is None:
            raise ValueError("nothing to do: neither tags nor arcs")
        self.tagging = tagging
        self.parsing = parsing
        self.tags = 0 if tagging is None else tagging.labels
        self.columns = columns
        self.pad = pad
        self.max_actions = max(self.tags, 0 if parsing is None else 2 * parsing.labels)
        if tagging is not None:
            self.max_templates = tagging.alone.count + tagging.around.count + tagging.groups.templates.count
            self.max_groups = tagging.groups.count
            self.reach = <int> max(pad, <Py_ssize_t> 1)
        if parsing is not None:
            self.max_templates = max(self.max_templates,
                                     parsing.pair.templates.count + parsing.item.templates.count)
            self.max_groups = max(self.max_groups, parsing.pair.count, parsing.item.count)
            self.reach = max(self.reach, <int> REACH)

    cdef Py_ssize_t total_steps(self, Py_ssize_t n) noexcept nogil:
        """Decisions that are scored: one tag for each word, one attachment for each but the root."""
        return (n if self.tags > 0 else 0) + (n - 1 if self.parsing is not None else 0)

    cdef bint may_tag(self, const Sentence *sentence, Py_ssize_t w, int32_t tag) noexcept nogil:
        cdef const AllowedTags *allowed = &sentence.allowed[w]
        cdef Py_ssize_t k
        if allowed.count == self.tags:
            return True
        for k in range(allowed.count):
            if allowed.tags[k] == tag:
                return True
        return False

    cdef void best_tag(self, const Sentence *sentence, Py_ssize_t w, const score_t *scores, score_t *best,
                       int32_t *action) noexcept nogil:
        cdef const label_t *allowed = sentence.allowed[w].tags
        cdef Py_ssize_t k
        best[0] = -INFINITY
        action[0] = allowed[0]
        for k in range(sentence.allowed[w].count):
            if scores[allowed[k]] > best[0]:
                best[0] = scores[allowed[k]]
                action[0] = allowed[k]

    cdef void best_arc(self, const score_t *scores, score_t *best, int32_t *action) noexcept nogil:
        cdef Py_ssize_t k = first_largest(scores, 2 * self.parsing.labels)
        best[0] = scores[k]
        action[0] = <int32_t> (self.tags + k)

    cdef bint is_allowed(self, const Gold *gold, Py_ssize_t w, int32_t action, int32_t head,
                         const Node *node) noexcept nogil:
        """Algorithm 2's isAllowed, with Algorithm 3's losses; ``head`` is the one that the action gives."""
        if action < self.tags:
            return gold.loss == DEP or gold.tags[w] == action
        if gold.loss == POS:
            return True
        return (gold.heads[w] == head and node.gold_children == gold.children[w]
                and (not self.parsing.labelled or gold.labels[w] == (action - self.tags) // 2))

    cdef int32_t compatible(self, const Gold *gold, Py_ssize_t w, uint16_t tag, const Node *node, int32_t left,
                            int32_t right, const score_t *scores, score_t best, int32_t action,
                            score_t *score) noexcept nogil:
        """The item's best compatible action, -1 for none; left and right: words it may attach to, -1 for none."""
        cdef int32_t found
        if best == -INFINITY:
            return -1
        if self.tags > 0 and tag == 0:
            found = action if gold.loss == DEP else gold.tags[w]
            score[0] = scores[found]
            return found
        if gold.loss == POS:
            score[0] = best
            return action
        if node.gold_children != gold.children[w] or gold.heads[w] <= 0:
            return -1
        if gold.heads[w] != left + 1 and gold.heads[w] != right + 1:
            return -1
        found = 2 * (gold.labels[w] if self.parsing.labelled else 0) + (LEFT if gold.heads[w] == left + 1 else RIGHT)
        score[0] = scores[found]
        return found + <int32_t> self.tags


@cython.final
cdef class PendingList:
    """One state of the search, and its memory, which a search or training step borrows for one sentence."""

    def __cinit__(self, Task task not None):
        self.task = task
        open_sums(&self.memo.sums, PAIRS * task.max_templates, PAIRS * task.max_groups + 1)

    def __dealloc__(self):
        close_sums(&self.memo.sums)
        free_map(&self.memo.totals)
        release(&self.memo.word_arena)
        free_map(&self.memo.word_sums)
        free(self.memo.records)
        free_arrays(&self.arrays)
        release(&self.nodes)

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Allocate memory for n words."""
        cdef Py_ssize_t leaves = 1, tags = self.task.tags
        cdef ArcScoring parsing = self.task.parsing
        if n <= self.capacity:
            return 0
        n = max(n, <Py_ssize_t> 64)
        while leaves < n:
            leaves *= 2
        self.capacity = 0       # until all is there
        free_arrays(&self.arrays)
        self.codes = <uint16_t *> new_array(&self.arrays, (n + 2 * self.task.pad) * sizeof(uint16_t))
        self.node = <const Node **> new_array(&self.arrays, n * sizeof(Node *))
        self.left = <int32_t *> new_array(&self.arrays, 5 * n * sizeof(int32_t))
        self.static = <score_t *> new_array(&self.arrays, n * tags * sizeof(score_t))
        self.scores = <score_t *> new_array(&self.arrays, n * self.task.max_actions * sizeof(score_t))
        self.best = <score_t *> new_array(&self.arrays, n * sizeof(score_t))
        self.winner = <int32_t *> new_array(&self.arrays, (2 * leaves + n) * sizeof(int32_t))
        self.step_word = <int32_t *> new_array(&self.arrays, 4 * n * sizeof(int32_t))
        self.step_score = <score_t *> new_array(&self.arrays, 2 * n * sizeof(score_t))
        self.sentence.allowed = <AllowedTags *> new_array(&self.arrays, n * sizeof(AllowedTags))
        self.label = <uint16_t *> new_array(&self.arrays, n * sizeof(uint16_t))
        if parsing is not None:
            self.memo.window = <uint64_t *> new_array(&self.arrays, sizeof(uint64_t) * (
                (2 * REACH + 1) * parsing.columns + parsing.distances + parsing.agreements))
            self.memo.row = <score_t *> new_array(&self.arrays, parsing.row * sizeof(score_t))
        self.right = self.left + n
        self.action = self.left + 2 * n
        self.head = self.left + 3 * n
        self.children = self.left + 4 * n
        self.scored_at = self.winner + 2 * leaves
        self.step_action = self.step_word + 2 * n
        self.capacity = n
        return 0

    cdef Gold set_gold(self, const uint16_t[::1] tags, const int[::1] heads, const uint16_t[::1] labels, int loss):
        """A gold or given analysis, with the number of each word's children."""
        cdef Gold gold
        cdef Py_ssize_t k
        gold.tags = &tags[0] if tags is not None else NULL
        gold.heads = <const int32_t *> &heads[0] if heads is not None else NULL
        gold.labels = &labels[0] if labels is not None else NULL
        gold.children = self.children
        gold.loss = loss
        memset(self.children, 0, self.capacity * sizeof(int32_t))
        for k in range(heads.shape[0] if heads is not None else 0):
            if heads[k] > 0:
                self.children[heads[k] - 1] += 1
        return gold

    cdef int open(self, atom_t *atoms, Py_ssize_t n) except -1 nogil:
        """Start a new sentence; ``restart`` must follow."""
        cdef Py_ssize_t k, pad = self.task.pad
        rewind(&self.nodes)
        self.clear_scores()
        self.sentence.n = n
        self.sentence.width = self.task.columns
        self.sentence.atoms = atoms
        self.sentence.tags = self.codes + pad
        self.steps = 0
        for k in range(pad):
            self.codes[k] = <uint16_t> (self.task.tags + 1)
            self.codes[pad + n + k] = <uint16_t> (self.task.tags + 2)
        return self.look_up_words()

    cdef int clear_scores(self) except -1 nogil:
        clear_sums(&self.memo.sums)
        self.memo.record_count = 0
        return clear(&self.memo.totals)

    cdef int begin(self, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil:
        """Start a new sentence, all words pending and scored; ``given``: tags (from 0) if only arcs are searched."""
        self.open(atoms, n)
        self.restart(given, self.task.parsing is not None)
        self.leaves = 1
        while self.leaves < n:
            self.leaves *= 2
        return self.rescore_all()

    cdef int restart(self, const uint16_t *given, bint trees) except -1 nogil:
        """Make all words pending, none of them scored; without ``trees`` the nodes are not used."""
        cdef Py_ssize_t w, n = self.sentence.n
        for w in range(n):
            self.sentence.tags[w] = given[w] + 1 if given != NULL else 0
            self.node[w] = leaf(&self.nodes, &self.sentence, w, self.sentence.tags[w]) if trees else no_node()
            self.left[w] = <int32_t> w - 1
            self.right[w] = <int32_t> w + 1 if w + 1 < n else -1
            self.head[w] = 0
            self.label[w] = 0
            self.scored_at[w] = -1
        return 0

    cdef int look_up_words(self) except -1 nogil:
        """Look up what is constant while a sentence is tagged: allowed tags and static scores."""
        cdef Py_ssize_t w, tags = self.task.tags
        cdef AllowedTags *allowed
        for w in range(self.sentence.n if tags > 0 else 0):
            allowed = &self.sentence.allowed[w]
            allowed.count = self.task.tagging.dictionary.candidates(self.sentence.atoms[w * self.task.columns],
                                                                    &allowed.tags)
            self.task.tagging.static_scores(&self.memo, &self.sentence, w, self.static + w * tags)
        return 0

    cdef int rescore_all(self) except -1 nogil:
        cdef Py_ssize_t w = 0
        if self.uses_pairs():
            while w < self.sentence.n:
                self.rescore_pairs(min(w + REACH, self.sentence.n - 1))
                w += 2 * REACH + 1
        else:
            for w in range(self.sentence.n):
                self.rescore(w)
        self.build_tournament()
        return 0

    cdef bint uses_pairs(self) noexcept nogil:
        """Whether it suffices to know the best labels of pairs."""
        return self.best_only and self.task.parsing is not None and self.task.parsing.by_pair

    cdef const Node *neighbour(self, Py_ssize_t w, bint right) noexcept nogil:
        cdef int32_t other = self.right[w] if right else self.left[w]
        return no_node() if other < 0 else self.node[other]

    cdef void fill_window(self, Py_ssize_t w, const Node **window) noexcept nogil:
        """The item, which is window[REACH], and its neighbours on both sides."""
        cdef int k
        cdef int32_t other = <int32_t> w
        window[<int> REACH] = self.node[w]
        for k in range(REACH):
            if other >= 0:
                other = self.left[other]
            window[<int> REACH - 1 - k] = no_node() if other < 0 else self.node[other]
        other = <int32_t> w
        for k in range(REACH):
            if other >= 0:
                other = self.right[other]
            window[<int> REACH + 1 + k] = no_node() if other < 0 else self.node[other]

    cdef bint may_attach(self, Py_ssize_t w, bint right) noexcept nogil:
        """Whether there is a neighbour on this side, tagged as the item itself is."""
        cdef int32_t other = self.right[w] if right else self.left[w]
        return other >= 0 and (self.task.tags == 0 or self.sentence.tags[other] != 0)

    cdef bint is_untagged(self, Py_ssize_t w) noexcept nogil:
        return self.task.tags > 0 and self.sentence.tags[w] == 0

    cdef Py_ssize_t choice_count(self, Py_ssize_t w) noexcept nogil:
        """The number of scores of an item: tags, or labels in both directions; 0 if nothing is possible."""
        if self.node[w] == NULL or self.best[w] == -INFINITY:
            return 0
        return self.task.tags if self.is_untagged(w) else 2 * self.task.parsing.labels

    cdef bint is_valid_choice(self, Py_ssize_t w, Py_ssize_t k, int32_t *head) noexcept nogil:
        """Whether choice k of an item is valid, and the head that it assigns: -1 for a tag."""
        head[0] = -1
        if self.is_untagged(w):
            return self.task.may_tag(&self.sentence, w, <int32_t> k)
        if not self.may_attach(w, k % 2 == RIGHT):
            return False
        head[0] = (self.left[w] if k % 2 == LEFT else self.right[w]) + 1
        return True

    cdef int rescore(self, Py_ssize_t w) except -1 nogil:
        """The scores of all valid labels of one item, and the best of them."""
        cdef const Node *window[2 * REACH + 1]
        cdef score_t *scores = self.scores + w * self.task.max_actions
        cdef bint left, right
        self.scored_at[w] = <int32_t> self.steps
        self.best[w] = -INFINITY
        if self.node[w] == NULL:
            return 0
        if self.is_untagged(w):
            self.task.tagging.scores(&self.memo, &self.sentence, w, self.sentence.tags, self.neighbour(w, False),
                                     self.neighbour(w, True), self.static + w * self.task.tags, scores)
            self.task.best_tag(&self.sentence, w, scores, &self.best[w], &self.action[w])
        elif self.task.parsing is not None:
            left = self.may_attach(w, False)
            right = self.may_attach(w, True)
            if not (left or right):
                return 0
            self.fill_window(w, window)
            self.task.parsing.scores(&self.memo, &self.sentence, window + REACH, left, right, scores)
            self.task.best_arc(scores, &self.best[w], &self.action[w])
        return 0

    cdef int rescore_pairs(self, Py_ssize_t w) except -1 nogil:
        """``rescore`` for a pending item and its neighbours within reach, if only the best labels are needed."""
        cdef int32_t words[4 * REACH + 3]           # the items around, w in the middle; -1 beyond the ends
        cdef const Node *nodes[4 * REACH + 3]
        cdef bint asked[PAIRS]
        cdef const Best *found[PAIRS]
        cdef const Best *best
        cdef int k, d
        cdef int middle = 2 * REACH + 1
        cdef int first = middle - REACH - 1     # pair k is that of the places first + k and first + k + 1
        cdef int32_t other
        words[middle] = <int32_t> w
        for k in range(middle):
            words[middle + k + 1] = self.right[words[middle + k]] if words[middle + k] >= 0 else -1
            words[middle - k - 1] = self.left[words[middle - k]] if words[middle - k] >= 0 else -1
        for k in range(4 * REACH + 3):
            nodes[k] = no_node() if words[k] < 0 else self.node[words[k]]
            prefetch(nodes[k])
        for k in range(PAIRS):
            other = words[first + k]
            asked[k] = (other >= 0 and words[first + k + 1] >= 0 and not self.is_untagged(other)
                        and not self.is_untagged(words[first + k + 1]))
        self.task.parsing.best_of_pairs(&self.memo, &self.sentence, nodes + first, asked, found)
        for k in range(PAIRS - 1):
            other = words[first + k + 1]
            if other < 0:
                continue
            if self.is_untagged(other):
                self.rescore(other)
                continue
            self.scored_at[other] = <int32_t> self.steps
            self.best[other] = -INFINITY
            self.action[other] = 0
            for d in range(2):
                if asked[k + d]:
                    best = found[k + d]
                    if best.score[d] > self.best[other] or (best.score[d] == self.best[other]
                                                            and best.action[d] < self.action[other]):
                        self.best[other] = best.score[d]
                        self.action[other] = best.action[d]
            self.action[other] += <int32_t> self.task.tags
        return 0

    cdef void build_tournament(self) noexcept nogil:
        cdef Py_ssize_t k, n = self.sentence.n
        for k in range(self.leaves):
            self.winner[self.leaves + k] = <int32_t> k if k < n else -1
        for k in range(self.leaves - 1, 0, -1):
            self.play_match(k)

    cdef void play_match(self, Py_ssize_t k) noexcept nogil:
        cdef int32_t a = self.winner[2 * k], b = self.winner[2 * k + 1]
        self.winner[k] = b if b >= 0 and self.best[b] > self.best[a] else a

    cdef void replay_matches(self, Py_ssize_t w) noexcept nogil:
        cdef Py_ssize_t k = (self.leaves + w) // 2
        while k >= 1:
            self.play_match(k)
            k //= 2

    cdef int apply(self, Py_ssize_t w, int32_t action, const Gold *gold) except -1 nogil:
        """Apply one decision without rescoring; return the word whose node changed."""
        cdef int32_t head, a, b
        cdef label_t name
        if action < self.task.tags:
            self.sentence.tags[w] = <uint16_t> (action + 1)
            if self.task.parsing is not None:
                self.node[w] = leaf(&self.nodes, &self.sentence, w, <uint16_t> (action + 1))
            return <int> w
        action -= <int32_t> self.task.tags
        name = <label_t> (action // 2)
        head = self.left[w] if action % 2 == LEFT else self.right[w]
        self.node[head] = attach(&self.nodes, self.node[head], self.node[w], name, self.task.parsing.labelled,
                                 gold != NULL and gold.heads[w] == head + 1)
        a = self.left[w]
        b = self.right[w]
        if a >= 0:
            self.right[a] = b
        if b >= 0:
            self.left[b] = a
        self.node[w] = NULL
        self.head[w] = head + 1
        self.label[w] = name
        return head

    cdef int rescore_around(self, Py_ssize_t w, Py_ssize_t changed, bint tagged) except -1 nogil:
        """Rescore the items whose templates see the change at a pending word, or the new tag."""
        cdef int32_t other
        cdef Py_ssize_t k, _k
        cdef int side
        if self.node[w] == NULL or self.task.parsing is None:       # no longer pending
            self.best[w] = -INFINITY
            self.replay_matches(w)
        cdef bint uses_pairs = self.uses_pairs()
        if self.task.parsing is not None:
            if uses_pairs:
                self.rescore_pairs(changed)
            else:
                self.rescore(changed)
            self.replay_matches(changed)
            for side in range(2):
                other = <int32_t> changed
                for _k in range(REACH):
                    other = self.right[other] if side else self.left[other]
                    if other < 0:
                        break
                    if not uses_pairs:
                        self.rescore(other)
                    self.replay_matches(other)
        if tagged:
            for k in range(max(<Py_ssize_t> 0, w - self.task.pad), min(self.sentence.n, w + self.task.pad + 1)):
                if self.sentence.tags[k] == 0 and self.scored_at[k] != self.steps:
                    self.rescore(k)
                    self.replay_matches(k)
        return 0

    cdef int take_step(self, Py_ssize_t w, int32_t action, score_t score, const Gold *gold) except -1 nogil:
        self.step_word[self.steps] = <int32_t> w
        self.step_action[self.steps] = action
        self.step_score[self.steps] = score
        self.steps += 1
        return self.rescore_around(w, self.apply(w, action, gold), action < self.task.tags)

    cdef int search(self) except -1 nogil:
        """Algorithm 1: repeatedly take the best item and label of all."""
        cdef Py_ssize_t _k, w
        for _k in range(self.task.total_steps(self.sentence.n)):
            w = self.best_item()
            self.take_step(w, self.action[w], self.best[w], NULL)
        return 0

    cdef Py_ssize_t best_item(self) except -1 nogil:
        """The item with the best decision; an error unless its score is finite."""
        cdef Py_ssize_t w = self.winner[1]
        if not (-INFINITY < self.best[w] < INFINITY):       # false for NaN too
            raise_diverged()
        return w

    cdef Py_ssize_t best_correct(self, const Gold *gold, int32_t *action, score_t *score) noexcept nogil:
        """The highest-scoring pair that is correct in gold; its word.

        Errors that the loss ignores are not rewarded: otherwise retrying would teach arbitrary attachments.
        """
        cdef Py_ssize_t w, found = -1
        cdef int32_t its
        cdef score_t value = 0
        cdef Gold right = gold[0]
        right.loss = JOINT
        for w in range(self.sentence.n):
            if self.node[w] == NULL:
                continue
            its = self.task.compatible(&right, w, self.sentence.tags[w], self.node[w],
                                       self.left[w] if self.may_attach(w, False) else -1,
                                       self.right[w] if self.may_attach(w, True) else -1,
                                       self.scores + w * self.task.max_actions, self.best[w], self.action[w], &value)
            if its >= 0 and (found < 0 or value > score[0]):
                found, action[0], score[0] = w, its, value
        return found

    cdef Py_ssize_t best_consistent(self, const Gold *given, const unsigned char *allowed, const int32_t *labels,
                                    int32_t *action, score_t *score) noexcept nogil:
        """The best pair consistent with the given tags, heads and labels (-1: open); its word, -1 for none."""
        cdef Py_ssize_t w, k, found = -1, tags = self.task.tags
        cdef const score_t *scores
        cdef int32_t head
        cdef unsigned char may
        score[0] = -INFINITY
        for w in range(self.sentence.n):
            if self.node[w] == NULL or self.best[w] <= score[0]:    # none of its labels can win
                continue
            scores = self.scores + w * self.task.max_actions
            if self.is_untagged(w):
                for k in range(tags):
                    may = allowed[w * tags + k]
                    if (may == 1 or (may == FREE and self.action[w] == k)) and scores[k] > score[0]:
                        found, action[0], score[0] = w, <int32_t> k, scores[k]
                continue
            if self.task.parsing is None or given.heads[w] == 0 or self.node[w].gold_children != given.children[w]:
                continue
            for k in range(2 * self.task.parsing.labels):
                if scores[k] <= score[0] or not self.is_valid_choice(w, k, &head):
                    continue
                if given.heads[w] > 0 and given.heads[w] != head:
                    continue
                if labels[w] >= 0 and self.task.parsing.labelled and k // 2 != labels[w]:
                    continue
                found, action[0], score[0] = w, <int32_t> (tags + k), scores[k]
        return found

    cdef int collect(self, Py_ssize_t w, int32_t action, double value, Delta tags, Delta arcs) except -1 nogil:
        """Collect the features of one decision in the current state."""
        cdef const Node *window[2 * REACH + 1]
        if action < self.task.tags:
            return self.task.tagging.collect(&self.memo, &self.sentence, w, self.sentence.tags,
                                             self.neighbour(w, False), self.neighbour(w, True), <label_t> action,
                                             value, tags)
        action -= <int32_t> self.task.tags
        self.fill_window(w, window)
        return self.task.parsing.collect(&self.memo, &self.sentence, window + REACH, action % 2,
                                         <label_t> (action // 2), value, arcs)

    cdef Py_ssize_t fill_keys(self, Py_ssize_t w, int direction, key_t *keys) noexcept nogil:
        """The keys of tagging a word (direction -1) or attaching it in the current state; returns their number."""
        cdef const Node *window[2 * REACH + 1]
        if direction < 0:
            return self.task.tagging.fill(&self.sentence, w, self.sentence.tags, self.neighbour(w, False),
                                          self.neighbour(w, True), keys)
        self.fill_window(w, window)
        return self.task.parsing.fill(&self.memo, &self.sentence, window + REACH, direction, keys)

    cdef Py_ssize_t learn(self, const Gold *gold, bint all_errors, Delta tags, Delta arcs) except -1 nogil:
        """Algorithm 2: search until an incompatible pair wins, and collect the difference; returns how many did.

        With ``all_errors`` the best correct pair is taken instead, and the search continues to the end.
        """
        cdef Py_ssize_t w, correct_word, wrong = 0, total = self.task.total_steps(self.sentence.n)
        cdef int32_t correct_action = 0, head
        cdef score_t score = 0
        while self.steps < total:
            w = self.best_item()
            head = -1
            if self.action[w] >= self.task.tags:
                head = (self.left[w] if (self.action[w] - self.task.tags) % 2 == LEFT else self.right[w]) + 1
            if self.task.is_allowed(gold, w, self.action[w], head, self.node[w]):
                self.take_step(w, self.action[w], self.best[w], gold)
                continue
            correct_word = self.best_correct(gold, &correct_action, &score)
            if correct_word < 0:
                raise_diverged()
            self.collect(correct_word, correct_action, 1, tags, arcs)
            self.collect(w, self.action[w], -1, tags, arcs)
            wrong += 1
            if not all_errors:
                break
            self.take_step(correct_word, correct_action, score, gold)
        return wrong
