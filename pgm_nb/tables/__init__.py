"""Counts in, tables of probabilities out: families of counts, smoothing, and the tables themselves."""
