"""Feature differences for training: what gold has and the prediction has not, and the other way round."""

from libc.stdint cimport int32_t

import numpy as np

from plait.core._delta cimport Delta
from plait.core._memory cimport take
from plait.core._templates cimport Templates
from plait.core._types cimport atom_t, key_t, label_t, uint16_t
from plait.transition._derivation cimport read_transition
from plait.transition._scoring cimport Scoring, Workspace, action_of
from plait.transition._state cimport Arc, Node, Sentence, Start, Step, child_of, head_of
from plait.transition._types cimport LEFT

cdef enum:
    NO_TAG = 65535      # of candidate words that are not part of an analysis; see MAX_TAGS


cdef int collect_filled(Templates templates, const atom_t *atoms, key_t *keys, label_t label, double value,
                        Delta features) except -1:
    """Collect the features of some templates over these atoms; ``keys`` is scratch memory."""
    templates.fill(atoms, keys)
    return features.put_all(keys, templates.count, label, value)


cdef int collect_tag(Scoring scoring, Workspace *work, Py_ssize_t word, label_t choice, double value,
                     Delta tags) except -1:
    """Collect the features of one of a word's candidate tags, in a filled window."""
    cdef Py_ssize_t at = (word - 1) * work.sentence.k + choice
    cdef label_t tag = scoring.classes[work.sentence.tags[at]]
    collect_filled(scoring.tag_templates.templates, work.window, work.sums.keys, tag, value, tags)
    scoring.fill_candidate(work, at, choice)
    return collect_filled(scoring.choice_templates.templates, work.window, work.sums.keys, tag, value, tags)


cdef int collect_start(Scoring scoring, Workspace *work, const Step *step, double value, Delta tags,
                       Delta words) except -1:
    """With ``tags_first``: collect the features of a tag and of ending a word or not; see ``score_start``."""
    cdef const Sentence *sentence = &work.sentence
    cdef const Step *before = step.before
    cdef const Start *begun
    cdef int32_t word = step.word
    cdef label_t choice = step.choice, goes_on
    if scoring.chooses_start(sentence, before):
        begun = &sentence.starts[scoring.start_of(sentence, before, word, choice)]
        collect_tag(scoring, work, begun.word, begun.choice, value, tags)
    if word < 0:
        word = scoring.word_so_far(sentence, before, word, &choice)
    if word > 0 and scoring.has_competitors(sentence, before):
        work.window_word, work.window_choice = word, choice
        scoring.fill_window(work, before)
        goes_on = step.word <= 0
        collect_filled(scoring.word_templates.templates, work.window, work.sums.keys, goes_on, value, words)
    return 0


cdef int collect(Scoring scoring, Workspace *work, const Step *step, double value, Delta tags, Delta arcs,
                 Delta words) except -1:
    """Collect the features of the transition that led to a step."""
    cdef const Step *before = step.before
    work.window_word, work.window_choice = work.sentence.lattice.best[before.front], 0
    if before.reach > 0:
        return collect_start(scoring, work, step, value, tags, words)
    scoring.fill_window(work, before)
    if scoring.trees:
        collect_filled(scoring.arc_templates.templates, work.window, work.sums.keys, step.action, value, arcs)
    if scoring.graph is not None and step.action >= LEFT:
        collect_factors(scoring, work, step, value, arcs)
    if step.word == 0:
        return 0
    if scoring.tags_first:
        return collect_start(scoring, work, step, value, tags, words)
    if work.window_word != step.word:
        work.window_word = step.word
        scoring.fill_window(work, before)
    if scoring.has_competitors(&work.sentence, before):
        collect_filled(scoring.word_templates.templates, work.window, work.sums.keys, 0, value, words)
    if scoring.chooses_tag(&work.sentence, before, step.word):
        collect_tag(scoring, work, step.word, step.choice, value, tags)
    return 0


cdef int collect_factors(Scoring scoring, Workspace *work, const Step *step, double value, Delta arcs) except -1:
    """Collect the graph features completed by an arc."""
    cdef const Node *h = head_of(step.before.stack, step.action)
    cdef const Node *d = child_of(step.before.stack, step.action)
    cdef const Arc *arc = d.arcs
    scoring.graph.fill_grandchildren(&work.sentence, h, d, work.factor)
    collect_filled(scoring.graph.grandchildren, work.factor, work.sums.keys, step.action, value, arcs)
    while arc != NULL:
        scoring.graph.fill_siblings(&work.sentence, d, arc, work.factor)
        collect_filled(scoring.graph.siblings, work.factor, work.sums.keys, action_of(d, arc), value, arcs)
        arc = arc.next
    return 0


