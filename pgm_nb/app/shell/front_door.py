"""The front door of an installed package: the same two lines as ``app.py``, which is not in the wheel."""

from pgm_nb.app.shell.router import route

if __name__ == "__main__":  # Streamlit runs this file as its main script
    route()
