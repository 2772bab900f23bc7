"""``python -m plait`` is the same as ``plait``."""

from plait.cli.process import run

run()
