"""The harness of all benchmarks: contenders take turns, do the same work, and are compared in a table."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["Contender", "DifferentWorkError", "Measurement", "Table", "Target", "Timed", "compare", "ratio"]


class DifferentWorkError(AssertionError):
    """Two contenders came to different results, so their times must not be compared."""


@dataclass(frozen=True)
class Timed:
    """What a contender returns when it measures itself, for instance in another process."""

    seconds: float
    result: Any


@dataclass(frozen=True)
class Contender:
    """A name and the work to time; with `equal=False` its work differs and is not checked."""

    name: str
    run: Callable[[], Any]
    equal: bool = True


@dataclass(frozen=True)
class Measurement:
    """The times of one contender and its first result."""

    seconds: tuple[float, ...]
    result: Any

    @property
    def median(self) -> float:
        return median(self.seconds)

    def milliseconds(self) -> str:
        """Write the median for a table; mark a single run, which a busy machine can distort."""
        return three_digits(1e3 * self.median) + (" (1 run)" if len(self.seconds) == 1 else "")


def compare(
    contenders: Iterable[Contender],
    agree: Callable[[Any, Any], bool],
    *,
    rounds: int = 11,
    budget: float = 10.0,
) -> dict[str, Measurement]:
    """Run the contenders in turn, round after round; check each first result against the first contender's.

    The first round only warms up, unless it is all that a contender gets: one that has used more than
    `budget` seconds drops out of later rounds.
    """
    field = tuple(contenders)
    results: dict[str, Any] = {}
    times: dict[str, list[float]] = {contender.name: [] for contender in field}
    for _ in range(rounds + 1):
        for contender in field:
            spent = times[contender.name]
            if spent and sum(spent) > budget:
                continue
            seconds, result = _timed(contender.run)
            spent.append(seconds)
            if contender.name not in results:
                results[contender.name] = result
                if contender.equal and not agree(results[field[0].name], result):
                    raise DifferentWorkError(
                        f"{contender.name} and {field[0].name} came to different results"
                    )
    return {name: Measurement(tuple(spent[1:] or spent), results[name]) for name, spent in times.items()}


def ratio(slower: Measurement, faster: Measurement) -> float:
    """Return how many times as long `slower` takes, by medians."""
    return slower.median / faster.median


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    return (result.seconds, result.result) if isinstance(result, Timed) else (seconds, result)


@dataclass(frozen=True)
class Target:
    """A measured number and the one we want; `measured=None` when a peer is not available."""

    name: str
    wanted: float
    measured: float | None
    unit: str = "x"
    at_least: bool = True

    @property
    def met(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    def row(self) -> tuple[str, str, str, str]:
        bound = "at least" if self.at_least else "at most"
        measured = "not measured" if self.measured is None else f"{three_digits(self.measured)} {self.unit}"
        verdict = {True: "yes", False: "**no**", None: "-"}[self.met]
        return self.name, f"{bound} {self.wanted:g} {self.unit}", measured, verdict


@dataclass(frozen=True)
class Table:
    """A table with a title and notes, as text for the terminal and as markdown for the document."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self) -> str:
        lines = [tuple(self.header), *map(tuple, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        body = [
            "  ".join(
                [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
            )
            for line in lines
        ]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join([self.title, rule, body[0], rule, *body[1:], rule, *self.notes])

    def markdown(self) -> str:
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        body = ["| " + " | ".join(line) + " |" for line in lines]
        return "\n".join([f"### {self.title}", "", *body, "", *(f"- {note}" for note in self.notes)]).rstrip()


def write_between(path: Path, name: str, measured: str) -> None:
    """Replace the text between the marks of this name; keep the rest of the document."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        sys.exit(f"{path} needs the lines {begin} and {end}; put them where the tables belong")
    path.write_text(f"{before}{begin}\n\n{measured}\n\n{end}{after}", encoding="utf-8")


def three_digits(value: float) -> str:
    """Write a number with three significant digits: 0.412, 5.32, 41.2, 1,534."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")
