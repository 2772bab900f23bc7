"""Scores of tags and attachments, summed by template group and cached while a sentence is analysed."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._arrays cimport enlarged
from plait.core._hashing cimport finish, mix
from plait.core._memory cimport Slot, clear, prefetch_slot, find, free_map, insert, reserve, rewind, take
from plait.core._rows cimport first_largest_of_two, prefetch, sum_rows
from plait.core._templates cimport add_up, new_sum, signature
from plait.core._weights cimport Trainable
from plait.features._agreement cimport agreement

cdef enum:
    WORDS_KEPT = 1 << 14    # forms whose own sum is cached; beyond that the cache is cleared
    LINE = 16           # scores of a cache line
    NEXT_LEFT = 100     # slot numbers of the pending neighbours, clear of any tag offset
    NEXT_RIGHT = 101

cdef uint64_t NO_CHILD = 0x4e4f4e45
cdef uint64_t BEYOND = 0x504144
cdef uint64_t BOS = 0x424f53
cdef uint64_t EOS = 0x454f53

NODE_COLUMN_NAMES = ("w", "t", "lc.w", "lc.t", "lc.l", "rc.w", "rc.t", "rc.l", "lc2.w", "lc2.t", "rc2.w", "rc2.t",
                     "vl", "vr", "len", "leaf")
SLOT_OF_NEIGHBOUR = {-1: NEXT_LEFT, 1: NEXT_RIGHT}

cdef Node END
memset(&END, 0, sizeof(Node))
END.visible = BEYOND
END.word = -1
END.atom[<int> W] = BEYOND
END.atom[<int> T] = BEYOND


cdef const Node *no_node() noexcept nogil:
    return &END


cdef int record(Memo *memo, const key_t *keys, score_t *sum, Py_ssize_t count, bint of_arcs) except -1 nogil:
    """Record the keys of a sum: those that fired."""
    cdef Record *new
    cdef Py_ssize_t k
    if memo.record_count == memo.record_capacity:
        memo.records = <Record *> enlarged(memo.records, &memo.record_capacity, sizeof(Record))
    new = &memo.records[memo.record_count]
    new.keys = <key_t *> take(&memo.sums.arena, (count + 1) * sizeof(key_t))
    new.count = 0
    for k in range(count):
        if keys[k] != 0:
            new.keys[new.count] = keys[k]
            new.count += 1
    new.sum = sum
    new.of_arcs = of_arcs
    memo.record_count += 1
    return 0


cdef score_t *recorded_sum(Memo *memo, TemplateGroups groups, Py_ssize_t g, const atom_t *base, Py_ssize_t labels,
                           bint of_arcs) except NULL nogil:
    """A new sum, with a record of its keys if records are kept."""
    cdef Py_ssize_t first = memo.sums.waiting
    cdef score_t *total = new_sum(&memo.sums, groups, g, base, labels)
    if memo.recording:
        record(memo, memo.sums.keys + first, total, memo.sums.waiting - first, of_arcs)
    return total


cdef int update_sums(Memo *memo, Scorer tags, Scorer arcs, Delta tag_changes, Delta arc_changes) except -1:
    """After an update: recompute the sums that contain a changed row, and drop the totals."""
    cdef Py_ssize_t i, j, side
    cdef Delta delta
    cdef Scorer weights
    cdef KeyMap changed
    cdef Record *one
    memset(&changed, 0, sizeof(KeyMap))
    for side in range(2):
        delta = arc_changes if side else tag_changes
        weights = arcs if side else tags
        if delta.size == 0 or weights is None:
            continue
        reserve(&changed, max(2 * delta.size, <Py_ssize_t> 512))
        with nogil:
            for i in range(delta.size):
                insert(&changed, delta.entries[i].key)
            for i in range(memo.record_count):
                one = &memo.records[i]
                if one.of_arcs != side:
                    continue
                for j in range(one.count):
                    if find(&changed, one.keys[j]).key != 0:
                        memset(one.sum, 0, weights.labels * sizeof(score_t))
                        weights.add(one.keys, one.count, one.sum)
                        break
        free_map(&changed)
    return clear(&memo.totals)


cdef inline uint64_t range_of(int32_t count) noexcept nogil:
    """Bins: 1 to 10, 11-15, 16-20, 21-30, more."""
    if count <= 10:
        return count
    return 11 if count <= 15 else 12 if count <= 20 else 13 if count <= 30 else 14


cdef inline void hash_visible(Node *node) noexcept nogil:
    """Hash what templates can see."""
    cdef int c
    cdef uint64_t h = mix(0x6c6f6f6b, <uint64_t> node.word)
    for c in range(NODE_COLUMNS):
        h = mix(h, node.atom[c])
    node.visible = finish(h)


cdef uint64_t leaf_hash(Py_ssize_t w, uint16_t tag) noexcept nogil:
    return finish(mix(mix(0x77686f6c, <uint64_t> w), tag))


cdef Node *leaf(Arena *arena, Sentence *sentence, Py_ssize_t w, uint16_t tag) except NULL nogil:
    """A word without children; tag code 0: untagged."""
    cdef Node *node = <Node *> take(arena, sizeof(Node))
    memset(node, 0, sizeof(Node))
    node.word = <int32_t> w
    node.size = 1
    node.tree = leaf_hash(w, tag)
    node.atom[<int> W] = sentence.atoms[w * sentence.width]
    node.atom[<int> T] = tag
    node.atom[<int> LC_T] = NO_CHILD
    node.atom[<int> RC_T] = NO_CHILD
    node.atom[<int> VL] = 1
    node.atom[<int> VR] = 1
    node.atom[<int> LEN] = 1
    node.atom[<int> LEAF] = 1
    hash_visible(node)
    return node


cdef uint64_t with_child(const Node *head, const Node *child, label_t label) noexcept nogil:
    # A sum, so that the order of attachments does not matter.
    return head.tree + finish(mix(mix(mix(0x61747463, child.tree), label), <uint64_t> head.word))


cdef Node *attach(Arena *arena, const Node *head, const Node *child, label_t label, bint labelled,
                  bint is_gold) except NULL nogil:
    cdef bint left = child.word < head.word
    cdef int outer = LC_W if left else RC_W, second = LC2_W if left else RC2_W
    cdef int32_t children = head.lefts if left else head.rights
    cdef Node *node = <Node *> take(arena, sizeof(Node))
    memcpy(node, head, sizeof(Node))
    node.tree = with_child(head, child, label)
    node.size += child.size
    node.gold_children += is_gold
    node.lefts += left
    node.rights += not left
    node.atom[second] = head.atom[outer]
    node.atom[second + 1] = head.atom[outer + 1] if children > 0 else 0
    node.atom[outer] = child.atom[<int> W]
    node.atom[outer + 1] = child.atom[<int> T]
    node.atom[outer + 2] = <uint64_t> label + 1 if labelled else 0
    node.atom[<int> VL if left else <int> VR] = min(children + 1, 7) + 1
    node.atom[<int> LEN] = range_of(node.size)
    node.atom[<int> LEAF] = 2
    hash_visible(node)
    return node


cdef class TagScoring:
    """Scores of tags, given the tags around a word and the neighbouring partial trees."""

    def __cinit__(self, Scorer weights not None, TagDictionary dictionary not None, Templates alone not None,
                  Templates around not None, TemplateGroups groups not None, Py_ssize_t width, Py_ssize_t pad,
                  Py_ssize_t tag_column, Py_ssize_t tagged_column, Py_ssize_t left_column, Py_ssize_t right_column):
        cdef Py_ssize_t k
        self.weights = weights
        self.dictionary = dictionary
        self.alone = alone
        self.around = around
        self.frozen = not isinstance(weights, Trainable)
        self.groups = groups
        self.labels = weights.labels
        self.width = width
        self.pad = pad
        self.tag_column = tag_column
        self.tagged_column = tagged_column
        self.left_column = left_column
        self.right_column = right_column
        for k in range(groups.start[groups.count]):
            if groups.slot[k] >= NEXT_LEFT:
                self.sees_neighbours = True
            else:
                self.lowest = min(self.lowest, <Py_ssize_t> groups.slot[k])
                self.highest = max(self.highest, <Py_ssize_t> groups.slot[k])
        if dictionary.tags != self.labels:
            raise ValueError(f"a dictionary of {dictionary.tags} tags for {self.labels}")
        if -self.lowest > pad or self.highest > pad:
            raise ValueError("the padding is narrower than the templates")
        if self.lowest <= -NEXT_LEFT or groups.highest > NEXT_RIGHT:
            raise ValueError(f"templates look at tags more than {NEXT_LEFT - 1} words away")

    cdef int static_scores(self, Memo *memo, Sentence *sentence, Py_ssize_t w, score_t *scores) except -1 nogil:
        cdef const atom_t *row = sentence.atoms + w * self.width
        cdef Py_ssize_t count = self.alone.count
        cdef key_t *keys = memo.sums.keys
        cdef Slot *own
        if not self.frozen:
            self.alone.fill(row, keys)
            self.around.fill(row, keys + count)
            count += self.around.count
            memset(scores, 0, self.labels * sizeof(score_t))
            self.weights.add(keys, count, scores)
            return record(memo, keys, scores, count, False) if memo.recording else 0
        if memo.word_sums.count >= WORDS_KEPT:
            clear(&memo.word_sums)
            rewind(&memo.word_arena)
        own = insert(&memo.word_sums, row[0])
        if own.value.pointer == NULL:
            own.value.pointer = take(&memo.word_arena, self.labels * sizeof(score_t))
            memset(own.value.pointer, 0, self.labels * sizeof(score_t))
            self.alone.fill(row, keys)
            self.weights.add(keys, count, <score_t *> own.value.pointer)
        memcpy(scores, own.value.pointer, self.labels * sizeof(score_t))
        self.around.fill(row, keys)
        self.weights.add(keys, self.around.count, scores)
        return 0

    cdef void place(self, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                    const Node *right) noexcept nogil:
        """Write the context to the columns that templates look at."""
        cdef Py_ssize_t k
        cdef uint16_t code
        cdef atom_t *row = sentence.atoms + w * self.width
        cdef atom_t *there
        for k in range(self.lowest, self.highest + 1):
            if k == 0:
                continue
            code = tags[w + k]
            there = row + k * self.width
            there[self.tag_column] = BOS if code == self.labels + 1 else EOS if code == self.labels + 2 else code
            if self.tagged_column >= 0:
                there[self.tagged_column] = 1 if 0 < code <= self.labels else 0
        if self.sees_neighbours:
            memcpy(row + self.left_column, left.atom, sizeof(atom_t) * NODE_COLUMNS)
            memcpy(row + self.right_column, right.atom, sizeof(atom_t) * NODE_COLUMNS)

    cdef int scores(self, Memo *memo, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                    const Node *right, const score_t *static, score_t *scores) except -1 nogil:
        cdef uint64_t contents[NEXT_LEFT + NEXT_RIGHT + 1]
        cdef uint64_t *by_slot = contents + NEXT_LEFT
        cdef Sums *sums = &memo.sums
        cdef Py_ssize_t g, k
        cdef Slot *slot
        for k in range(self.lowest, self.highest + 1):
            by_slot[k] = tags[w + k]
        by_slot[<int> NEXT_LEFT] = left.visible
        by_slot[<int> NEXT_RIGHT] = right.visible
        sums.parts[0] = <score_t *> static
        sums.count = 1
        for g in range(self.groups.count):
            sums.signatures[g] = signature(self.groups, g, by_slot, <uint64_t> w)
            prefetch_slot(&sums.memo, sums.signatures[g])
        for g in range(self.groups.count):
            if sums.signatures[g] == 0:
                continue
            slot = insert(&sums.memo, sums.signatures[g])
            if slot.value.pointer == NULL:
                if sums.waiting == 0:
                    self.place(sentence, w, tags, left, right)
                slot.value.pointer = recorded_sum(memo, self.groups, g, sentence.atoms + w * self.width, self.labels,
                                                  False)
            sums.parts[sums.count] = <score_t *> slot.value.pointer
            sums.count += 1
        add_up(sums, self.weights, scores)
        return 0

    cdef int collect(self, Memo *memo, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                     const Node *right, label_t tag, double value, Delta delta) except -1 nogil:
        """Collect the features of this tag."""
        delta.put_all(memo.sums.keys, self.fill(sentence, w, tags, left, right, memo.sums.keys), tag, value)
        return 0

    cdef Py_ssize_t fill(self, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                         const Node *right, key_t *keys) noexcept nogil:
        """The keys of all templates; their number."""
        cdef const atom_t *row = sentence.atoms + w * self.width
        self.place(sentence, w, tags, left, right)
        self.alone.fill(row, keys)
        keys += self.alone.count
        self.around.fill(row, keys)
        self.groups.templates.fill(row, keys + self.around.count)
        return self.alone.count + self.around.count + self.groups.templates.count


cdef inline uint64_t window_key(TemplateGroups groups, const Node **p0, uint64_t kind) noexcept nogil:
    """A hash of everything that the groups can see of a window."""
    cdef uint64_t key = mix(kind, groups.seed[0])
    cdef int s
    for s in range(<int> groups.lowest, <int> groups.highest + 1):
        key = mix(key, p0[s].visible)
    return finish(key)


cdef class ArcScoring:
    """Scores of attaching an item to its left or right neighbour, with each label."""

    def __cinit__(self, Scorer weights not None, TemplateGroups pair not None, TemplateGroups item not None,
                  Py_ssize_t labels, bint shared, Py_ssize_t width, extras, distances, agreements=(),
                  Py_ssize_t agreement_column=0, Py_ssize_t agreement_slots=0):
        self.weights = weights
        self.pair = pair
        self.item = item
        self.labelled = labels > 0
        self.labels = max(labels, <Py_ssize_t> 1)
        self.shared = shared or not self.labelled
        self.by_pair = self.labelled and item.count == 0
        self.row = 2 + 2 * labels
        self.width = width
        self.extras = len(extras)
        self.distances = len(distances)
        self.columns = NODE_COLUMNS + self.extras
        self.extra = np.array(extras, dtype=np.int32)
        self.distance = np.array(distances, dtype=np.int32).reshape(-1, 2)
        self.agreements = len(agreements)
        self.agreement_column, self.agreement_slots = agreement_column, agreement_slots
        self.agreeing = np.array(agreements, dtype=np.int32).reshape(-1, 2)
        if not 0 <= agreement_column <= agreement_column + agreement_slots <= width:
            raise ValueError("slots of agreement outside the rows of words")
        if weights.labels != self.row:
            raise ValueError(f"{weights.labels} weights a row for {labels} labels of arcs")
        if pair.lowest < 1 - REACH or pair.highest > REACH or item.lowest < -REACH or item.highest > REACH:
            raise ValueError("templates look beyond the window")
        if pair.count + item.count == 0:
            raise ValueError("no templates for arcs")

    cdef void place(self, Memo *memo, Sentence *sentence, const Node **p0, int slot) noexcept nogil:
        cdef const Node *node = p0[slot]
        cdef atom_t *row = memo.window + (slot + REACH) * self.columns
        cdef Py_ssize_t k
        memcpy(row, node.atom, sizeof(atom_t) * NODE_COLUMNS)
        for k in range(self.extras):
            row[NODE_COLUMNS + k] = BEYOND if node.word < 0 else sentence.atoms[node.word * self.width + self.extra[k]]

    cdef void place_pairs(self, Memo *memo, Sentence *sentence, const Node **p0) noexcept nogil:
        cdef atom_t *there = memo.window + (2 * REACH + 1) * self.columns
        cdef const Node *a
        cdef const Node *b
        cdef Py_ssize_t k
        for k in range(self.distances):
            a = p0[self.distance[k, 0]]
            b = p0[self.distance[k, 1]]
            there[k] = 0 if a.word < 0 or b.word < 0 else range_of(b.word - a.word)
        for k in range(self.agreements):
            a = p0[self.agreeing[k, 0]]
            b = p0[self.agreeing[k, 1]]
            there[self.distances + k] = 0
            if a.word >= 0 and b.word >= 0:
                there[self.distances + k] = agreement(sentence.atoms + a.word * self.width + self.agreement_column,
                                                      sentence.atoms + b.word * self.width + self.agreement_column,
                                                      self.agreement_slots)

    cdef score_t *sums(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0) except NULL nogil:
        """The row of one window, using the memo for it and its parts."""
        cdef Slot *slot = insert(&memo.totals, window_key(groups, p0, 0x746f7461))
        if slot.value.pointer == NULL:
            slot.value.pointer = take(&memo.sums.arena, self.row * sizeof(score_t))
            self.add_groups(memo, sentence, groups, p0, <score_t *> slot.value.pointer)
        return <score_t *> slot.value.pointer

    cdef int add_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                        score_t *total) except -1 nogil:
        """total = the sums of all groups, each from the memo if it is there."""
        self.prefetch_groups(memo, groups, p0, 0)
        self.find_groups(memo, sentence, groups, p0, 0)
        memo.sums.count = groups.count
        add_up(&memo.sums, self.weights, total)
        return 0

    cdef void prefetch_groups(self, Memo *memo, TemplateGroups groups, const Node **p0, Py_ssize_t at) noexcept nogil:
        """Compute the signatures of all groups, from place ``at`` on, and prefetch their slots."""
        cdef uint64_t contents[2 * REACH + 1]
        cdef uint64_t *by_slot = contents + REACH
        cdef key_t *signatures = memo.sums.signatures + at
        cdef Py_ssize_t g
        cdef int s
        for s in range(<int> groups.lowest, <int> groups.highest + 1):
            by_slot[s] = p0[s].visible
        for g in range(groups.count):
            signatures[g] = signature(groups, g, by_slot, 0)
            prefetch_slot(&memo.sums.memo, signatures[g])

    cdef int find_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                         Py_ssize_t at) except -1 nogil:
        """Make the sums of these groups parts, in the same places; the rows of new sums are queued."""
        cdef Py_ssize_t g, k
        cdef int s
        cdef Slot *slot
        cdef unsigned int placed = 0
        for g in range(groups.count):
            slot = insert(&memo.sums.memo, memo.sums.signatures[at + g])
            if slot.value.pointer == NULL:
                if placed == 0:
                    self.place_pairs(memo, sentence, p0)
                for k in range(groups.start[g], groups.start[g + 1]):
                    s = groups.slot[k]
                    if placed & (1 << (s + REACH)) == 0:
                        self.place(memo, sentence, p0, s)
                        placed |= 1 << (s + REACH)
                slot.value.pointer = recorded_sum(memo, groups, g, memo.window + REACH * self.columns, self.row, True)
            else:
                for k in range((self.row + LINE - 1) // LINE):
                    prefetch(<score_t *> slot.value.pointer + k * LINE)
            memo.sums.parts[at + g] = <score_t *> slot.value.pointer
        return 0

    cdef int scores(self, Memo *memo, Sentence *sentence, const Node **p0, bint left, bint right,
                    score_t *scores) except -1 nogil:
        """scores[2l + d] for every label and direction; -inf where there is no neighbour to attach to."""
        cdef const score_t *item = NULL
        cdef const score_t *pair
        cdef score_t common
        cdef Py_ssize_t name
        cdef int d
        if self.item.count > 0:
            item = self.sums(memo, sentence, self.item, p0)
        for d in range(2):
            if not (left if d == LEFT else right):
                for name in range(self.labels):
                    scores[2 * name + d] = -INFINITY
                continue
            pair = NULL
            if self.pair.count > 0:
                pair = self.sums(memo, sentence, self.pair, p0 - 1 if d == LEFT else p0)
            common = 0
            if self.shared:
                common = (pair[d] if pair != NULL else 0) + (item[d] if item != NULL else 0)
            if not self.labelled:
                scores[d] = common
            elif pair != NULL and item != NULL:
                for name in range(self.labels):
                    scores[2 * name + d] = pair[2 + 2 * name + d] + item[2 + 2 * name + d] + common
            else:
                if pair == NULL:
                    pair = item
                for name in range(self.labels):
                    scores[2 * name + d] = pair[2 + 2 * name + d] + common
        return 0

    cdef int best_of_pairs(self, Memo *memo, Sentence *sentence, const Node **p0, const bint *asked,
                           const Best **found) except -1 nogil:
        """The best labels of the requested pairs (p0[k], p0[k + 1]), k < PAIRS; only if ``by_pair``.

        Each step of a search requests some adjacent pairs. Memory accesses overlap: for cached pairs, for sums of
        groups, for rows of weights. Only the best labels of a pair are cached.
        """
        cdef Slot *slot
        cdef Best *best
        cdef Py_ssize_t k, even, odd, groups = self.pair.count
        cdef key_t keys[PAIRS]
        cdef Best *new[PAIRS]
        for k in range(PAIRS):
            if asked[k]:
                keys[k] = window_key(self.pair, p0 + k, 0x62657374)
                prefetch_slot(&memo.totals, keys[k])
        for k in range(PAIRS):
            new[k] = NULL
            if not asked[k]:
                continue
            slot = insert(&memo.totals, keys[k])
            if slot.value.pointer == NULL:
                slot.value.pointer = new[k] = <Best *> take(&memo.sums.arena, sizeof(Best))
                self.prefetch_groups(memo, self.pair, p0 + k, k * groups)
            found[k] = <Best *> slot.value.pointer
        for k in range(PAIRS):
            if new[k] != NULL:
                self.find_groups(memo, sentence, self.pair, p0 + k, k * groups)
        self.weights.add_each(memo.sums.keys, memo.sums.waiting, memo.sums.targets)
        memo.sums.waiting = 0
        for k in range(PAIRS):
            best = new[k]
            if best == NULL:
                continue
            sum_rows(memo.row, <const score_t *const *> memo.sums.parts + k * groups, groups, self.row)
            first_largest_of_two(memo.row + 2, 2 * self.labels, &even, &odd)
            best.action[0] = <int32_t> even
            best.action[1] = <int32_t> odd
            best.score[0] = memo.row[2 + even] + (memo.row[0] if self.shared else 0)
            best.score[1] = memo.row[2 + odd] + (memo.row[1] if self.shared else 0)
        return 0

    cdef Py_ssize_t fill_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                                key_t *keys) noexcept nogil:
        cdef int slot
        if groups.count == 0:
            return 0
        for slot in range(<int> groups.lowest, <int> groups.highest + 1):
            self.place(memo, sentence, p0, slot)
        self.place_pairs(memo, sentence, p0)
        groups.templates.fill(memo.window + REACH * self.columns, keys)
        return groups.templates.count

    cdef Py_ssize_t fill(self, Memo *memo, Sentence *sentence, const Node **p0, int direction,
                         key_t *keys) noexcept nogil:
        """The keys of all templates, those around the pair first; their number."""
        cdef Py_ssize_t count = self.fill_groups(memo, sentence, self.pair, p0 - 1 if direction == LEFT else p0, keys)
        return count + self.fill_groups(memo, sentence, self.item, p0, keys + count)

    cdef int collect(self, Memo *memo, Sentence *sentence, const Node **p0, int direction, label_t label, double value,
                     Delta delta) except -1 nogil:
        """Collect the features of this attachment."""
        cdef Py_ssize_t count = self.fill(memo, sentence, p0, direction, memo.sums.keys)
        if self.shared:
            delta.put_all(memo.sums.keys, count, <label_t> direction, value)
        if self.labelled:
            delta.put_all(memo.sums.keys, count, <label_t> (2 + 2 * label + direction), value)
        return 0
