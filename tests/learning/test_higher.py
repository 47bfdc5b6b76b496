"""Cherry trees of order 4: gains by hand, every tree there is for few attributes, bounds that hold."""

import itertools
from collections import Counter

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.errors import StructureError
from pgm_nb.graphs import HigherCherryTree
from pgm_nb.information import information
from pgm_nb.information.sets import SetInformation
from pgm_nb.learning import Trace, greedy, higher
from pgm_nb.learning.constraints import read_constraints
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


def varied(seed, d=8, n=150):
    """Two to five states, and some dependence."""
    rng = np.random.default_rng(seed)
    cards = tuple((2, 3, 4, 5, 2, 3, 4, 2)[:d])
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    for child, mother, other in ((4, 0, 1), (5, 2, 4), (7, 3, 0)):
        if child < d:
            mixed = (codes[mother] + codes[other]) % cards[child]
            codes[child] = np.where(rng.random(n) < 0.7, mixed, codes[child])
    y = rng.integers(0, 3, n)
    names = tuple("abcdefgh"[:d])
    return information(count(codes, y, cards, 3)), SetInformation(codes, y, cards, 3), names


@pytest.mark.parametrize("seed", range(4))
def test_the_steps_and_their_runners_up_by_a_plain_search(seed):
    info, table, names = varied(seed)
    relevance, dependence = info.relevance, info.dependence
    graph, trace = greedy_of_order(info, table, names, "y", 4)
    assert Trace.from_dict(trace.to_dict()) == trace
    pairs = {
        (i, j): relevance[i] + relevance[j] + dependence[i, j] for i, j in itertools.combinations(range(8), 2)
    }
    ranked = sorted(pairs, key=lambda pair: -pairs[pair])
    rooted = [tuple(sorted(pair, key=lambda i: -relevance[i])) for pair in ranked[:6]]
    first = trace.steps[0]
    assert [(c.mother, c.attribute) for c in (first.chosen, *first.runners_up)] == [
        (names[i], names[j]) for i, j in rooted
    ]
    assert first.weight == pytest.approx(pairs[ranked[0]], abs=1e-12)

    def worth(child, given):
        found = table.shared(sorted(given), [child])
        closest = max(given, key=lambda m: dependence[child, m])
        free = table.shared([closest], [child]).freedom[0]
        cost = (found.freedom[0] - free) / (2 * info.n_rows * np.log(2))
        return relevance[child] + found.bits[0] - cost

    clusters, total = [set(rooted[0])], first.weight
    for step in trace.steps[1:]:
        inside = set().union(*clusters)
        possible = {
            (child, frozenset(given))
            for cluster in clusters
            for size in (1, 2)
            for given in itertools.combinations(sorted(cluster), size)
            for child in set(range(8)) - inside
        }
        best = sorted(possible, key=lambda one: -worth(*one))
        child, given = best[0]
        assert (step.attribute, set(step.chosen.mothers)) == (names[child], {names[m] for m in given})
        seen = Counter()
        near = []
        for one in best[1:]:  # the others on their best set, the chosen one on its second best
            seen[one[0]] += 1
            if seen[one[0]] == 1:
                near.append((names[one[0]], {names[m] for m in one[1]}))
        assert [(c.attribute, set(c.mothers)) for c in step.runners_up] == near[:5]
        total += step.gain
        assert step.weight == pytest.approx(total, abs=1e-12)
        clusters.append({child, *given})
    assert weight_of(graph) == pytest.approx(total, abs=1e-12)


def test_shares_are_what_each_further_mother_adds_and_the_closest_is_first():
    info, table, names = varied(1, d=6)
    graph, _ = greedy_of_order(info, table, names, "y", 5, price=0.0)
    column = {name: i for i, name in enumerate(names)}
    assert max(map(len, graph.families.values())) == 3
    for child, mothers in graph.families.items():
        i, given = column[child], [column[m] for m in mothers]
        assert given == sorted(given, key=lambda m: -info.dependence[i, m])
        bits = [table.shared(given[:n], [i]).bits[0] for n in range(1, len(given) + 1)]
        assert np.cumsum(graph.shares[child]) == pytest.approx(bits, abs=1e-12)
    exactly, _ = exact_of_order(info, table, names, "y", 4)
    for child, mothers in exactly.families.items():
        i = column[child]
        assert list(mothers) == sorted(mothers, key=lambda m: -info.dependence[i, column[m]])


