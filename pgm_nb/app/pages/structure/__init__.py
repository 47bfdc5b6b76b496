"""The Structure page."""

from pgm_nb.app.pages.structure.page import show

__all__ = ["show"]
