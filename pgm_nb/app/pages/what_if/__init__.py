"""The What-if page."""

from pgm_nb.app.pages.what_if.page import show

__all__ = ["show"]
