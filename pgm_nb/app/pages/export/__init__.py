"""The Export page."""

from pgm_nb.app.pages.export.page import show

__all__ = ["show"]
