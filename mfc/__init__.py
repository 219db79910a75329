"""The command line: verify, show, list, new."""
