"""The scripts that apply to a form, found by what the form ends in."""

from plait.morphology.edit_scripts import CASINGS


cdef class ScriptIndex:
    """Scripts by casing and ending. Most only replace an ending: a slice and an addition."""

    cdef list casings       # (function, {ending: [(number, characters cut off, inserted, script)]}, longest ending)

    def __init__(self, scripts, last):
        found = {}
        for number, (script, characters) in enumerate(zip(scripts, last, strict=True)):
            steps = script.before + script.after
            plain = not script.before and (not steps or (len(steps) == 1 and isinstance(steps[0], tuple)))
            inserted = script.after[0][1] if plain and script.after else ""
            entry = (number, len(script.ending), inserted, None if plain else script)
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
                        lemma = script.edit(text)
                    if lemma is not None and (lemma != "_" or form == "_"):
                        found.append((number, lemma))
        found.sort()
        return found
