"""Following given transitions: whether they are possible, their scores, and the tags and arcs that they make."""

from libc.stdint cimport int32_t

from plait.core._types cimport label_t, score_t, uint16_t
from plait.transition._scoring cimport Scoring, Workspace
from plait.transition._state cimport Sentence, Step, apply, child_of, choice_of, head_of, next_reach
from plait.transition._types cimport LEFT, RIGHT, SHIFT, SWAP


cdef bint is_applicable(Scoring scoring, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                        Py_ssize_t choice) noexcept nogil:
    """Whether a transition satisfies the conditions of Figure 1 and the candidates, regardless of the filters."""
    cdef const Sentence *sentence = &work.sentence
    cdef bint waiting = step.back != NULL or step.front <= sentence.lattice.length
    cdef int32_t longer
    if not 0 <= action < scoring.actions or (action != SHIFT and step.reach > 0):
        return False
    if action == SHIFT:
        if step.back != NULL or not waiting:
            return waiting
        if word < 0 and sentence.starts != NULL:
            if step.reach > 0 and word != step.word:
                return False
            if not sentence.first_start[step.front] <= -word < sentence.first_start[step.front + 1]:
                return False
            for longer in range(sentence.lattice.first[step.front], sentence.lattice.first[step.front + 1]):
                if (sentence.lattice.end[longer] > next_reach(step)
                        and choice_of(sentence, longer, sentence.starts[-word].tag) >= 0):
                    return True
            return False
        if not sentence.lattice.first[step.front] <= word < sentence.lattice.first[step.front + 1]:
            return False
        if not 0 <= choice < sentence.counts[word - 1]:
            return False
        if sentence.starts != NULL and sentence.lattice.end[word] != next_reach(step):
            return False
        return step.reach == 0 or choice_of(sentence, <int32_t> word, sentence.starts[-step.word].tag) == choice
    if not sentence.trees:
        return False
    if step.stack.depth < 3:
        return action % 2 == RIGHT % 2 and action != SWAP and step.stack.depth == 2 and not waiting
    return action != SWAP or step.stack.below.node.word < step.stack.node.word


cdef const Step *take_step(Scoring scoring, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                           Py_ssize_t choice, bint scored) except NULL:
    """One given transition, with its score on request."""
    cdef Step *new
    cdef score_t score = 0
    if not is_applicable(scoring, work, step, action, word, choice):
        raise ValueError(f"action {action} with choice {choice} is not possible after {step.length} steps")
    if action != SHIFT or step.back != NULL:
        word = choice = 0
    if scored:
        if step.reach == 0:
            scoring.score(work, step)
            score = work.scores[action]
        if word != 0 and scoring.tags_first:
            score += scoring.score_start(work, step, <int32_t> word, <label_t> choice)
        elif word > 0:
            score += scoring.score_word(work, step, <int32_t> word)
            if scoring.chooses_tag(&work.sentence, step, <int32_t> word):
                scoring.score_tags(work, step, <int32_t> word)
                score += scoring.choice_score(work, step, <int32_t> word, <label_t> choice)
    new = apply(&work.sentence, step, <label_t> action, <int32_t> word, <label_t> choice)
    new.score = step.score + score
    return new


cdef Py_ssize_t take_word(Scoring scoring, Workspace *work, const Step **steps, Py_ssize_t taken, Py_ssize_t word,
                          Py_ssize_t choice, bint scored) except -1:
    """With ``tags_first``: a first SHIFT and its APPENDs, after the steps already taken; returns their number."""
    cdef const Sentence *sentence = &work.sentence
    cdef const Step *step = steps[taken]
    cdef int32_t s, front = step.front
    cdef bint known = front <= sentence.lattice.length
    known = known and sentence.lattice.first[front] <= word < sentence.lattice.first[front + 1]
    if known and 0 <= choice < sentence.counts[word - 1]:   # otherwise the last step is refused
        s = scoring.start_of(sentence, step, <int32_t> word, <label_t> choice)
        while next_reach(step) < sentence.lattice.end[word]:
            step = take_step(scoring, work, step, SHIFT, -s, 0, scored)
            taken += 1
            steps[taken] = step
    steps[taken + 1] = take_step(scoring, work, step, SHIFT, word, choice, scored)
    return taken + 1


cdef void read_transition(const Sentence *sentence, const Step *step, uint16_t *tags, int *heads,
                          uint16_t *labels) noexcept nogil:
    """Write the tag or arc of one transition to arrays that start with word 1."""
    cdef const Step *before = step.before
    cdef int32_t child
    if step.action == SHIFT:
        if step.word > 0:
            tags[step.word - 1] = sentence.tags[(step.word - 1) * sentence.k + step.choice]
    elif step.action != SWAP:
        child = child_of(before.stack, step.action).word
        heads[child - 1] = head_of(before.stack, step.action).word
        labels[child - 1] = (step.action - LEFT) // 2
