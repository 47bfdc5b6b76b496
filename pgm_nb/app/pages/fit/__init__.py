"""The page fit."""

from pgm_nb.app.pages.fit.page import show

__all__ = ["show"]
