"""The network as files for other programs."""

import io
import zipfile
from functools import partial
from typing import Any

import streamlit as st

from pgm_nb.app.pages.export.button import offer
from pgm_nb.app.shell.fitting import FittedModel
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.words import together

__all__ = ["NETWORKS", "network", "show_networks"]

NETWORKS = {
    "bif": "BIF: most programs for Bayesian networks read it.",
    "xmlbif": "XMLBIF: for Weka and others.",
    "bifxml": "The same XMLBIF under another ending, for pyAgrum.",
    "xdsl": "XDSL: for GeNIe.",
    "net": "NET: for Hugin.",
    "uai": "UAI: for inference competitions; a second file holds the names.",
}


def show_networks(fitted: FittedModel, stem: str) -> None:
    """Offer the network in every form that other programs read."""
    st.markdown("#### For other programs")
    model = fitted.model
    if not model.is_network:
        st.write(
            f"{literal(model.title)} is not a Bayesian network, so other programs cannot read it as one. "
            f"{literal(together(_networks_offered()))} are. The graph is available above as GraphML or JSON."
        )
        return
    st.write("The Bayesian network with its probability tables.")
    with st.container(horizontal=True):
        for ending, help in NETWORKS.items():
            several = ending == "uai"
            name = f"{stem}.{ending}{'.zip' if several else ''}"
            mime = "application/zip" if several else "application/octet-stream"
            offer(ending.upper(), partial(network, model, ending), name, mime, help)


def _networks_offered() -> list[str]:
    from pgm_nb.models import MODELS

    return [kind.title for kind in MODELS if kind.is_network]


def network(model: Any, ending: str) -> bytes:
    """Return the network as one file; two files are put into an archive."""
    files: dict[str, bytes] = model.exported(f"{model.short_name}.{ending}")
    if len(files) == 1:
        return next(iter(files.values()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():  # with a fixed date: a clock before 1980 does no harm
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
