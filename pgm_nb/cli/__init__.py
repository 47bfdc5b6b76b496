"""The command line: ``pgm-nb COMMAND ...``, one table of commands and the functions that run them."""

from pgm_nb.cli.main import main

__all__ = ["main"]
