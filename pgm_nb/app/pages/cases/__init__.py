"""The Cases page."""

from pgm_nb.app.pages.cases.page import show

__all__ = ["show"]
