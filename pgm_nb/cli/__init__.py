"""The command line: ``pgm-nb COMMAND ...``, one module per command."""

from pgm_nb.cli.main import main

__all__ = ["main"]
