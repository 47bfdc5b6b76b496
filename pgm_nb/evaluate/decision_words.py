"""What decisions mean for people: sentences that count cases before they name a rate."""

from __future__ import annotations

from pgm_nb.evaluate.deciding import Decisions
from pgm_nb.scoring.decisions import Rate
from pgm_nb.words import percent, plural, probability

__all__ = [
    "benefit_sentence",
    "found_sentence",
    "mix_sentence",
    "ratio_sentence",
    "right_sentence",
    "rows_sentence",
    "said",
]

_FEW = 20  # rows that are not spoken of as if they were a hundred
_ENOUGH = 0.005  # a rate closer to none or all is counted in a thousand, not in a hundred


def said(found: Decisions) -> tuple[str, ...]:
    """Return all that is said about decisions, in the order in which it is read.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> found = pnb.decisions(pnb.GaussianNaiveBayes(), X, y, {"miss": 9, "false alarm": 1}, cv=5)
    >>> print(said(found)[0])
    A miss costs as much as 9 false alarms. So malignant is decided from a probability of 10.0% on.
    >>> print(said(found)[1])
    Of 100 cases that are malignant, 90 are found and 10 are missed (95% interval: 85 to 93 found). Of 100
    that are not, 4 raise a false alarm (3 to 7).
    >>> print(said(found)[3])
    Per 100 cases, the decisions are worth 33.3 that are malignant, found without any false alarm; deciding
    malignant for all is worth 30.3, never deciding it 0.
    """
    sentences = (
        ratio_sentence(found),
        found_sentence(found),
        right_sentence(found),
        benefit_sentence(found),
        mix_sentence(found),
        rows_sentence(found),
    )
    return tuple(sentence for sentence in sentences if sentence)


def ratio_sentence(found: Decisions) -> str:
    """Say the costs, and the threshold that follows."""
    if found.threshold is None:
        return "For every case the class of least expected cost is decided."
    rule = f"So {found.label} is decided from a probability of {probability(found.threshold)} on."
    ratio = (1 - found.threshold) / found.threshold if found.threshold else float("inf")
    if ratio >= 1:
        return f"A miss costs as much as {_times(ratio)}. {rule}"
    return f"A false alarm costs as much as {_times(1 / ratio, 'miss', 'misses')}. {rule}"


def _times(ratio: float, one: str = "false alarm", many: str = "false alarms") -> str:
    if abs(ratio - 1) < 1e-9:
        return f"a {one}"
    return f"{ratio:.3g} {many}" if ratio < 1000 else f"{ratio:,.0f} {many}"


def found_sentence(found: Decisions, *, intervals: bool = True) -> str:
    """Say how many of a hundred cases are found, missed and falsely alarmed."""
    seen, label = found.detection, found.label
    hits, others = seen.sensitivity, seen.specificity
    if not hits.total or not others.total:
        return f"There are not both cases that are {label} and cases that are not."
    of, caught = _base(hits), _count(hits.value, _base(hits))
    first = f"Of {of:,} cases that are {label}, {caught:,} {_are(caught)} found and {of - caught:,} "
    first += f"{_are(of - caught)} missed"
    if intervals:
        first += f" (95% interval: {_count(hits.low, of):,} to {_count(hits.high, of):,} found)"
    of = _base(others)
    alarms = _count(1 - others.value, of)
    second = f"Of {of:,} that are not, {alarms:,} {'raises' if alarms == 1 else 'raise'} a false alarm"
    if intervals:
        second += f" ({_count(1 - others.high, of):,} to {_count(1 - others.low, of):,})"
    return f"{first}. {second}."


def right_sentence(found: Decisions) -> str:
    """Say how far each of the two answers can be relied on."""
    seen, label = found.detection, found.label
    yes, no = seen.positive_value, seen.negative_value
    if not yes.total:
        return f"{label} is never decided: no case reaches the threshold."
    first = f"Where {label} is decided, it is right in {percent(yes.value)} of the cases"
    if not no.total:
        return f"{first}; it is decided for every case."
    return f"{first}; where it is not, the case is something else in {percent(no.value)}."


def benefit_sentence(found: Decisions) -> str:
    """Say whether the model is worth more than deciding the same for everyone."""
    seen = found.detection
    if found.threshold is None:
        return _cost_sentence(found)
    label, every = found.label, seen.net_benefit_of_all
    worth = f"worth {_per_hundred(seen.net_benefit)} that are {label}, found without any false alarm"
    others = f"deciding {label} for all is worth {_per_hundred(every)}, never deciding it 0"
    if seen.net_benefit > max(every, 0.0):
        return f"Per 100 cases, the decisions are {worth}; {others}."
    return f"At these costs the model is of no use: per 100 cases, its decisions are {worth}; {others}."


def _per_hundred(benefit: float) -> str:
    """Write a net benefit as cases found of a hundred."""
    return f"{100 * benefit:z.1f}".replace("-", "\N{MINUS SIGN}")


def _cost_sentence(found: Decisions) -> str:
    return (
        f"The decisions cost {found.cost:.3g} per case; to decide the same class for every case costs at "
        f"least {found.cost_without:.3g}."
    )


def mix_sentence(found: Decisions) -> str:
    """Say for which mix of classes this holds."""
    shares = found.unseen.shares
    table = percent(float(shares[found.place]), digits=1)
    if found.unseen.base_rates is None:
        return f"This is for the table's own mix: {table} are {found.label}."
    there = percent(float(found.unseen.base_rates[found.place]), digits=1)
    return f"This is for your base rate: {there} are {found.label}, and {table} in the table."


def rows_sentence(found: Decisions) -> str:
    """Say on which rows all this was counted."""
    unseen = found.unseen
    drawn = (
        f"{len(unseen.truth):,} of {plural(unseen.n_rows, 'row')}, drawn at random"
        if len(unseen.truth) < unseen.n_rows
        else f"all {plural(unseen.n_rows, 'row')}"
    )
    return (
        f"Counted on {drawn}, each decided by a model that had not seen it ({plural(unseen.folds, 'fold')})."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _base(rate: Rate) -> int:
    """Return of how many cases to speak: few are counted as they are."""
    if rate.total < _FEW and rate.value == rate.hits / rate.total:
        return rate.total
    return 1000 if 0 < min(rate.value, 1 - rate.value) < _ENOUGH else 100


def _count(share: float, of: int) -> int:
    return round(share * of)
