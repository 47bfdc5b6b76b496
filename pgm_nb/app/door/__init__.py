"""The front door has its own folder: Streamlit would take a folder `pages` beside it for its own pages."""
