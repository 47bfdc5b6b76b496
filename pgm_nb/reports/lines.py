"""The Python lines that learn a model again; they run as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np

from pgm_nb.data.repairs.recipe import Recipe
from pgm_nb.graphs import CherryTree, HigherCherryTree, Tree

__all__ = ["Origin", "python_lines"]

WIDTH = 88


@dataclass(frozen=True)
class Origin:
    """Where the rows came from.

    Parameters
    ----------
    data
        The name of a sample, or of a file.
    target
        The class column.
    sample
        Whether it is a sample.
    leave_out
        Columns that are left out.
    part
        Which rows and columns were read of a file too large to read whole (``"first"``, ...); None for all.
    recipe
        How the table was repaired; `target` and `leave_out` are names of the repaired table.

    Examples
    --------
    >>> Origin("wdbc", "class", sample=True).lines()[0]
    'X, y = pnb.load_sample("wdbc")'
    """

    data: str
    target: str
    sample: bool = False
    leave_out: tuple[str, ...] = ()
    part: str | None = None
    recipe: Recipe = field(default_factory=Recipe)

    def lines(self) -> list[str]:
        """Return the lines that make X and y."""
        if self.sample and self.target == "class" and not self.recipe:
            lines = [f"X, y = pnb.load_sample({quoted(self.data)})"]
            return lines if not self.leave_out else [*lines, f"X = X.drop(columns={_list(self.leave_out)})"]
        split = f"X, y = split_target(frame, {quoted(self.target)})"
        without = [f"frame = frame.drop(columns={_list(self.leave_out)})"] if self.leave_out else []
        return [*self._read(), *self._repair(), *without, split]

    def imports(self) -> list[str]:
        """Return the imports that `lines` needs besides pgm_nb itself."""
        if self.sample:
            plain = self.target == "class" and not self.recipe
            return [] if plain else ["from pgm_nb.data import split_target"]
        portion = ["from pgm_nb.data.excerpt import read_portion"] if self.part is not None else []
        return [*portion, "from pgm_nb.data import split_target"]

    def _read(self) -> list[str]:
        if self.sample:
            return [f"X, y = pnb.load_sample({quoted(self.data)})", 'frame = X.assign(**{"class": y})']
        name = quoted(self.data)
        twice = any(step.do == "number names" for step in self.recipe.steps)
        kept = ', duplicates="keep"' if twice else ""
        if self.part is None:
            return [f"frame = pnb.read_table({name}{kept})"]
        return [
            "# a part of a large file, the same one as before",
            f"with open({name}, 'rb') as file:",
            f"    frame = read_portion({name}, file.read(), {quoted(self.part)}{kept}).frame",
        ]

    def _repair(self) -> list[str]:
        """Return the lines that repair the table, a step each."""
        if not self.recipe:
            return []
        steps = [f"        {_literal(step)}," for step in self.recipe.to_list()]
        return ["recipe = pnb.Recipe(", "    [", *steps, "    ]", ")", "frame = recipe.apply(frame)"]


def python_lines(model: Any, origin: Origin, view: str | None = None, more: Sequence[str] = ()) -> str:
    """Return the lines that learn a model again from its table.

    Parameters
    ----------
    model
        The model; only parameters that differ from their defaults are written.
    origin
        Where the rows came from.
    view
        The view to draw, if any.
    more
        Lines to add at the end.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> print(python_lines(pnb.NaiveBayes(n_bins=3), Origin("iris", "class", sample=True), view="star"))
    import pgm_nb as pnb
    <BLANKLINE>
    X, y = pnb.load_sample("iris")
    model = pnb.NaiveBayes(n_bins=3).fit(X, y)
    print(model.importance_)
    picture = model.structure_.draw("star", format="svg")  # bytes
    <BLANKLINE>
    """
    import pgm_nb

    kind = type(model)
    ours = getattr(pgm_nb, kind.__name__, None) is kind
    imported = [] if ours else [f"from {kind.__module__} import {kind.__name__}"]
    fit = _fit(model, f"pnb.{kind.__name__}" if ours else kind.__name__)
    lines = ["import pgm_nb as pnb", *imported, *origin.imports(), "", *origin.lines(), *fit]
    if origin.recipe:
        lines.append("model.keep_recipe(recipe)  # raw tables are classified alike")
    if getattr(model, "divergence_", None) is not None:
        lines.append("print(model.divergence_)  # weight, KL divergence, how far below the best tree")
    lines.append("print(model.importance_)")
    if view is not None:
        lines.append(f'picture = model.structure_.draw({quoted(view)}, format="svg")  # bytes')
    return "\n".join([*lines, *more, ""])


def _fit(model: Any, kind: str) -> list[str]:
    """Return the lines that build and fit a model; `kind` is its class as they call it."""
    known = signature(type(model).__init__).parameters
    given = [
        f"{name}={_literal(value)}"
        for name, value in model.get_params(deep=False).items()
        if not _same(value, known[name].default)
    ]
    call = f"model = {kind}({', '.join(given)}).fit(X, y)"
    if len(call) <= WIDTH:
        return [call]
    return [f"model = {kind}(", *[f"    {one}," for one in given], ").fit(X, y)"]


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(np.all(value == default))


def _literal(value: Any) -> str:
    """Write a parameter as Python reads it."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(_literal(one) for one in value)
        return f"[{inner}]"
    if isinstance(value, Tree | CherryTree | HigherCherryTree):
        of = value.families if isinstance(value, HigherCherryTree) else value.mothers
        names, mothers = _literal(list(value.attributes)), _literal(dict(of))
        return f"pnb.{type(value).__name__}({quoted(value.target)}, {names}, {mothers})"
    if isinstance(value, np.generic):
        return repr(value.item())
    return repr(value)


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(quoted(name) for name in names)}]"


def quoted(text: str) -> str:
    r"""Write a text as Python reads it, in double quotes where that needs no escape.

    Examples
    --------
    >>> print(quoted("age"), quoted('say "x"'))
    "age" 'say "x"'
    """
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)
