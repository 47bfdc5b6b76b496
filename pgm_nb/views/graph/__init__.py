"""Pictures of graphs: nodes and arcs (drawing), their places (layout), DOT text (dot) and files (render)."""
