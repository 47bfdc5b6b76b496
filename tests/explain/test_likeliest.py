"""Which of many classes are shown."""

from pgm_nb.explain.likeliest import MANY, TOP, likeliest


def test_few_classes_stay_in_their_order():
    assert likeliest([0.1] * MANY) == (list(range(MANY)), [])


def test_of_many_the_most_probable_come_first_and_nothing_is_lost():
    shares = [((7 * place) % 26) / 325 for place in range(26)]
    shown, rest = likeliest(shares)
    assert len(shown) == TOP
    assert [shares[place] for place in shown] == sorted(shares, reverse=True)[:TOP]
    assert sorted([*shown, *rest]) == list(range(26))
    assert likeliest(shares, rest[-1])[0][-1] == rest[-1]
