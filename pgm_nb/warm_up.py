"""Compile every kernel once: `python -m pgm_nb.warm_up`; later processes find them on disk."""

from pgm_nb.counts import planes, sets, wide
from pgm_nb.engine import sums as engine
from pgm_nb.models.averaged import scores
from pgm_nb.models.hidden import pair_sums
from pgm_nb.training import cells as cell_sums
from pgm_nb.training import descent

__all__ = ["MODULES", "warm_up"]

MODULES = (
    *(planes.COMPILED, wide.COMPILED, sets.COMPILED),
    *(engine.COMPILED, cell_sums.COMPILED, descent.COMPILED),
    *(pair_sums.COMPILED, scores.COMPILED),
)


def warm_up() -> None:
    """Compile all kernels, or find them on disk.

    Examples
    --------
    >>> warm_up()
    >>> all(module.is_warm() for module in MODULES)
    True
    """
    for module in MODULES:
        module.load()


if __name__ == "__main__":
    warm_up()
