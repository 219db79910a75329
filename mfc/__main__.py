"""Run the command line as `python -m mfc`."""

import sys

from mfc.cli import main

sys.exit(main())
