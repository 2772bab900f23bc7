"""The logger ``plait``, for messages that are not errors. It is silent until a program configures logging.

``logging.basicConfig(level="INFO")`` shows them: notices as warnings, training epochs as information.
"""

from __future__ import annotations

import logging

logger = logging.getLogger("plait")
logger.addHandler(logging.NullHandler())
