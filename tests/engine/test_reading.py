"""Written evidence reads back as it was, whatever marks the names and values hold."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.engine.evidence import Between, Evidence, exact, plain_text, read_evidence

ODD = st.text(alphabet="ab=!<>|:.\\ 1", min_size=1, max_size=5)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)


def reader(words, numbers):
    def value(name, text):
        if name in words:
            return (text,) if text in words[name] else None
        try:
            number = float(text)
        except ValueError:
            return None
        return (number,) if math.isfinite(number) else None

    names = [*words, *numbers]
    return lambda text: read_evidence(text, names, value)


@st.composite
def known_words(draw):
    """Names, their words, and evidence on one of them."""
    names = draw(st.lists(ODD, min_size=1, max_size=4, unique=True))
    words = {name: draw(st.lists(ODD, min_size=1, max_size=6, unique=True)) for name in names}
    name = draw(st.sampled_from(names))
    some = draw(st.lists(st.sampled_from(words[name]), min_size=1, unique=True))
    weights = draw(st.lists(st.floats(0.001, 1), min_size=len(some), max_size=len(some)))
    weighed = pnb.likelihood(dict(zip(some, weights, strict=True)))
    return words, name, draw(st.sampled_from([some[0], pnb.one_of(*some), pnb.not_(*some), weighed]))


@given(known_words())
@settings(max_examples=500)
def test_words(drawn):
    words, name, known = drawn
    text = known.written(name) if isinstance(known, Evidence) else plain_text(name, known)
    assert reader(words, ())(text) == (name, known)


@given(st.lists(ODD, min_size=1, max_size=4, unique=True), st.lists(NUMBER, min_size=2, max_size=2))
@settings(max_examples=200)
def test_numbers(names, ends):
    read = reader({}, names)
    low, high = sorted(ends)
    for name in names:
        assert read(plain_text(name, exact(low))) == (name, low)
        for known in (
            pnb.between(low, high),
            pnb.above(low),
            pnb.below(high),
            Between(low, math.inf),
            Between(-math.inf, high),
            pnb.one_of(low, high),
            pnb.not_(high),
        ):
            assert read(known.written(name)) == (name, known)


def test_a_value_that_looks_like_several_and_the_several_are_two_things():
    read = reader({"a": ["x", "y", "x|y"], "a!": ["x"]}, ())
    assert read("a=x|y") == ("a", pnb.one_of("x", "y"))
    assert read(r"a=x\|y") == ("a", "x|y")
    assert read("a!=x") == ("a", pnb.not_("x"))
    assert read(r"a\!=x") == ("a!", "x")
    assert pnb.one_of("x").written("a") == "a=x|x"
    assert read("a=x|x") == ("a", pnb.one_of("x"))


def test_people_need_no_backslash():
    read = reader({"path": ["C:\\a|b", "12:30"], "a=b": ["<=50K"]}, ())
    assert read("path=C:\\a|b") == ("path", "C:\\a|b")
    assert read("path=12:30") == ("path", "12:30")
    assert read("path!=12:30") == ("path", pnb.not_("12:30"))
    assert read("a=b=<=50K") == ("a=b", "<=50K")


WORDS = {"a=b": ["x|y", "z", "p:q", "p", "q:1", "z:2"], "a": ["x", "y", "x:1", "y:0.5", "=x"], "a=": ["x"]}


def test_what_is_escaped_belongs_to_the_name_or_the_value():
    read = reader(WORDS, ())
    assert read(r"a\=b=x\|y") == ("a=b", "x|y")
    assert read(r"a\=b=x\|y|z") == ("a=b", pnb.one_of("x|y", "z"))
    assert read(r"a\=b=p:q") == ("a=b", "p:q")  # one value: there is nothing to weigh it against
    assert read(r"a\=b!=p\:q") == ("a=b", pnb.not_("p:q"))
    assert read("c=x") is None


def test_numbers_after_colons_are_weights():
    read = reader(WORDS, ())
    assert read("a=x:1|y:0.5") == ("a", pnb.likelihood({"x": 1.0, "y": 0.5}))  # though "x:1" is a word too
    assert read(r"a\=b=q\:1|z\:2") == ("a=b", pnb.one_of("q:1", "z:2"))
    assert read(r"a\=b=z:2|p") is None  # a weight for one and none for the other
    assert read(r"a\=b=z:0|p:0") is None
    assert reader({"a": ["x"]}, ())("a=x:1") is None


def test_the_longest_name_is_meant():
    assert reader({"a": ["b=x"], "a=b": ["x"]}, ())("a=b=x") == ("a", "b=x")  # as it would be written
    assert reader({"a!": ["=x"], "a!=": ["x"]}, ())("a!==x") == ("a!=", "x")


def test_ranges_with_one_end_and_weights_that_are_none():
    read = reader({"a": ["x", "y"]}, ["n"])
    assert read("n=3..") == ("n", Between(3.0, math.inf))
    assert read("n=..3") == ("n", Between(-math.inf, 3.0))
    assert read("n=..") is None
    assert read("a=x:1|y:0") == ("a", pnb.likelihood({"x": 1.0, "y": 0.0}))
    for text in ("a=x:-1|y:1", "a=w:1|y:1", "a=x:inf|y:1", "a=1|2", "a=x:one|y:1"):
        assert read(text) is None
