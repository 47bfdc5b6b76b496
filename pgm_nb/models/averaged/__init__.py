"""Averaged one-dependence: every attribute in turn is the parent of all others."""
