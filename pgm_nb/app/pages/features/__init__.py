"""The Features page: what matters, what repeats, which attributes to keep, and how the model was joined."""

from pgm_nb.app.pages.features.page import show

__all__ = ["show"]
