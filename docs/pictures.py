"""Draw the pictures of the documentation with our own code: ``make pictures``."""

from pathlib import Path

import pgm_nb as pnb

HERE = Path(__file__).parent


def main() -> None:
    """Write every picture beside this file."""
    X, y = pnb.load_sample("wdbc")
    cherry = pnb.GeneralizedNaiveBayes().fit(X, y).structure_
    (HERE / "wdbc.svg").write_bytes(cherry.draw("tree", theme="auto"))

    X, y = pnb.load_sample("heart")
    heart = {kind.short_name: kind().fit(X, y).structure_ for kind in pnb.MODELS}
    for name, structure in heart.items():
        for view in structure.views:
            (HERE / f"heart-{name}-{view}.svg").write_bytes(structure.draw(view, theme="auto"))


if __name__ == "__main__":
    main()
