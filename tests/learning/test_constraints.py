"""Expert knowledge: brute force over all trees, a plain greedy search, prices by hand, and the refusals."""

import functools
import itertools
import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.errors import StructureError
from pgm_nb.information import Information
from pgm_nb.learning import Trace, best_weight, exact, greedy, optimal, tan

SEARCHES = [greedy, optimal, exact, tan]
CHERRY_SEARCHES = [greedy, optimal, exact]
BY_NAME = {"ids": lambda search: search.__name__}


def some_information(relevance, dependence):
    relevance, dependence = np.asarray(relevance, float), np.asarray(dependence, float)
    d = len(relevance)
    return Information(
        n_rows=100, class_entropy=1.0, entropies=np.ones(d), relevance=relevance, dependence=dependence
    )


def names_of(information):
    return tuple(f"x{i}" for i in range(len(information.relevance)))


@functools.cache
def all_trees(d):
    """All labelled trees on d nodes as sets of edges (i, j), i < j, through their Prüfer codes."""
    if d == 2:
        return [{(0, 1)}]
    codes = itertools.product(range(d), repeat=d - 2)
    return [{tuple(sorted(e)) for e in nx.from_prufer_sequence(list(code)).edges} for code in codes]


@st.composite
def problems(draw, max_attributes=6):
    """Information, and required and forbidden edges that some tree meets: ties are common."""
    d = draw(st.integers(2, max_attributes))
    bits = st.integers(0, 24).map(lambda n: n / 16)
    pairs = list(itertools.combinations(range(d), 2))
    relevance = draw(st.lists(bits, min_size=d, max_size=d))
    dependence = np.zeros((d, d))
    dependence[np.triu_indices(d, 1)] = draw(st.lists(bits, min_size=len(pairs), max_size=len(pairs)))
    code = draw(st.lists(st.integers(0, d - 1), min_size=d - 2, max_size=d - 2))
    witness = [tuple(sorted(e)) for e in (nx.from_prufer_sequence(code).edges if d > 2 else [(0, 1)])]
    required = draw(st.lists(st.sampled_from(witness), unique=True))
    others = [pair for pair in pairs if pair not in witness]
    forbidden = draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    return some_information(relevance, dependence + dependence.T), required, forbidden


def by_name(edges):
    return [(f"x{i}", f"x{j}") for i, j in edges]


def edges_of(graph):
    return {tuple(sorted((int(c[1:]), int(m[1:])))) for c, m in graph.mothers.items()}


def obeying(d, required, forbidden):
    return [tree for tree in all_trees(d) if tree.issuperset(required) and tree.isdisjoint(forbidden)]


def heaviest(information, trees):
    return max(sum(information.dependence[e] for e in tree) for tree in trees)


def learned(search, problem):
    """Edges, order (names) and trace of a search under constraints."""
    information, required, forbidden = problem
    return search(
        information,
        names_of(information),
        "y",
        required=by_name(required),
        forbidden=by_name(forbidden),
    )


class TestAgainstBruteForce:
    @pytest.mark.parametrize("search", [exact, tan], **BY_NAME)
    @given(problem=problems())
    @settings(max_examples=80)
    def test_nothing_that_obeys_is_better_than_exact_and_tan(self, search, problem):
        information, required, forbidden = problem
        edges = edges_of(learned(search, problem)[0])
        trees = obeying(len(information.relevance), required, forbidden)
        assert edges in trees
        # sixteenths add up without rounding
        assert heaviest(information, [edges]) == heaviest(information, trees)

    @given(problem=problems())
    @settings(max_examples=80)
    def test_nothing_that_obeys_and_holds_the_first_pair_is_better_than_optimal(self, problem):
        information, required, forbidden = problem
        graph, _ = learned(optimal, problem)
        first = tuple(sorted(int(name[1:]) for name in graph.order[:2]))
        trees = obeying(len(information.relevance), required, forbidden)
        assert first == first_pair(information, {e for tree in trees for e in tree})
        edges = edges_of(graph)
        assert edges in trees
        assert heaviest(information, [edges]) == heaviest(information, [t for t in trees if first in t])

    @pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
    @given(problem=problems())
    @settings(max_examples=40)
    def test_prices_are_differences_between_searches(self, search, problem):
        information, required, forbidden = problem
        _, trace = learned(search, problem)
        weight = trace.steps[-1].weight
        kinds = [("required", e) for e in required] + [("forbidden", e) for e in forbidden]
        assert [(c.kind, (c.attribute, c.other)) for c in trace.constraints] == [
            (kind, by_name([edge])[0]) for kind, edge in kinds
        ]
        for constraint, (_, edge) in zip(trace.constraints, kinds, strict=True):
            rest = [e for e in required if e != edge], [e for e in forbidden if e != edge]
            without = learned(search, (information, *rest))[1].steps[-1].weight
            assert constraint.price == without - weight
        assert trace.price == learned(search, (information, [], []))[1].steps[-1].weight - weight
        if search in (exact, tan):
            assert all(c.price >= 0 for c in trace.constraints)
            assert trace.price == best_weight(information) - weight

    @pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
    @given(problem=problems(max_attributes=9))
    @settings(max_examples=40)
    def test_the_trace_marks_required_edges_and_hides_forbidden_ones(self, search, problem):
        _, required, forbidden = problem
        graph, trace = learned(search, problem)
        steps = [step for step in trace.steps if step.mother is not None]
        marked = {frozenset((s.mother, s.attribute)) for s in steps if s.required}
        assert marked == {frozenset(edge) for edge in by_name(required)}
        shown = {frozenset((c.mother, c.attribute)) for s in steps for c in s.runners_up}
        assert shown.isdisjoint(frozenset(edge) for edge in by_name(forbidden))
        assert len(graph.mothers) == len(steps)


