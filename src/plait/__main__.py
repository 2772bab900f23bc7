"""``python -m plait`` is the same door as ``plait``."""

import sys

from plait.cli.main import main

sys.exit(main())
