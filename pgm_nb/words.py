"""Words and numbers as people read them; the app, reports, cards and the command line all write this way.

Terms: `GLOSSARY`. The numbers of a structure: `NUMBERS`, `proven_best`. Formats: `bits`, `in_bits`,
`number`, `probability`, `percent`, `credible`, `p_value`, `plus_minus`, `plural`, `nth_most`. Names in a
sentence: `listed`, `together`, `class_name`, `did_you_mean`. Amounts of information are bits; with a `Scale`
the same functions write them as percentages, for readers who do not think in bits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite, isnan, nan

__all__ = [
    "GLOSSARY",
    "NOT_SEARCHED",
    "NUMBERS",
    "PROVEN_BEST",
    "SAME_BITS",
    "SAMPLE_TITLES",
    "SCORES",
    "Scale",
    "about_class",
    "bits",
    "class_name",
    "credible",
    "did_you_mean",
    "in_bits",
    "information",
    "listed",
    "log_loss",
    "loss_number",
    "nth_most",
    "number",
    "p_value",
    "percent",
    "plural",
    "plus_minus",
    "probability",
    "proven_best",
    "says",
    "together",
    "typical",
]

GLOSSARY = {
    "attribute": "A column other than the class: something measured or asked in every case.",
    "state": "One of the values an attribute can take; for a numeric attribute, one of its intervals.",
    "mother": "The one other attribute that an attribute depends on, besides the class.",
    "cluster": "Three variables modelled together: the class, a mother and an attribute that depends on her.",
    "separator": "The two variables that neighbouring clusters share: the class and a mother.",
    "hidden parent": "A mixture of other attributes that an attribute depends on, besides the class.",
    "bag": "The attributes that are mixed into one hidden parent.",
    "bits": "The unit of information: the answer to one fair yes-or-no question carries one bit.",
    "weight": "How much of the information that the columns share the structure captures; more is better.",
    "KL divergence": "How much of the information that the columns share the structure misses; 0 is a "
    "perfect fit.",
}

SCORES = {  # words of predictions -> what they mean
    "probability": "How sure the model is: of a hundred such cases it expects so many to be of the class.",
    "log-odds": "A probability written so that reasons add up: 0 is one in two, and each step of 1 makes the "
    "odds about 2.7 times as high.",
    "log-loss": "How little probability the model gave to the true class, in bits per row; less is better.",
    "typical probability": "The probability that the model typically gives to the true class (the geometric "
    "mean over rows); more is better.",
    "calibration": "Whether what the model says comes true as often as it says.",
    "p-value": "How often chance alone would make a difference at least as large; below 0.05 it counts as "
    "more than chance.",
}

NUMBERS = {  # the numbers of a structure that is a joint distribution -> what they mean
    "Weight": GLOSSARY["weight"],
    "KL divergence": GLOSSARY["KL divergence"],
    "Above naive Bayes": "How much more information the structure captures than naive Bayes, in which every "
    "attribute depends on the class alone.",
    "Below the best tree": "How much less information the structure captures than the best tree, which is "
    "always computed as well; at 0 no tree is better.",
}

SAMPLE_TITLES = {  # the sample tables, in the order they are offered
    "wdbc": "Breast tumours (WDBC)",
    "heart": "Heart disease (Cleveland)",
    "wine": "Wine",
    "iris": "Iris flowers",
    "seeds": "Wheat seeds",
    "banknote": "Banknotes",
    "vehicle": "Vehicle silhouettes",
    "nursery": "Nursery applications",
    "car": "Car evaluation",
    "zoo": "Zoo animals",
    "house_votes": "House votes 1984",
    "kr_vs_kp": "Chess end game (kr-vs-kp)",
}

SAME_BITS = 1e-9  #: bits; two amounts of information closer than this are equal up to rounding
PROVEN_BEST = "proven best"  #: what is said of a structure that no tree surpasses
NOT_SEARCHED = "best tree not searched"  # on a table too wide for it
NONE = "–"  # stands where there is no number


@dataclass(frozen=True)
class Scale:
    """What amounts of information are shares of, in bits.

    Examples
    --------
    >>> of = Scale(of_class=1.0, whole=8.0)
    >>> in_bits(2.0, scale=of), about_class(0.5, scale=of), log_loss(1.0, scale=of)
    ('25.0%', '50%', 'a typical probability of 50.0% for the true class')
    """

    of_class: float  #: everything there is to know about the class
    whole: float = nan  #: what the best tree captures; not a number where nobody asks for shares of it


def typical(loss: float) -> float:
    """Return the probability of the true class that a log-loss in bits amounts to: their geometric mean.

    Examples
    --------
    >>> typical(0.0), typical(1.0), typical(2.0)
    (1.0, 0.5, 0.25)
    """
    return float(2.0**-loss)


def proven_best(gap: float) -> bool:
    """Return whether a structure `gap` bits below the best tree is itself a best tree.

    Examples
    --------
    >>> proven_best(0.0), proven_best(-2e-16), proven_best(0.001)
    (True, True, False)
    """
    return abs(gap) < SAME_BITS


def bits(value: float | None, digits: int = 2, scale: Scale | None = None) -> str:
    """Write an amount of information without its unit, as on a line of a picture; nothing if there is none.

    Nothing, too, where amounts are shares: there the width of the line says it.

    Examples
    --------
    >>> bits(0.4142), bits(0.0012), bits(0.0), bits(None)
    ('0.41', '<0.01', '0.00', '')
    """
    return "" if value is None or scale is not None else _bits(value, digits)


def _bits(value: float, digits: int) -> str:
    if not isfinite(value):
        return NONE
    least = 10.0**-digits
    if SAME_BITS < value < least / 2:
        return f"<{least:.{digits}f}"
    return f"{value if abs(value) >= least / 2 else 0.0:.{digits}f}"


def in_bits(value: float, digits: int = 3, scale: Scale | None = None) -> str:
    """Write an amount of information with its unit.

    Examples
    --------
    >>> in_bits(0.4204), in_bits(0.00004), in_bits(1.5, digits=2), in_bits(float("nan"))
    ('0.420 bits', '<0.001 bits', '1.50 bits', '–')
    """
    if scale is not None:
        return percent(value, scale.whole, digits=1)
    return f"{_bits(value, digits)} bits" if isfinite(value) else NONE


def information(value: float, digits: int = 3, scale: Scale | None = None) -> str:
    """Write an amount of information, and that it is one.

    Examples
    --------
    >>> information(0.4204)
    '0.420 bits of information'
    """
    return f"{in_bits(value, digits, scale)} of {'information' if scale is None else 'all information'}"


def about_class(value: float, digits: int = 3, scale: Scale | None = None) -> str:
    """Write how much is said about the class, with its unit.

    Examples
    --------
    >>> about_class(0.4204)
    '0.420 bits'
    """
    return in_bits(value, digits) if scale is None else percent(value, scale.of_class)


def says(value: float | None, digits: int = 2, scale: Scale | None = None) -> str:
    """Write how much an attribute says about the class in its box; nothing if that is not known.

    Examples
    --------
    >>> says(0.4142), says(None)
    ('0.41', '')
    """
    return "" if value is None else bits(value, digits) if scale is None else about_class(value, scale=scale)


def loss_number(loss: float, scale: Scale | None = None) -> str:
    """Write a log-loss, or the probability that it typically gives the true class.

    Examples
    --------
    >>> loss_number(0.2104)
    '0.210 bits'
    """
    return in_bits(loss) if scale is None else percent(typical(loss), digits=1)


def log_loss(loss: float, scale: Scale | None = None) -> str:
    """Write how well a model predicts: its log-loss, or the probability it typically gives the true class.

    Examples
    --------
    >>> log_loss(0.2104)
    'a log-loss of 0.210 bits'
    """
    if scale is None:
        return f"a log-loss of {loss_number(loss)}"
    return f"a typical probability of {loss_number(loss, scale)} for the true class"


def probability(value: float) -> str:
    """Write a probability; what is not certain is not called certain.

    Examples
    --------
    >>> probability(0.6741), probability(0.99999), probability(1e-6), probability(1.0)
    ('67.4%', '>99.9%', '<0.1%', '100.0%')
    """
    return ">99.9%" if 0.9995 <= value < 1 else percent(value, digits=1)


def percent(value: float, total: float = 1.0, *, digits: int = 0) -> str:
    """Write a part of a total in percent; a dash where there is no total.

    Examples
    --------
    >>> percent(0.25), percent(0.0012), percent(0.0), percent(1.0, 8.0, digits=1), percent(0.0, 0.0)
    ('25%', '<1%', '0%', '12.5%', '–')
    """
    if not (total > 0 and isfinite(value)):
        return NONE
    share, least = value / total, 10.0 ** -(digits + 2)
    return f"<{least:.{digits}%}" if 0 < share <= least / 2 else f"{share:z.{digits}%}"


def credible(low: float, high: float, level: float = 0.9) -> str:
    """Write a credible interval of a probability.

    Examples
    --------
    >>> credible(0.582, 0.7514), credible(0.0001, 0.004)
    ('between 58% and 75% (90% credible)', 'below 1% (90% credible)')
    >>> credible(0.9961, 0.99999), credible(0.4, 0.401)
    ('above 99% (90% credible)', 'about 40% (90% credible)')
    """
    ends = percent(low), percent(high)
    sure = f"({percent(level)} credible)"
    if high < 0.01:
        return f"below 1% {sure}"
    if low > 0.99:
        return f"above 99% {sure}"
    return f"about {ends[0]} {sure}" if ends[0] == ends[1] else f"between {ends[0]} and {ends[1]} {sure}"


def p_value(p: float) -> str:
    """Write how likely a difference of this size is by chance alone.

    Examples
    --------
    >>> p_value(0.0312), p_value(0.42), p_value(3e-7)
    ('p = 0.031', 'p = 0.42', 'p < 0.001')
    """
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2g}" if isfinite(p) else f"p = {NONE}"


def number(value: float, digits: int = 3) -> str:
    """Write a number; what is rounded to zero has no sign, and a dash stands for none.

    Examples
    --------
    >>> number(0.1234), number(-0.0004), number(-0.5, digits=2), number(float("nan"))
    ('0.123', '0.000', '-0.50', '–')
    """
    return NONE if isnan(value) else f"{value:z.{digits}f}"


def plus_minus(mean: float, error: float, digits: int = 3) -> str:
    """Write a mean with its standard error.

    Examples
    --------
    >>> plus_minus(0.9481, 0.0042), plus_minus(0.9481, float("nan"))
    ('0.948 ± 0.004', '0.948')
    """
    if not isfinite(mean):
        return NONE
    return f"{number(mean, digits)} ± {error:.{digits}f}" if isfinite(error) else number(mean, digits)


def plural(count: int, noun: str, many: str = "") -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "row"), plural(12960, "row"), plural(2, "class", "classes")
    ('1 row', '12,960 rows', '2 classes')
    """
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def nth_most(rank: int) -> str:
    """Write a place in an order, the first being the most.

    Examples
    --------
    >>> nth_most(1), nth_most(2), nth_most(13), nth_most(23)
    ('most', '2nd most', '13th most', '23rd most')
    """
    if rank == 1:
        return "most"
    teen = rank % 100 in (11, 12, 13)
    return f"{rank:,}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th')} most"


def listed(names: Sequence[object], limit: int = 12) -> str:
    """Return the names separated by commas; beyond `limit` the rest are only counted.

    Examples
    --------
    >>> listed(["age", "sex"])
    'age, sex'
    >>> listed(range(20), limit=3)
    '0, 1, 2 and 17 more'
    """
    shown = ", ".join(str(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit:,} more" if len(names) > limit else shown


def together(names: Sequence[str]) -> str:
    """Return the names as one phrase, the last two joined by "and".

    Examples
    --------
    >>> together(["age"]), together(["age", "sex", "pulse"])
    ('age', 'age, sex and pulse')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def class_name(target: str) -> str:
    """Return what a sentence calls the class.

    Examples
    --------
    >>> class_name("class"), class_name("diagnosis")
    ('the class', 'diagnosis')
    """
    return "the class" if target.casefold() == "class" else target


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'class'?"`` for the known name nearest to `name`, or ``""``.

    Examples
    --------
    >>> did_you_mean("clas", ["age", "class"])
    "; did you mean 'class'?"
    >>> did_you_mean("zzz", ["age", "class"])
    ''
    """
    by_folded = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[close[0]]!r}?" if close else ""