def first_pair(information, candidates):
    """The pair with the largest I(Y,Xi,Xj) among the candidates, ties by column order."""
    relevance, dependence = information.relevance, information.dependence
    return max(candidates, key=lambda p: (relevance[p[0]] + relevance[p[1]] + dependence[p], -p[0], -p[1]))


def plain_greedy(information, required, forbidden):
    """GNB-A under constraints, O(d^3): required edges at the border go first."""
    relevance, dependence = information.relevance, information.dependence
    d = len(relevance)
    joined = nx.Graph(required)
    joined.add_nodes_from(range(d))
    pairs = [
        p
        for p in itertools.combinations(range(d), 2)
        if p not in forbidden and (p in required or not nx.has_path(joined, *p))
    ]
    edges = [tuple(sorted(first_pair(information, pairs), key=lambda i: (-relevance[i], i)))]  # root first
    order = list(edges[0])
    while len(order) < d:
        border = [(m, c) for m in order for c in range(d) if c not in order]
        border = [e for e in border if tuple(sorted(e)) not in forbidden]
        border = [e for e in border if tuple(sorted(e)) in required] or border
        m, c = max(border, key=lambda e: (relevance[e[1]] + dependence[e], -e[1], -e[0]))
        order.append(c)
        edges.append((m, c))
    return by_name(edges)


@given(problem=problems(max_attributes=9))
@settings(max_examples=150)
def test_greedy_equals_the_plain_algorithm_also_in_its_ties(problem):
    graph, _ = learned(greedy, problem)
    assert [(m, c) for _, m, c in graph.clusters] == plain_greedy(*problem)


@pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
def test_no_attribute_of_a_required_path_joins_by_another_mother(search):
    # x3 pulls hard on both ends of the path x0 - x1 - x2, whose own edges carry nothing
    dependence = np.array([[0, 0, 0, 9], [0, 0, 0, 0], [0, 0, 0, 8], [9, 0, 8, 0]])
    information = some_information([5, 0, 1, 1], dependence)
    graph, _ = learned(search, (information, [(0, 1), (1, 2)], []))
    assert edges_of(graph) == {(0, 1), (1, 2), (0, 3)}


