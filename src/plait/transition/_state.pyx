"""The transitions of Bohnet & Nivre (2012), Figure 1, on configurations that share structure.

    LEFT-ARC_d   [σ|i, j] → [σ|j], arc j → i       i is not the root
    RIGHT-ARC_d  [σ|i, j] → [σ|i], arc i → j       i is the root: only when j is all that is left
    SHIFT_p      [i|β] → β, i onto the stack       a word moved back by SWAP keeps its tag
    SWAP         [σ|i, j] → [σ|j], [i|β]           0 < i < j

Since the root takes its child last, every tree has exactly one root; all such trees can be built.

If a tag is chosen before the extent of its word (``tags_first``), a first SHIFT_p may leave the word open. Then only
APPENDs follow, which are represented as SHIFTs, until one of them ends the word; only then is it on the stack.
"""

from libc.string cimport memcpy, memset

from plait.core._hashing cimport finish, mix
from plait.core._memory cimport take
from plait.transition._lattice cimport steps_of
from plait.transition._types cimport SHIFT, SWAP

cdef uint64_t ROOT = 0x524f4f54
cdef uint64_t NONE = 0x4e4f4e45

cdef Node NO_NODE
memset(&NO_NODE, 0, sizeof(Node))
NO_NODE.word = -1
NO_NODE.tagged = NONE
NO_NODE.atom[<int> W] = NONE
NO_NODE.atom[<int> T] = NONE


cdef inline uint64_t item_hash(uint64_t below, uint64_t node) noexcept nogil:
    return finish(mix(mix(0x6974656d, below), node))


cdef inline uint64_t whole_hash(uint64_t stack, uint64_t back, int32_t front) noexcept nogil:
    return finish(mix(mix(mix(0x73746570, stack), back), <uint64_t> front))


cdef inline uint64_t open_hash(uint64_t whole, int32_t reach, uint64_t tag) noexcept nogil:
    return finish(mix(mix(mix(0x6f70656e, whole), <uint64_t> reach), tag))


cdef inline uint64_t with_child(uint64_t head, int32_t word, uint64_t child, label_t label) noexcept nogil:
    # A sum, so that the order of attachments does not matter.
    return head + finish(mix(mix(mix(0x61726373, child), label), <uint64_t> word))


cdef inline uint64_t set_atom(const uint64_t *labels) noexcept nogil:
    return finish(mix(mix(0x6c736574, labels[0]), labels[1]))


cdef void make_leaf(const Sentence *sentence, Node *node, int32_t word, label_t tag) noexcept nogil:
    memset(node, 0, sizeof(Node))
    node.word = word
    node.tag = tag
    node.tree = finish(mix(0x6c656166, <uint64_t> word))
    node.tagged = finish(mix(mix(0x6c656167, <uint64_t> word), tag))
    node.atom[<int> LC_T] = NONE
    node.atom[<int> RC_T] = NONE
    node.atom[<int> VL] = 1
    node.atom[<int> VR] = 1
    node.atom[<int> LL] = set_atom(node.labels[0])
    node.atom[<int> LR] = set_atom(node.labels[1])
    if word == 0:
        node.atom[<int> W] = ROOT
        node.atom[<int> T] = ROOT
    else:
        node.atom[<int> W] = sentence.atoms[(word - 1) * sentence.width]
        node.atom[<int> T] = <atom_t> sentence.classes[tag] + 1
        if sentence.compound:
            node.atom[<int> M] = <atom_t> tag + 1


cdef Item *push(Sentence *sentence, const Item *below, const Node *node) except NULL nogil:
    cdef Item *item = <Item *> take(&sentence.arena, sizeof(Item))
    item.node = node
    item.below = below
    item.tree = item_hash(below.tree if below != NULL else 0, node.tree)
    item.tagged = item_hash(below.tagged if below != NULL else 0, node.tagged)
    item.depth = below.depth + 1 if below != NULL else 1
    return item


