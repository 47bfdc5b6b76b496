"""Pictures: graphs of nodes and arcs, charts of numbers, and the player of a growth."""
