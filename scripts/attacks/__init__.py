"""Attacks on plait: forged files, mutated treebanks, random text, hostile requests, killed processes.

``scripts/attack`` runs them. Every kind is a module with ``run(seed, workspace)``: it does one case, chosen by the seed
alone, and returns ``REFUSED`` (a typed error) or ``ACCEPTED``. Any other exception, a dead process or a lapse of time
is a fault.
"""

REFUSED, ACCEPTED = "refused", "accepted"

KINDS = {  # name: (module, seconds a case may take, share of the time)
    "forged models": ("forged_models", 60, 8),
    "damaged files": ("damaged_files", 60, 2),
    "forged checkpoints": ("forged_checkpoints", 120, 2),
    "mutated treebanks": ("mutated_treebanks", 120, 3),
    "text and words": ("text_and_words", 60, 3),
    "REST requests": ("rest_requests", 60, 2),
    "user files": ("user_files", 60, 2),
    "kill and resume": ("kill_and_resume", 300, 2),
    "killed writers": ("killed_writers", 120, 1),
}
SELF_TEST = {"self-test": ("self_test", 2, 1)}  # fails in every way there is, so that the counting can be tested