cdef Step *initial_step(Sentence *sentence) except NULL nogil:
    cdef Step *step
    cdef Py_ssize_t w, c, at
    sentence.root = <Node *> take(&sentence.arena, sizeof(Node))
    make_leaf(sentence, sentence.root, 0, 0)
    sentence.leaves = <Node *> take(&sentence.arena, (sentence.n * sentence.k + 1) * sizeof(Node))
    for w in range(sentence.n):
        for c in range(sentence.counts[w]):
            at = w * sentence.k + c
            make_leaf(sentence, &sentence.leaves[at], <int32_t> w + 1, sentence.tags[at])
    step = <Step *> take(&sentence.arena, sizeof(Step))
    memset(step, 0, sizeof(Step))
    step.stack = push(sentence, NULL, sentence.root)
    step.last = sentence.root
    step.front = 1
    step.tree = whole_hash(step.stack.tree, 0, 1)
    step.tagged = whole_hash(step.stack.tagged, 0, 1)
    return step


cdef bint is_final(const Sentence *sentence, const Step *step) noexcept nogil:
    return step.front > sentence.lattice.length and step.back == NULL and (step.stack.depth == 1 or not sentence.trees)


cdef int32_t choice_of(const Sentence *sentence, int32_t word, label_t tag) noexcept nogil:
    cdef int32_t c
    for c in range(sentence.counts[word - 1]):
        if sentence.tags[(word - 1) * sentence.k + c] == tag:
            return c
    return -1


cdef inline const Node *next_node(const Sentence *sentence, const Step *step, int32_t word,
                                  label_t choice) noexcept nogil:
    """What SHIFT pushes: a word moved back by SWAP, otherwise the chosen one."""
    return step.back.node if step.back != NULL else &sentence.leaves[(word - 1) * sentence.k + choice]


