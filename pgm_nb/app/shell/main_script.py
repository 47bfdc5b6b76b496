"""The script that Streamlit runs for an installed package: it does what ``app.py`` of a checkout does."""

from pgm_nb.app.shell.router import route

if __name__ == "__main__":  # Streamlit runs this file as its main script
    route()
