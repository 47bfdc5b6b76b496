"""One mechanism for every graph: unknown attributes are summed, maximised or differentiated out."""
