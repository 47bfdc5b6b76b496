"""The web app: pages on Streamlit, which is imported nowhere else in the project."""
