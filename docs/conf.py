"""The documentation site: ``make docs`` builds it from these pages, the docstrings and the notebooks."""

import logging
import sys
from pathlib import Path
from shutil import copyfile

from jupyter_client.manager import KernelManager
from sphinx.application import Sphinx

from pgm_nb import __version__

sys.path.insert(0, str(Path(__file__).parent))  # for the extension `reference`

project = "pgm_nb"
author = "The pgm_nb developers"
release = version = __version__
language = "en"

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_nb", "reference"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings name the types
numpydoc_show_class_members = False
myst_heading_anchors = 3

nb_execution_mode = "force"  # the notebooks run at every build,
nb_execution_raise_on_error = True  # and one that fails, fails the build
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_output_stderr = "remove"  # warnings of other packages, with paths of this machine
logging.getLogger("traitlets").setLevel(logging.WARNING)
KernelManager.transport_encryption.default_value = "auto"  # else every kernel prints a warning

html_theme = "furo"
html_title = f"pgm_nb {release}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["site.css"]


def copy_table(app: Sphinx, problem: Exception | None) -> None:
    """Put the table of all figures, a page of its own, beside the page that links to it."""
    if problem is None and app.builder.format == "html":
        target = Path(app.outdir) / "reproduction"
        target.mkdir(exist_ok=True)
        copyfile(Path(__file__).parent / "reproduction" / "table.html", target / "table.html")


def setup(app: Sphinx) -> None:
    """Copy after the build."""
    app.connect("build-finished", copy_table)
