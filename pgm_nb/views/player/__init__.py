"""The player of a growth: its page, its animations, and the picture of links that form by threshold."""
