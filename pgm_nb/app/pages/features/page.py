"""The Features page: what matters for the class first, how the model was joined last."""

import streamlit as st

from pgm_nb.app.pages.features import joining, keeping, links, matters, repeating
from pgm_nb.app.pages.features.study import found
from pgm_nb.app.shell.screen import Screen

__all__ = ["show"]


def show(screen: Screen) -> None:
    """Show the page."""
    theme = st.context.theme.type or "light"
    matters.title(screen)
    study = found(screen)
    if study is not None:
        matters.show(screen, study, theme)
        keeping.show(screen, study)
        repeating.show(study)
    joining.show(screen, theme)
    links.show(screen, theme)
