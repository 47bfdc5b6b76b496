"""The web app's front door: ``streamlit run app.py``, or ``pgm-nb app``."""

from pgm_nb.app.shell.router import route

route()
