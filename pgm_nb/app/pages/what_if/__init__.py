"""The page what_if."""

from pgm_nb.app.pages.what_if.page import show

__all__ = ["show"]