@pytest.mark.parametrize("search", [greedy_of_order, exact_of_order])
def test_so_many_clusters_and_no_more(search):
    info, table, names = table_of(d=5)
    for clusters, size in ((1, 2), (3, 4), (4, 5), (9, 5)):
        graph, trace = search(info, table, names, "y", 4, clusters)
        assert len(graph.order) == size
        if search is exact_of_order:
            assert trace.algorithm == ("exact" if size == 5 else "best part")


def test_the_bound_of_the_weight_by_trying_every_set():
    info, _, _ = varied(2, d=6)
    most = np.random.default_rng(0).random(6)
    for size in range(2, 7):
        whole = max(
            info.relevance[list(part)].sum() + info.dependence[i, j] + most[list(set(part) - {i, j})].sum()
            for part in itertools.combinations(range(6), size)
            for i, j in itertools.combinations(part, 2)
        )
        assert weight_bound(info, most, size) == pytest.approx(whole, abs=1e-12)
    assert weight_bound(info, most, 1) == info.relevance.max()


def test_triples_are_zero_where_an_attribute_is_its_own_mother():
    _, table, _ = table_of(d=4)
    triples = all_triples(table)
    assert np.array_equal(triples, triples.transpose(0, 2, 1))
    for i, a, b in np.ndindex(4, 4, 4):
        if len({i, a, b}) < 3:
            assert triples[i, a, b] == 0.0
        else:
            assert triples[i, a, b] == table.shared(sorted([a, b]), [i]).bits[0]


def test_the_largest_number_of_attributes_is_searched_too(monkeypatch):
    monkeypatch.setattr(higher, "MOST_ATTRIBUTES", 4)
    info, table, names = table_of(d=4)
    assert exact_of_order(info, table, names, "y", 4)[1].algorithm == "exact"


def test_one_attribute_has_one_step_with_what_it_says():
    info, table, names = table_of(d=1)
    structure = HigherCherryTree("y", ("a",), {})
    for _, trace in (
        greedy_of_order(info, table, names, "y", 4),
        score_families(info, table, names, "y", structure),
    ):
        [step] = trace.steps
        assert (step.attribute, step.mother, step.gain) == ("a", None, info.relevance[0])
        assert step.weight == info.relevance[0]


def chordal_graphs(names, seed, cliques):
    """Required edges at random: attributes join a set of earlier ones that are linked already."""
    rng = np.random.default_rng(seed)
    sets, edges = [()], []
    for name in rng.permutation(list(names)).tolist():
        given = sets[rng.integers(len(sets))]
        edges += [(other, name) for other in given]
        sets += [(*part, name) for n in range(cliques - 1) for part in itertools.combinations(given, n)]
    return edges


def links_of(graph):
    return {frozenset(pair) for cluster in graph.clusters for pair in itertools.combinations(cluster[1:], 2)}


@pytest.mark.parametrize("order", [4, 5])
@pytest.mark.parametrize("seed", range(12))
def test_required_attributes_meet_in_a_cluster_also_all_with_each_other(seed, order):
    info, table, names = table_of(d=7, seed=seed)
    required = chordal_graphs(names, seed, order - 1)
    linked = {frozenset(edge) for edge in required}
    others = [pair for pair in itertools.combinations(names, 2) if frozenset(pair) not in linked]
    forbidden = others[:: 3 + seed % 3]
    try:
        constraints = read_constraints(required, forbidden, names, "y", order - 2)
    except StructureError:  # nothing joins one of them to the rest
        forbidden = []
        constraints = read_constraints(required, forbidden, names, "y", order - 2)
    graph, trace = greedy_of_order(info, table, names, "y", order, constraints=constraints)
    assert linked <= links_of(graph)
    assert links_of(graph).isdisjoint(map(frozenset, forbidden))
    assert max(map(len, graph.clusters)) <= order
    assert len(trace.constraints) == len(required) + len(forbidden)


def test_a_circle_of_four_takes_the_link_across_that_fits_best():
    info, table, names = table_of(d=5, seed=3)
    square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    with pytest.raises(StructureError, match="close no cycle"):
        read_constraints(square, None, names, "y")
    graph, trace = greedy_of_order(
        info, table, names, "y", 4, constraints=read_constraints(square, None, names, "y", 2)
    )
    weights = []
    for across in (("a", "c"), ("b", "d")):
        one = read_constraints([*square, across], None, names, "y", 2)
        _, steps = greedy_of_order(info, table, names, "y", 4, constraints=one)
        weights.append(steps.steps[-1].weight)
    assert {frozenset(edge) for edge in square} <= links_of(graph)
    assert trace.steps[-1].weight == max(weights)
    without = greedy_of_order(info, table, names, "y", 4)[1].steps[-1].weight
    assert trace.price == pytest.approx(without - trace.steps[-1].weight, abs=1e-9)


