"""Cherry trees of order 4: gains by hand, every tree there is for few attributes, bounds that hold."""

import itertools

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.errors import StructureError
from pgm_nb.graphs import HigherCherryTree
from pgm_nb.information import information
from pgm_nb.information.sets import SetInformation
from pgm_nb.learning import greedy
from pgm_nb.learning.higher import (
    all_triples,
    exact_of_order,
    greedy_of_order,
    score_families,
    weight_bound,
)


def table_of(d=5, n=60, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    cards = tuple(int(v) for v in rng.integers(2, 4, d))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    codes[-1] = (codes[0] + codes[min(1, d - 1)] + (rng.random(n) < 0.2)) % cards[-1]
    y = rng.integers(0, classes, n)
    names = tuple("abcdefghijklm"[:d])
    return information(count(codes, y, cards, classes)), SetInformation(codes, y, cards, classes), names


def all_weights(info, triples, size):
    """The weight of every cherry tree of order 4 with so many attributes, however it grows."""
    d = len(info.relevance)

    def grow(inside, edges, weight):
        if len(inside) == size:
            yield weight
            return
        for child in set(range(d)) - inside:
            for a, b in edges:
                new = edges | {tuple(sorted((a, child))), tuple(sorted((b, child)))}
                yield from grow(inside | {child}, new, weight + info.relevance[child] + triples[child, a, b])

    for a, b in itertools.combinations(range(d), 2):
        weight = info.relevance[a] + info.relevance[b] + info.dependence[a, b]
        yield from grow({a, b}, frozenset({(a, b)}), weight)


def weight_of(graph):
    return sum(graph.relevance.values()) + sum(graph.dependence.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("clusters", [1, 2, 3, 4])
def test_exact_is_the_heaviest_of_all_and_the_bound_holds(seed, clusters):
    info, table, names = table_of(seed=seed)
    triples = all_triples(table)
    most = max(all_weights(info, triples, clusters + 1))
    graph, trace = exact_of_order(info, table, names, "y", 4, clusters)
    assert weight_of(graph) == pytest.approx(most, abs=1e-9)
    assert trace.bound == pytest.approx(most, abs=1e-9)
    assert trace.steps[-1].weight == pytest.approx(most, abs=1e-9)
    assert weight_bound(info, triples.max(axis=(1, 2)), clusters + 1) >= most - 1e-9
    by_steps, _ = greedy_of_order(info, table, names, "y", 4, clusters)
    assert weight_of(by_steps) <= most + 1e-9


def test_the_greedy_search_by_hand():
    # c is the exclusive or of a and b: with either alone it shares nothing
    a, b = np.tile([0, 0, 1, 1], 25), np.tile([0, 1, 0, 1], 25)
    y = np.repeat([0, 1], 50)
    first = np.where(np.arange(100) % 10 == 0, 1 - a, a)  # b's own link: a copy of a, wrong in a tenth
    codes = np.array([a, b, a ^ b, first], dtype=np.uint8)
    info, table = information(count(codes, y, (2,) * 4, 2)), SetInformation(codes, y, (2,) * 4, 2)
    graph, trace = greedy_of_order(info, table, tuple("abcd"), "y", 4, price=0.0)
    assert set(graph.order[:2]) == {"a", "d"}
    step = next(step for step in trace.steps if len(step.chosen.mothers) == 2 and step.gain > 0.9)
    assert {step.attribute, *step.chosen.mothers} == {"a", "b", "c"}
    assert step.chosen.dependence == pytest.approx(1.0, abs=1e-12)  # one bit, which no single mother has
    assert sum(graph.shares[step.attribute]) == pytest.approx(1.0, abs=1e-12)


def test_every_step_takes_what_adds_most_of_all_that_is_possible():
    info, table, names = table_of(d=6, seed=3)
    graph, trace = greedy_of_order(info, table, names, "y", 4, price=0.0)
    column = {name: i for i, name in enumerate(names)}
    clusters = [set(graph.order[:2])]
    for step in trace.steps[1:]:
        inside = set().union(*clusters)
        possible = {
            (name, frozenset(s))
            for cluster in clusters
            for size in (1, 2)
            for s in itertools.combinations(sorted(cluster), size)
            for name in set(names) - inside
        }
        gains = {
            (name, s): info.relevance[column[name]]
            + table.shared(sorted(column[m] for m in s), [column[name]]).bits[0]
            for name, s in possible
        }
        assert step.gain == pytest.approx(max(gains.values()), abs=1e-12)
        clusters.append({step.attribute, *step.chosen.mothers})
        others = {name: max(g for (n, _), g in gains.items() if n == name) for name in {n for n, _ in gains}}
        del others[step.attribute]
        listed = [c.gain for c in step.runners_up if c.attribute != step.attribute]
        assert listed == pytest.approx(sorted(others.values(), reverse=True)[: len(listed)], abs=1e-12)


def test_a_price_keeps_columns_with_many_states_apart():
    rng = np.random.default_rng(0)
    n, cards = 300, (2, 2, 60, 60)
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    codes[1] = np.where(rng.random(n) < 0.1, 1 - codes[0], codes[0])
    y = rng.integers(0, 2, n)
    info, table = information(count(codes, y, cards, 2)), SetInformation(codes, y, cards, 2)
    free, _ = greedy_of_order(info, table, tuple("abcd"), "y", 4, price=0.0)
    guarded, _ = greedy_of_order(info, table, tuple("abcd"), "y", 4)
    assert max(map(len, free.families.values())) == 2  # noise looks like dependence
    assert max(map(len, guarded.families.values())) == 1


def test_of_order_three_without_price_it_is_the_tree_of_gnb():
    info, table, names = table_of(d=7, seed=5)
    graph, trace = greedy_of_order(info, table, names, "y", 3, price=0.0)
    plain, steps = greedy(info, names, "y")
    assert dict(graph.mothers) == dict(plain.mothers)
    assert [s.gain for s in trace.steps] == pytest.approx([s.gain for s in steps.steps], abs=1e-12)


def test_a_given_tree_is_weighed():
    info, table, names = table_of()
    found, _ = greedy_of_order(info, table, names, "y", 4)
    again, trace = score_families(info, table, names, "y", HigherCherryTree("y", found.order, found.families))
    assert again == found
    assert trace.algorithm == "given"
    with pytest.raises(StructureError, match="no such column"):
        score_families(info, table, names, "y", HigherCherryTree("y", ("a", "zz"), {"zz": ("a",)}))


def test_too_many_attributes_for_the_exact_search():
    info, table, names = table_of(d=13)
    with pytest.raises(StructureError, match="at most 12 attributes, but the order is 4 and there are 13"):
        exact_of_order(info, table, names, "y", 4)
    with pytest.raises(StructureError, match="the order is 5"):
        exact_of_order(info, table, names[:5], "y", 5)


def test_one_attribute():
    info, table, names = table_of(d=1)
    for search in (greedy_of_order, exact_of_order):
        graph, trace = search(info, table, names, "y", 4)
        assert (graph.order, len(trace.steps)) == (("a",), 1)
