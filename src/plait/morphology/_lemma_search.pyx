"""The scripts that apply to a form, found by what the form ends in."""

from plait.morphology.edit_scripts import CASINGS


cdef str edited(str text, tuple before, tuple after):
    """``EditScript.edit``; the steps of ``after`` stand in the order in which they are done, from the end."""
    cdef Py_ssize_t start = 0, end = len(text), count
    cdef str head = "", tail = "", deleted
    for step in before:
        if type(step) is int:
            count = step
            head += text[start:start + count] if start + count <= len(text) else ""
            start += count
        else:
            deleted = <str> (<tuple> step)[0]
            if deleted and not text.startswith(deleted, start):
                return None
            head += <str> (<tuple> step)[1]
            start += len(deleted)
    for step in after:
        if type(step) is int:
            count = step
            if end < count:
                return None
            tail = text[end - count:end] + tail
            end -= count
        else:
            deleted = <str> (<tuple> step)[0]
            if deleted and not text.endswith(deleted, 0, end):
                return None
            tail = <str> (<tuple> step)[1] + tail
            end -= len(deleted)
    return head + text[start:end] + tail if start < end else None


cdef class ScriptIndex:
    """Scripts by casing and ending. Most only replace an ending: a slice and an addition."""

    cdef list casings       # (function, {ending: [(number, characters cut off, inserted, script)]}, longest ending)

    def __init__(self, scripts, last_characters):
        found = {}
        for number, (script, characters) in enumerate(zip(scripts, last_characters, strict=True)):
            steps = script.before + script.after
            plain = not script.before and (not steps or (len(steps) == 1 and isinstance(steps[0], tuple)))
            inserted = script.after[0][1] if plain and script.after else ""
            entry = (number, len(script.ending), inserted, None if plain else (script.before, script.after[::-1]))
            by_ending = found.setdefault(script.casing, {})
            for ending in (script.ending,) if script.ending else set(characters) or ("",):
                by_ending.setdefault(ending, []).append(entry)
        self.casings = [
            (change, found[casing], max(map(len, found[casing]))) if casing in found else (change, None, 0)
            for casing, change in CASINGS.items()
        ]

    def candidates(self, str form not None):
        """(number, lemma) of each script that applies, in order of the numbers."""
        cdef list found = [], known = []
        cdef Py_ssize_t length, cut, n, longest
        cdef str text, lemma
        cdef dict by_ending
        cdef bint no_case = form.lower() == form.upper()
        for change, by_ending, longest in self.casings:
            if no_case and known:
                break       # every casing is the same
            text = change(form)
            if text in known:
                continue
            known.append(text)
            if by_ending is None:
                continue
            n = len(text)
            for length in range(min(longest, n) + 1):
                entries = by_ending.get(text[n - length:])
                if entries is None:
                    continue
                for number, cut, inserted, script in entries:
                    if script is None:
                        if cut >= n:
                            continue        # something must be left
                        lemma = text[:n - cut] + <str> inserted if cut or inserted else text
                    else:
                        lemma = edited(text, <tuple> (<tuple> script)[0], <tuple> (<tuple> script)[1])
                    if lemma is not None and (lemma != "_" or form == "_"):
                        found.append((number, lemma))
        found.sort()
        return found
