"""Two models side by side: which models can be compared, and the key to the colours of their links."""

from html import escape

from pgm_nb.app.shell.fitting import Settings, variants
from pgm_nb.views.style import colours

__all__ = ["legend", "models_to_compare"]


def models_to_compare(settings: Settings) -> dict[str, tuple[str, Settings]]:
    """Return the models that the chosen one can be compared with: key -> (title, settings).

    Examples
    --------
    >>> [*models_to_compare(Settings("class", model="tan"))]
    ['nb', 'gnb greedy', 'gnb optimal', 'gnb exact', 'hnb', 'phnb', 'gaussian']
    >>> models_to_compare(Settings("class", model="local-pca"))
    {}
    """
    if not settings.kind.links_compare:
        return {}
    own = settings.variant.key
    return {
        variant.key: (variant.title, other)
        for kind, variant, other in variants(settings)
        if kind.links_compare and variant.key != own
    }


def legend(first: str, second: str, theme: str) -> str:
    """Return the key to the colours and dashes as HTML.

    Examples
    --------
    >>> "only in &lt;b&gt;" in legend("<b>", "TAN", "light")
    True
    """
    paint = colours(theme)
    lines = (
        ("in both", paint["tree arc"], "solid"),
        (f"only in {first}", paint["first arc"], "dashed"),
        (f"only in {second}", paint["second arc"], "dotted"),
    )
    parts = "".join(
        '<span style="display: inline-flex; align-items: center; gap: 0.4rem">'
        f'<span style="width: 2.1rem; border-top: 3px {dash} {colour}"></span>{escape(said)}</span>'
        for said, colour, dash in lines
    )
    style = "display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; font-size: 0.875rem"
    return f'<div style="{style}">{parts}</div>'
