"""``python -m plait`` is the same door as ``plait``."""

from plait.cli.process import run

run()
