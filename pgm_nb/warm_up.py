"""Compile every kernel once: `python -m pgm_nb.warm_up`; later processes find them on disk."""

from pgm_nb.counts import planes, sets, wide
from pgm_nb.engine import sums as engine
from pgm_nb.models import averaged_one_dependence
from pgm_nb.models.hidden import mixtures
from pgm_nb.training import cells as cell_sums
from pgm_nb.training import descent

__all__ = ["MODULES", "warm_up"]

MODULES = (
    *(planes.COMPILED, wide.COMPILED, sets.COMPILED),
    *(engine.COMPILED, cell_sums.COMPILED, descent.COMPILED),
    *(mixtures.COMPILED, averaged_one_dependence.COMPILED),
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
