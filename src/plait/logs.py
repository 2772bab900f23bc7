"""The logger ``plait``: what the library has to say that is no error. It is silent until a program listens.

``logging.basicConfig(level="INFO")`` shows it: notices as warnings, the epochs of a training as information.
"""

from __future__ import annotations

import logging

logger = logging.getLogger("plait")
logger.addHandler(logging.NullHandler())
