"""Parameters trained for the class, on a graph that stays as it is."""
