"""The Data page."""

from pgm_nb.app.pages.data.page import show

__all__ = ["show"]
