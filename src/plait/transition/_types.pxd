# The four transitions of Bohnet & Nivre (2012), Figure 1, and how actions are numbered.

cdef enum Kind:
    SHIFT           # SHIFT_p: the next word of the buffer onto the stack, with tag p
    SWAP            # the second topmost word back to the buffer, while both stand in the order of the sentence
    LEFT            # LEFT-ARC_d: the top becomes the head of the word below it
    RIGHT           # RIGHT-ARC_d: the word below becomes the head of the top
    # A row of weights is SHIFT, SWAP, LEFT_0, RIGHT_0, LEFT_1, RIGHT_1, ...: action = kind + 2 * label of the arc.
