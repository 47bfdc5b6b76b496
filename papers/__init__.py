"""The tables of the papers with ours beside them: protocols, figures, one page. `make papers` runs it all."""