cdef object difference(Scoring scoring, Workspace *work, const Step **gold, Py_ssize_t m, Py_ssize_t at,
                       const Step *predicted):
    """Gold features of the first ``at`` transitions minus those of the path to ``predicted``, and its errors."""
    cdef Delta tags = Delta()
    cdef Delta arcs = Delta()
    cdef Delta words = Delta()
    cdef Py_ssize_t n = work.sentence.n, i
    cdef bint differs = at != predicted.length
    cdef const Step *step = predicted
    cdef const Step **path
    cdef Py_ssize_t same = 0
    cdef double wrong_tags = 0, wrong_arcs = 0, wrong_words = 0
    right_tags = np.full(n, NO_TAG, dtype=np.uint16)
    right_heads = np.full(n, -1, dtype=np.int32)
    right_labels = np.zeros(n, dtype=np.uint16)
    tags_found = np.full(n, NO_TAG, dtype=np.uint16)
    heads_found = np.full(n, -1, dtype=np.int32)
    labels_found = np.zeros(n, dtype=np.uint16)
    cdef uint16_t[::1] gold_tags = right_tags
    cdef int[::1] gold_heads = right_heads
    cdef uint16_t[::1] gold_labels = right_labels
    cdef uint16_t[::1] found_tags = tags_found
    cdef int[::1] found_heads = heads_found
    cdef uint16_t[::1] found_labels = labels_found
    for i in range(1, m + 1):
        read_transition(&work.sentence, gold[i], &gold_tags[0], &gold_heads[0], &gold_labels[0])
    path = <const Step **> take(&work.sentence.arena, (predicted.length + 1) * sizeof(Step *))
    while step != NULL:
        path[step.length] = step
        step = step.before
    while (same < at and same < predicted.length and path[same + 1].action == gold[same + 1].action
            and path[same + 1].choice == gold[same + 1].choice and path[same + 1].word == gold[same + 1].word):
        same += 1
    for i in range(same + 1, at + 1):
        collect(scoring, work, gold[i], 1, tags, arcs, words)
        differs = differs or path[min(i, predicted.length)].action != gold[i].action
    for i in range(same + 1, predicted.length + 1):
        collect(scoring, work, path[i], -1, tags, arcs, words)
    for i in range(1, predicted.length + 1):
        read_transition(&work.sentence, path[i], &found_tags[0], &found_heads[0], &found_labels[0])
    for i in range(n):
        if found_tags[i] != NO_TAG:
            wrong_words += gold_tags[i] == NO_TAG
            wrong_tags += found_tags[i] != gold_tags[i]
        if found_heads[i] >= 0:
            if found_heads[i] != gold_heads[i]:
                wrong_arcs += 1
            elif found_labels[i] != gold_labels[i]:
                wrong_arcs += 0.5
    if predicted.reach > 0:
        count_open_word(work, predicted, gold, m, &wrong_tags, &wrong_words)
    if differs and scoring.trees:      # a wrong SHIFT or SWAP counts as an error even without a wrong arc
        wrong_arcs = max(wrong_arcs, 1.0)
    return tags, arcs, wrong_tags, wrong_arcs, at, words, wrong_words


cdef int count_open_word(Workspace *work, const Step *predicted, const Step **gold, Py_ssize_t m,
                         double *wrong_tags, double *wrong_words) except -1:
    """Count the errors of an open word: the gold word there has another tag, or ends before."""
    cdef const Sentence *sentence = &work.sentence
    cdef int32_t word = 0
    cdef label_t tag = 0
    cdef Py_ssize_t i
    for i in range(1, m + 1):
        if gold[i].word > 0 and gold[i].before.front == predicted.front:
            word = gold[i].word
            tag = sentence.tags[(word - 1) * sentence.k + gold[i].choice]
    if word == 0 or sentence.lattice.end[word] <= predicted.reach:
        wrong_words[0] += 1
    if word == 0 or tag != sentence.starts[-predicted.word].tag:
        wrong_tags[0] += 1
    return 0
