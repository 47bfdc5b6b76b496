"""Compile every kernel once: `python -m pgm_nb.warm_up`; later processes find them in numba's cache."""

from pgm_nb.counts import planes, sets, wide
from pgm_nb.inference import cell_sums, chordal, class_rows, cliques, descent, elimination, incomplete
from pgm_nb.models.averaged import products
from pgm_nb.models.hidden import sums

__all__ = ["MODULES", "warm_up"]

MODULES = (
    *(planes.COMPILED, wide.COMPILED, sets.COMPILED),
    *(incomplete.COMPILED, class_rows.COMPILED, cliques.COMPILED, cell_sums.COMPILED, descent.COMPILED),
    *(chordal.COMPILED, elimination.COMPILED),
    *(sums.COMPILED, products.COMPILED),
)


def warm_up() -> None:
    """Compile the counting kernels and the kernel of hidden parents, or find them in numba's cache.

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