class TestPricesByHand:
    # the best tree is x0 - x1 - x2 (0.5 + 0.25); x3 depends on x0 with 0.125
    information = some_information(
        [1, 0.5, 0.25, 0],
        [[0, 0.5, 0.125, 0.125], [0.5, 0, 0.25, 0], [0.125, 0.25, 0, 0.0625], [0.125, 0, 0.0625, 0]],
    )

    @pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
    def test_each_alone_and_both_together(self, search):
        # required x1 - x3 brings 0 instead of x0 - x3: 0.125; forbidden x1 - x2 leaves x0 - x2: 0.125
        graph, trace = learned(search, (self.information, [(1, 3)], [(1, 2)]))
        assert edges_of(graph) == {(0, 1), (0, 2), (1, 3)}
        assert [(c.kind, c.price) for c in trace.constraints] == [("required", 0.125), ("forbidden", 0.125)]
        assert trace.price == 0.25

    @pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
    def test_constraints_that_the_tree_meets_anyway_are_free(self, search):
        free, trace = learned(search, (self.information, [(0, 1)], [(1, 3)]))
        assert [c.price for c in trace.constraints] == [0, 0]
        assert trace.price == 0
        assert dict(free.mothers) == dict(learned(search, (self.information, [], []))[0].mothers)

    def test_the_total_is_not_the_sum(self):
        # x3 depends on x1 for nothing; lifting one gives it back x0 (0.125), lifting the other x2 (0.0625)
        _, trace = learned(exact, (self.information, [], [(0, 3), (2, 3)]))
        assert [c.price for c in trace.constraints] == [0.125, 0.0625]
        assert trace.price == 0.125

    def test_a_price_of_a_search_bound_to_its_first_pair_can_be_negative(self):
        # the heaviest triplet (x0, x1) is not in the best tree: forbidding it helps
        information = some_information([2, 2, 0], [[0, 0.125, 0.5], [0.125, 0, 0.5], [0.5, 0.5, 0]])
        prices = {s: learned(s, (information, [], [(0, 1)]))[1].constraints[0].price for s in SEARCHES}
        assert prices == {greedy: -0.375, optimal: -0.375, exact: 0, tan: 0}

    @pytest.mark.parametrize("search", CHERRY_SEARCHES, **BY_NAME)
    def test_prices_are_those_of_the_whole_tree(self, search):
        names = names_of(self.information)
        _, trace = search(self.information, names, "y", max_clusters=2, forbidden=[("x0", "x3")])
        assert len(trace.steps) == 2
        assert [c.price for c in trace.constraints] == [0.0625]


@pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
class TestNoConstraints:
    @pytest.mark.parametrize("nothing", [None, [], ()])
    def test_nothing_changes(self, search, nothing, wdbc_information, wdbc_names):
        plain, trace = search(wdbc_information, wdbc_names, "class")
        graph, again = search(wdbc_information, wdbc_names, "class", required=nothing, forbidden=nothing)
        assert graph.to_json() == plain.to_json()
        assert again == trace
        assert (trace.constraints, trace.price) == ((), 0.0)
        assert not any(step.required for step in trace.steps)

    def test_requiring_its_own_tree_changes_no_edge(self, search, wdbc_information, wdbc_names):
        plain, _ = search(wdbc_information, wdbc_names, "class")
        graph, trace = search(wdbc_information, wdbc_names, "class", required=list(plain.mothers.items()))
        assert {frozenset(e) for e in graph.mothers.items()} == {frozenset(e) for e in plain.mothers.items()}
        assert trace.price == 0
        assert all(step.required for step in trace.steps if step.mother)


class TestMaxClusters:
    @pytest.mark.parametrize("search", [greedy, optimal], **BY_NAME)  # exact: test_trees.py
    def test_a_required_edge_cut_off_is_refused_with_the_number_needed(
        self, search, wdbc_information, wdbc_names
    ):
        edges = [("texture error", "smoothness error"), ("worst radius", "worst area")]
        whole, _ = search(wdbc_information, wdbc_names, "class", required=edges)
        needed = max(map(whole.order.index, edges[0]))
        assert needed > 2
        with pytest.raises(StructureError) as refusal:
            search(wdbc_information, wdbc_names, "class", required=edges, max_clusters=2)
        assert str(refusal.value) == (
            "max_clusters=2 cuts off the required edge 'texture error' - 'smoothness error'; all required "
            f"edges are within the first {needed} clusters: set max_clusters to that or more"
        )
        with pytest.raises(StructureError, match=f"first {needed} clusters"):
            search(wdbc_information, wdbc_names, "class", required=edges, max_clusters=needed - 1)
        cut, trace = search(wdbc_information, wdbc_names, "class", required=edges, max_clusters=needed)
        assert cut.clusters == whole.clusters[:needed]
        assert sum(step.required for step in trace.steps) == 2


NAMES = ("age", "sex", "pulse", "weight")


@pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
@pytest.mark.parametrize(
    ("constraints", "sentence"),
    [
        (
            {"required": [("agee", "sex")]},
            "the edge 'agee' - 'sex' in required= names 'agee', which is not an attribute of the table; "
            "did you mean 'age'?",
        ),
        (
            {"forbidden": [("sex", "height_cm")]},
            "the edge 'sex' - 'height_cm' in forbidden= names 'height_cm', which is not an attribute of the "
            "table; did you mean 'weight'?",
        ),
        (
            {"forbidden": [("sex", "zzz")]},
            "the edge 'sex' - 'zzz' in forbidden= names 'zzz', which is not an attribute of the table; "
            "the attributes are age, sex, pulse, weight",
        ),
        (
            {"required": [("disease", "sex")]},
            "required= takes edges between attributes, but 'disease' - 'sex' has the class at one end; "
            "the class is joined to every attribute anyway, so leave this edge out",
        ),
        (
            {"forbidden": [("sex", "sex")]},
            "an edge joins two different attributes, but forbidden= has one from 'sex' to itself; "
            "leave it out",
        ),
        (
            {"required": [("age", "sex")], "forbidden": [("sex", "age")]},
            "the edge 'age' - 'sex' is both required and forbidden; leave it out of one of the two",
        ),
        (
            {"required": [("age", "weight"), ("age", "sex"), ("sex", "pulse"), ("pulse", "age")]},
            "the edges of a tree close no cycle, but these required ones do: "
            "'age' - 'sex' - 'pulse' - 'age'; leave one out",
        ),
        (
            {"forbidden": [("pulse", "age"), ("pulse", "sex"), ("weight", "pulse")]},
            "with these edges forbidden, nothing can join 'pulse' to the rest; allow an edge that does",
        ),
        (
            {"forbidden": [("age", "sex"), ("age", "pulse"), ("weight", "sex"), ("weight", "pulse")]},
            "with these edges forbidden, nothing can join 'age', 'weight' to the rest; "
            "allow an edge that does",
        ),
        (
            {"required": ("age", "sex")},
            "every edge in required= must be a pair of attribute names, such as ('age', 'sex'), but one is "
            "'age'; write required=[('age', 'sex')] for a single edge",
        ),
        (
            {"forbidden": [("age", "sex", "pulse")]},
            "every edge in forbidden= must be a pair of attribute names, such as ('age', 'sex'), but one is "
            "('age', 'sex', 'pulse'); write forbidden=[('age', 'sex')] for a single edge",
        ),
        (
            {"required": [("age", 1)]},
            "every edge in required= must be a pair of attribute names, such as ('age', 'sex'), but one is "
            "('age', 1); write required=[('age', 'sex')] for a single edge",
        ),
        (
            {"required": [(0, 1)]},
            "every edge in required= must be a pair of attribute names, such as ('age', 'sex'), but one is "
            "(0, 1); write required=[('age', 'sex')] for a single edge",
        ),
        (
            {"required": "age-sex"},
            "required= must be a list of pairs of attribute names, such as [('age', 'sex')], "
            "but is 'age-sex'",
        ),
        (
            {"forbidden": {"age": "sex"}},
            "forbidden= must be a list of pairs of attribute names, such as [('age', 'sex')], "
            "but is {'age': 'sex'}",
        ),
    ],
)
def test_refusals(search, constraints, sentence):
    information = some_information(np.ones(4), np.ones((4, 4)) - np.eye(4))
    with pytest.raises(StructureError) as refusal:
        search(information, NAMES, "disease", **constraints)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
def test_an_edge_given_twice_counts_once(search):
    information = some_information([1, 0.5, 0], [[0, 1, 1], [1, 0, 0.25], [1, 0.25, 0]])
    edges = [["x1", "x2"], ("x2", "x1")]
    _, trace = search(information, ("x0", "x1", "x2"), "y", required=edges)
    assert [(c.attribute, c.other, c.price) for c in trace.constraints] == [("x1", "x2", 0.75)]


@pytest.mark.parametrize("search", SEARCHES, **BY_NAME)
def test_one_attribute_and_nothing_to_forbid(search):
    graph, trace = search(some_information([0.5], [[0.0]]), ("x",), "y", required=[], forbidden=[])
    assert dict(graph.mothers) == {}
    assert trace.price == 0


def test_json_round_trip():
    _, trace = learned(greedy, (TestPricesByHand.information, [(1, 3)], [(1, 2)]))
    data = json.loads(json.dumps(trace.to_dict()))
    assert Trace.from_dict(data) == trace


def test_ten_constraints_cost_a_dozen_searches_and_no_more(monkeypatch):
    from pgm_nb.learning import trees

    searches = 0

    def counted(*args, grow=trees.grow, **options):
        nonlocal searches
        searches += 1
        return grow(*args, **options)

    monkeypatch.setattr(trees, "grow", counted)
    rng = np.random.default_rng(0)
    dependence = np.triu(rng.random((40, 40)), 1)
    information = some_information(rng.random(40), dependence + dependence.T)
    learned(greedy, (information, [(i, i + 1) for i in range(10)], []))
    assert searches == 1 + 1 + 10 + 1  # the tree; for the prices it again, each lifted, and none