def all_wished(info, triples, required, forbidden):
    """The weight of every tree of up to two mothers each that obeys, however it grows."""
    d = len(info.relevance)
    barred = {frozenset(edge) for edge in forbidden}

    def grow(inside, edges, shared):
        if len(inside) == d:
            if all(frozenset(edge) in edges for edge in required):
                yield shared
            return
        for child in set(range(d)) - inside:
            options = [((m,), info.dependence[child, m]) for m in inside]
            options += [(tuple(edge), triples[(child, *edge)]) for edge in edges]
            for given, bits in options:
                new = {frozenset((child, m)) for m in given}
                if not new & barred:
                    yield from grow(inside | {child}, edges | new, shared + bits)

    yield from (sum(info.relevance) + found for i in range(d) for found in grow({i}, frozenset(), 0.0))


@pytest.mark.parametrize("seed", range(10))
def test_exact_with_wishes_is_the_heaviest_of_all_that_obey(seed):
    info, table, names = table_of(d=5, seed=seed)
    rng = np.random.default_rng(seed)
    pairs = [tuple(pair) for pair in rng.permutation(list(itertools.combinations(range(5), 2))).tolist()]
    required, forbidden = pairs[: seed % 4], pairs[seed % 4 : seed % 4 + 2 + seed % 3]
    named = [[(names[i], names[j]) for i, j in edges] for edges in (required, forbidden)]
    constraints = read_constraints(*named, names, "y", 2)
    graph, trace = exact_of_order(info, table, names, "y", 4, constraints=constraints)
    triples = all_triples(table)
    best = max(all_wished(info, triples, required, forbidden))
    assert weight_of(graph) == pytest.approx(best, abs=1e-9)
    assert {frozenset(edge) for edge in named[0]} <= links_of(graph)
    assert links_of(graph).isdisjoint(map(frozenset, named[1]))
    free = max(all_wished(info, triples, (), ()))
    assert trace.price == pytest.approx(free - best, abs=1e-9)
    for wish in trace.constraints:
        edge = (names.index(wish.attribute), names.index(wish.other))
        rest = [[one for one in edges if set(one) != set(edge)] for edges in (required, forbidden)]
        assert wish.price == pytest.approx(max(all_wished(info, triples, *rest)) - best, abs=1e-9)


def test_exact_says_which_wish_does_not_fit_into_so_few_clusters():
    info, table, names = table_of(d=5)
    constraints = read_constraints([("a", "b"), ("c", "d")], None, names, "y", 2)
    with pytest.raises(StructureError, match="and 1 cluster has all required edges"):
        exact_of_order(info, table, names, "y", 4, 1, constraints)


def test_what_cannot_be_required_with_two_mothers_is_said():
    ring = [*itertools.pairwise("abcdef"), ("f", "a")]
    with pytest.raises(StructureError, match="links across are needed"):
        read_constraints(ring, None, tuple("abcdef"), "y", 2)
    every = list(itertools.combinations("abcd", 2))
    with pytest.raises(StructureError, match="takes order=5"):
        read_constraints(every, None, tuple("abcdef"), "y", 2)
    assert len(read_constraints(every, None, tuple("abcdef"), "y", 3).required) == 6
    across = [("a", "c"), ("b", "d")]
    with pytest.raises(StructureError, match="links across are needed"):
        read_constraints([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], across, tuple("abcdef"), "y", 2)


@pytest.mark.parametrize("seed", range(6))
def test_where_second_mothers_cost_too_much_constraints_give_the_tree_of_order_3(seed):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 3, 400)
    codes = np.where(rng.random((6, 400)) < rng.random((6, 1)), rng.integers(0, 3, (6, 400)), base)
    y, cards, names = rng.integers(0, 2, 400), (3,) * 6, tuple("abcdef")
    info = information(count(codes.astype(np.uint8), y, cards, 2))
    table = SetInformation(codes.astype(np.uint8), y, cards, 2)
    edges = [tuple(pair) for pair in rng.permutation(list(itertools.combinations(names, 2)))]
    required, forbidden = edges[:2], edges[2:5]
    constraints = read_constraints(required, forbidden, names, "y")
    higher, trace = greedy_of_order(info, table, names, "y", 4, price=1e9, constraints=constraints)
    tree, same = greedy(info, names, "y", required=required, forbidden=forbidden)
    assert {child: given for child, (given,) in higher.families.items()} == dict(tree.mothers)
    assert trace.price == pytest.approx(same.price, abs=1e-9)
    for ours, theirs in zip(trace.constraints, same.constraints, strict=True):
        assert ours.price == pytest.approx(theirs.price, abs=1e-9)
