"""Charts of numbers in Altair, loaded when one is made; the nomogram and the rank diagram are SVG text."""
