"""What a model says about itself: its names, what it can do, and what a person can choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

from pgm_nb.allowed import POSITIVE, Allowed
from pgm_nb.data.learn import DEFAULT_BINS
from pgm_nb.errors import DataError

__all__ = [
    "TABLE_OPTIONS",
    "About",
    "Choice",
    "Option",
    "Variant",
    "imaginary_rows",
    "number_or_none",
    "ways_to_probabilities",
    "with_smoothing",
]


@dataclass(frozen=True)
class Choice:
    """One way in which a model can work."""

    key: str  #: how the address and the command line write it
    label: str
    caption: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)  #: of the model, that it sets
    bins: bool = False  #: numeric columns are binned with this choice, also if the model alone does not
    name: str = ""  #: what charts call the model with this choice, where it counts as a model of its own
    title: str = ""  #: what people call that model; by default the title of the class and the label


@dataclass(frozen=True)
class Option:
    """One decision about a model: a few ways to choose from, or a value for the command line alone.

    Examples
    --------
    >>> ways = Choice("sum", "All together", parameters={"vote": "sum"}), Choice("winner", "The nearest one")
    >>> Option("vote", "Clusters vote", choices=ways).read("sum")
    {'vote': 'sum'}
    >>> Option("n_bins", parse=int, flag="--bins").read("3")
    {'n_bins': 3}
    """

    key: str  #: its name in the address; of a value also the parameter of the model
    label: str = ""
    help: str = ""  #: what is decided, for a person looking at the side bar
    choices: tuple[Choice, ...] = ()  #: the first one is the default; none: a value, on the command line only
    parse: Callable[[str], Any] | None = None  #: reads a value that is none of the choices
    flag: str = ""  #: how the command line writes it; by default the key with two dashes
    flag_help: str = ""  #: by default the choices
    metavar: str | None = None  #: what stands for the value in the help of the command line

    @property
    def written(self) -> str:
        """How the command line writes it."""
        return self.flag or "--" + self.key.replace("_", "-")

    @property
    def described(self) -> str:
        """What the command line says about it."""
        if self.flag_help:
            return self.flag_help
        default, *others = self.choices
        return ", ".join([f"{default.key} (the default)", *(choice.key for choice in others)])

    def choice(self, key: str) -> Choice:
        """Return the choice of this key."""
        return next(choice for choice in self.choices if choice.key == key)

    def read(self, text: str) -> dict[str, Any]:
        """Return the parameters that a text on the command line sets."""
        keys = [choice.key for choice in self.choices]
        if text in keys:
            return dict(self.choice(text).parameters)
        if self.parse is None:
            raise DataError(f"{self.written} must be one of {', '.join(keys)}, but is {text!r}.")
        try:
            return {self.key: self.parse(text)}
        except ValueError:
            expected = "a whole number" if self.parse is int else "a number"
            one_of = f"one of {', '.join([*keys, expected])}" if keys else expected
            raise DataError(f"{self.written} must be {one_of}, but is {text!r}.") from None


@dataclass(frozen=True)
class Variant:
    """A model with the choices that make it a model of its own in comparisons."""

    key: str  #: for the address
    name: str  #: for charts and tables
    title: str
    choices: Mapping[str, str]  #: option -> choice
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class About:
    """What the rest of the program asks about a kind of model; a new kind answers here, and nowhere else.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> about = pnb.GeneralizedNaiveBayes.about
    >>> about.short_name, about.is_joint
    ('gnb', True)
    """

    short_name: str = ""  #: what the command line and the address call it
    title: str = ""  #: what people call it
    summary: str = ""  #: one plain sentence: what it assumes
    brief: str = ""  #: what charts call it; by default the title
    options: tuple[Option, ...] = ()  #: what a person can choose
    allowed: Mapping[str, Allowed] = field(default_factory=dict)  #: what its parameters may be
    structure_choices: Mapping[str, str] = field(default_factory=dict)  #: find the same structure fastest
    no_divergence: str = "not defined for this model"  #: said where `divergence_` is None
    no_interval: str = ""  #: why it has no credible interval, where there is a reason of its own
    empty_cells: str = ""  #: what an empty cell does while learning, if there is no choice about it
    number_words: str = "This model uses numbers as they are, without intervals."  #: if it bins none
    bins: bool = False  #: numeric columns become states; rows are coded by `encoder_`
    default_bins: int = DEFAULT_BINS  #: intervals of a number when `n_bins` is not given
    is_joint: bool = False  #: a joint distribution: has a KL divergence and answers any question
    own_states: bool = False  #: makes states in a way of its own: others have another KL divergence
    factors_for_pgmpy: str = ", use to_pgmpy() for its factors"  #: part of a sentence
    is_network: bool = False  #: a Bayesian network, which other programs read with its tables
    predicts_attributes: bool = False  #: says what to expect of an attribute that is not known
    chooses_links: bool = False  #: the data choose its links, so that tests of them make sense
    links_compare: bool = True  #: one graph over the attributes, whose links others can share
    has_nomogram: bool = False  #: log-odds are a sum of points, one for each attribute
    slow: bool = False  #: takes long to learn from many columns
    growth_introduction: str = ""  #: how its growth is introduced; by default as its search is
    grows_by: str = "attribute"  #: what joins it step by step: "attribute", "round" or "" (nothing)
    is_baseline: bool = False  #: others are compared with it unless another choice is made
    most_parents: Callable[[Mapping[str, str]], int] = lambda choices: 1  #: in a tree that is drawn by hand
    not_edited: Callable[[Mapping[str, str]], str] = lambda choices: ""  #: why links cannot be edited
    kind: type[Any] = field(default=object, init=False, compare=False)  #: the class that it describes

    def __set_name__(self, kind: type[Any], name: str) -> None:
        object.__setattr__(self, "kind", kind)

    def but(self, **changes: Any) -> About:
        """Return the description of a class that is derived from this one.

        Examples
        --------
        >>> About(title="Chain", is_joint=True).but(title="Tree").is_joint
        True
        """
        return replace(self, **changes)

    def check(self, model: Any) -> None:
        """Refuse parameters that a model cannot work with."""
        for name in self.allowed:
            self.checked(model, name)

    def checked(self, model: Any, name: str) -> Any:
        """Return a parameter, checked; a number is an `int` or a `float`, whatever it was given as."""
        return self.allowed[name].check(name, getattr(model, name))

    def has_parameter(self, name: str) -> bool:
        """Whether the model has a parameter of this name."""
        return name in signature(self.kind).parameters

    def why_not_edited(self, choices: Mapping[str, str]) -> str:
        """Say why links cannot be required or forbidden with these choices; empty where they can.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> pnb.TreeAugmentedNaiveBayes.about.why_not_edited({})
        ''
        >>> print(pnb.NaiveBayes.about.why_not_edited({}))
        Links cannot be required or forbidden with Naive Bayes: every attribute depends on the class alone.
        """
        if self.has_parameter("required") and self.has_parameter("forbidden"):
            return self.not_edited(choices)
        return f"Links cannot be required or forbidden with {self.title}: {self._assumption}"

    def why_not_drawn(self) -> str:
        """Say why a tree of one's own cannot be fitted; empty where it can.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> pnb.GeneralizedNaiveBayes.about.why_not_drawn()
        ''
        >>> print(pnb.NaiveBayes.about.why_not_drawn())
        A tree cannot be drawn by hand for Naive Bayes: every attribute depends on the class alone.
        """
        if self.has_parameter("structure"):
            return ""
        return f"A tree cannot be drawn by hand for {self.title}: {self._assumption}"

    @property
    def _assumption(self) -> str:
        return f"{self.summary[:1].lower()}{self.summary[1:]}"

    def chosen_parameters(self, choices: Mapping[str, str]) -> dict[str, Any]:
        """Return the parameters that choices (option -> choice) set; an option not named has its default.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> pnb.GeneralizedNaiveBayes.about.chosen_parameters({"search": "exact"})
        {'search': 'exact', 'order': 3, 'parameters': 'class'}
        """
        return {name: value for choice in self._chosen(choices) for name, value in choice.parameters.items()}

    def bins_with(self, choices: Mapping[str, str]) -> bool:
        """Whether numeric columns become states with these choices, in a way that a person chooses."""
        return (self.bins and self.has_parameter("discretizer")) or any(
            choice.bins for choice in self._chosen(choices)
        )

    def _chosen(self, choices: Mapping[str, str]) -> list[Choice]:
        offered = [option for option in self.options if option.choices]
        return [option.choice(choices.get(option.key, option.choices[0].key)) for option in offered]

    def variants(self) -> tuple[Variant, ...]:
        """Return the models that this class is in comparisons: itself, or one for each choice with a name.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> [variant.name for variant in pnb.GeneralizedNaiveBayes.about.variants()]
        ['GNB-A', 'GNB-O', 'Best tree (exact)', 'GNB for the class', 'GNB of order 4']
        """
        named = [(o.key, choice) for o in self.options for choice in o.choices if choice.name]
        if not named:
            parameters = self.chosen_parameters({})
            return (Variant(self.short_name, self.brief or self.title, self.title, {}, parameters),)
        return tuple(
            Variant(
                f"{self.short_name} {choice.key}",
                choice.name,
                choice.title or f"{self.title}, {choice.label.lower()}",
                {key: choice.key},
                self.chosen_parameters({key: choice.key}),
            )
            for key, choice in named
        )

    def comparisons(self) -> tuple[type[Any], ...]:
        """Return the models that this one is compared with unless others are asked for."""
        from pgm_nb.models import MODELS

        return tuple(kind for kind in MODELS if kind.about.is_baseline and not issubclass(self.kind, kind))


def number_or_none(text: str) -> float | None:
    """Read a number, or "none" for None.

    Examples
    --------
    >>> number_or_none("none"), number_or_none("0.5")
    (None, 0.5)
    """
    return None if text == "none" else float(text)


def _smoothing(text: str) -> float | str | None:
    return text if text in ("backoff", "hierarchical") else number_or_none(text)


TABLE_OPTIONS = (  # of models over binned columns
    Option(
        "discretizer",
        parse=lambda text: None if text == "none" else text,
        flag_help="how numeric columns become states: quantile (bins of equal size), uniform (bins of equal "
        "width), mdlp (cuts chosen by the class, Fayyad-Irani), order (quantiles that are values of the "
        "table, as in the paper of GNB), kmeans (values close together), caim (about as many intervals as "
        "classes, Kurgan-Cios) or none (every value is a state)",
    ),
    Option("n_bins", parse=int, flag="--bins", metavar="N", flag_help="bins per numeric column"),
    Option(
        "smoothing",
        parse=_smoothing,
        metavar="M",
        flag_help="'hierarchical' (the default; every level of a table borrows from the one above, as far as "
        "the rows demand), 'backoff' (large tables borrow from smaller ones), 'none' (the unsmoothed rule of "
        "the paper), or a number of imaginary rows spread over the states of every table",
    ),
    Option(
        "missing",
        parse=str,
        flag_help="missing cells are a 'state' of their own (the default), their rows are dropped ('drop'), "
        "or the commonest state stands in ('mode')",
    ),
)


def imaginary_rows(*words: str | None, advice: str) -> dict[str, Allowed]:
    """Return what smoothing may be: a number of imaginary rows, or one of these words.

    Examples
    --------
    >>> print(imaginary_rows("paper", advice="")["smoothing"])
    'paper' or a positive number from 1e-100 to 1e+100
    """
    return {"smoothing": replace(POSITIVE, words=words, advice=advice)}


def with_smoothing(described: str, word: str = "hierarchical") -> tuple[Option, ...]:
    """Return the options of tables, where smoothing is a number of rows or this word; `described` says so.

    Examples
    --------
    >>> [option.read("paper") for option in with_smoothing("rows", "paper") if option.key == "smoothing"]
    [{'smoothing': 'paper'}]
    """
    own = Option(
        "smoothing",
        parse=lambda text: text if text == word else float(text),
        metavar="M",
        flag_help=described,
    )
    return tuple(own if option.key == "smoothing" else option for option in TABLE_OPTIONS)


WAYS = {
    "generative": Choice(
        "generative",
        "As counted",
        "from tables of how often values occur in each class",
        {"parameters": "generative"},
    ),
    "class": Choice(
        "class",
        "Trained to predict",
        "more reliable where attributes repeat each other; takes longer to learn",
        {"parameters": "class"},
    ),
}


def ways_to_probabilities(default: str) -> Option:
    """Return the choice between tables as counted and parameters trained for the class.

    Examples
    --------
    >>> [choice.key for choice in ways_to_probabilities("class").choices]
    ['class', 'generative']
    """
    return Option(
        "parameters",
        "Probabilities",
        "Where the probabilities of the class come from. The picture, the KL divergence, samples and answers "
        "about attributes are the same with both: they come from the tables as counted.",
        (WAYS[default], *(way for key, way in WAYS.items() if key != default)),
    )