cdef void hash_after(const Sentence *sentence, const Step *step, label_t action, int32_t word, label_t choice,
                     uint64_t *tree, uint64_t *tagged) noexcept nogil:
    cdef const Item *stack = step.stack
    cdef const Item *back = step.back
    cdef const Node *head
    cdef const Node *child
    cdef int32_t front = step.front
    cdef uint64_t back_tree = back.tree if back != NULL else 0, back_tagged = back.tagged if back != NULL else 0
    cdef uint64_t new_tree, new_tagged
    if word < 0:
        tree[0] = open_hash(whole_hash(stack.tree, 0, front), next_reach(step), 0)
        tagged[0] = open_hash(whole_hash(stack.tagged, 0, front), next_reach(step), 1 + sentence.starts[-word].tag)
        return
    if action == SHIFT:
        head = next_node(sentence, step, word, choice)
        new_tree = item_hash(stack.tree, head.tree)
        new_tagged = item_hash(stack.tagged, head.tagged)
        if back != NULL:
            back_tree = back.below.tree if back.below != NULL else 0
            back_tagged = back.below.tagged if back.below != NULL else 0
        else:
            front = sentence.lattice.end[word] + 1
    elif action == SWAP:
        new_tree = item_hash(stack.below.below.tree, stack.node.tree)
        new_tagged = item_hash(stack.below.below.tagged, stack.node.tagged)
        back_tree = item_hash(back_tree, stack.below.node.tree)
        back_tagged = item_hash(back_tagged, stack.below.node.tagged)
    else:
        head, child = head_of(stack, action), child_of(stack, action)
        stack = stack.below.below
        new_tree = with_child(head.tree, head.word, child.tree, (action - LEFT) // 2)
        new_tagged = with_child(head.tagged, head.word, child.tagged, (action - LEFT) // 2)
        new_tree = item_hash(stack.tree if stack != NULL else 0, new_tree)
        new_tagged = item_hash(stack.tagged if stack != NULL else 0, new_tagged)
    tree[0] = whole_hash(new_tree, back_tree, front)
    tagged[0] = whole_hash(new_tagged, back_tagged, front)


cdef inline void copy_child(Node *node, const Node *child, int first, label_t label) noexcept nogil:
    """Write form, tag and label of a child, from this column on."""
    node.atom[first] = child.atom[<int> W]
    node.atom[first + 1] = child.atom[<int> T]
    node.atom[first + 2] = <atom_t> label + 1


cdef inline void move_child(Node *node, int first, int second) noexcept nogil:
    """Make the outermost child the second."""
    node.atom[second] = node.atom[first]
    node.atom[second + 1] = node.atom[first + 1]
    node.atom[second + 2] = node.atom[first + 2]


cdef Node *attach(Sentence *sentence, const Node *head, const Node *child, label_t label) except NULL nogil:
    cdef bint left = child.word < head.word
    cdef int side = not left, outermost = LC_W if left else RC_W, second = LC2_W if left else RC2_W
    cdef Node *node = <Node *> take(&sentence.arena, sizeof(Node))
    cdef Arc *arc = <Arc *> take(&sentence.arena, sizeof(Arc))
    memcpy(node, head, sizeof(Node))
    arc.child = child
    arc.next = head.arcs
    arc.label = label
    node.arcs = arc
    node.siblings_known = False
    node.tree = with_child(head.tree, head.word, child.tree, label)
    node.tagged = with_child(head.tagged, head.word, child.tagged, label)
    # ``left`` also says on which side a child is farther out: where its number is smaller, or where it is not
    if head.outermost[side] == 0 or (child.word < head.outermost[side]) == left:
        if head.outermost[side] != 0:
            node.second[side] = head.outermost[side]
            move_child(node, outermost, second)
        node.outermost[side] = child.word
        copy_child(node, child, outermost, label)
    elif head.second[side] == 0 or (child.word < head.second[side]) == left:
        node.second[side] = child.word
        copy_child(node, child, second, label)
    node.atom[<int> VL + side] += 1
    node.labels[side][label // 64 % 2] |= (<uint64_t> 1) << (label % 64)
    node.atom[<int> LL + side] = set_atom(node.labels[side])
    return node


cdef Step *apply(Sentence *sentence, const Step *step, label_t action, int32_t word, label_t choice) except NULL nogil:
    cdef Step *new = <Step *> take(&sentence.arena, sizeof(Step))
    cdef const Item *stack = step.stack
    cdef const Node *node
    new.before = step
    new.back = step.back
    new.front = step.front
    new.last = step.last
    new.swaps = step.swaps
    new.length = step.length + 1
    new.time = step.time + 1
    new.word = 0
    new.reach = 0
    new.action = action
    new.choice = choice
    new.score = step.score
    if word < 0:
        new.stack = stack
        new.word = word
        new.reach = next_reach(step)
        new.time = step.time + (1 if step.reach == 0 else sentence.lattice.append)
        new.tree = open_hash(whole_hash(stack.tree, 0, new.front), new.reach, 0)
        new.tagged = open_hash(whole_hash(stack.tagged, 0, new.front), new.reach, 1 + sentence.starts[-word].tag)
        return new
    if action == SHIFT:
        node = next_node(sentence, step, word, choice)
        new.stack = push(sentence, stack, node)
        if step.back != NULL:
            new.back = step.back.below
        else:
            new.word = word
            new.last = node
            new.front = sentence.lattice.end[word] + 1
            new.time = step.time + (steps_of(&sentence.lattice, word) if step.reach == 0 else sentence.lattice.append)
    elif action == SWAP:
        new.stack = push(sentence, stack.below.below, stack.node)
        new.back = push(sentence, step.back, stack.below.node)
        new.swaps += 1
    else:
        node = attach(sentence, head_of(stack, action), child_of(stack, action), (action - LEFT) // 2)
        new.stack = push(sentence, stack.below.below, node)
    new.tree = whole_hash(new.stack.tree, new.back.tree if new.back != NULL else 0, new.front)
    new.tagged = whole_hash(new.stack.tagged, new.back.tagged if new.back != NULL else 0, new.front)
    return new


cdef void window_nodes(const Sentence *sentence, const Step *step, int32_t word, label_t choice,
                       const Node **slots) noexcept nogil:
    cdef const Item *item = step.stack
    cdef int i
    for i in range(3):
        slots[i] = item.node if item != NULL else &NO_NODE
        item = item.below if item != NULL else NULL
    item = step.back
    for i in range(3, <int> LAST):
        if item != NULL:
            slots[i] = item.node
            item = item.below
        elif word > 0:
            slots[i] = &sentence.leaves[(word - 1) * sentence.k + choice]
            choice = 0
            word = sentence.lattice.best[sentence.lattice.end[word] + 1]
        else:
            slots[i] = &NO_NODE
    slots[<int> LAST] = step.last
