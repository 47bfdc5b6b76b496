"""Coded tables drawn from a random class-conditional tree, so that there is structure to find."""

import numpy as np

__all__ = ["sample_tree"]


def sample_tree(n: int, d: int, v: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw n rows of d attributes with v states and k classes; return codes (d, n) and classes (n,).

    Attribute 0 depends on the class; every other one on the class and an attribute before it. The tables are
    Dirichlet(0.5), which gives dependences of all strengths.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    codes = np.empty((d, n), dtype=np.uint8 if v <= 254 else np.uint16)
    for child in range(d):
        given = y if child == 0 else y * v + codes[rng.integers(child)]
        table = rng.dirichlet(np.full(v, 0.5), size=k if child == 0 else k * v)
        thresholds = np.cumsum(table, axis=1)[:, :-1].astype(np.float32)
        uniform = rng.random(n, dtype=np.float32)
        codes[child] = 0
        for state in range(v - 1):
            codes[child] += uniform > thresholds[given, state]
    return codes, y
