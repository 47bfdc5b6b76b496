"""Other programs read our files and give our posteriors, whatever the names."""

import re
import warnings

import numpy as np
import pyagrum as gum
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.engine.exchange import (
    FORMATS,
    NameMap,
    network_files,
    read_names,
    read_structure,
    safe_names,
    write,
)
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import DataError
from pgm_nb.graphs import Tree
from pgm_nb.tables.factors import Factors

HOSTILE = [
    '"',
    "'",
    "a}\nvariable b {",
    "/* // */",
    "-->",
    "a--b---",
    "%",
    "\\",
    "\\u0041",
    "",
    " ",
    "♥",
    "日本語",
    "Größe",
    "GROSSE",
    "(14.8, 28.1]",
    "(14_8, 28_1]",
    "mean radius",
    "mean_radius",
    "Mean_Radius",
    "mean_radius_2",
    "states = ( a ); data = (1)",
    "lymph node size",
    "potential ( x | y )",
    "<NAME>",
    "&amp;",
    "1e-5",
    "probability",
    "network",
    "Variable",
    "node",
    "class",
    "table",
    "pgm_nb names {}",
]


def some_evidence(variables):
    """Return the last state of every third attribute, and what to ask: the class and every third after."""
    names = [v.name for v in variables.attributes]
    given = {name: variables[name].labels[-1] for name in names[::3]}
    return given, [variables.target.name, *names[1::3]]


def check(tree, names, ask, tolerance=1e-9):
    """Ask us and the other program the same, under real and under safe names."""
    given, asked = some_evidence(tree.variables)
    safe = {names.safe(name): names.safe_state(name, state) for name, state in given.items()}
    observed = tree.observe(given)
    theirs = ask(safe, [names.safe(name) for name in asked])
    for name, posterior in zip(asked, theirs, strict=True):
        states = [names.states[names.safe(name)][state] for state in posterior]
        assert states == list(tree.variables[name].labels)
        np.testing.assert_allclose(list(posterior.values()), observed.joint((name,)), rtol=0, atol=tolerance)


def asking_pyagrum(path, names):
    """Return a way to ask pyAgrum; UAI numbers the variables and their states.

    pyAgrum 3.3 takes the tables of XDSL and UAI with the first parent fastest, where GeNIe and the UAI
    format have the last: it is given the same file with the two parents named in the other order.
    """
    if path.suffix in (".xdsl", ".uai"):
        turned = re.sub(r"(<parents>)(\w+) (\w+)", r"\1\3 \2", path.read_text())
        turned = re.sub(r"(?m)^3 (\d+) (\d+) (\d+)$", r"3 \2 \1 \3", turned)
        path = path.with_name(f"turned{path.suffix}")
        path.write_text(turned)
    network = gum.loadBN(str(path))
    order = list(names.variables)

    def number(name, state):
        return list(names.states[name]).index(state)

    def ask(given, asked):
        engine = gum.LazyPropagation(network)
        numbered = path.suffix == ".uai"
        place = {name: order.index(name) if numbered else name for name in order}
        engine.setEvidence({place[n]: number(n, s) if numbered else s for n, s in given.items()})
        engine.makeInference()
        posteriors = [engine.posterior(place[name]) for name in asked]
        labels = [
            names.states[n] if numbered else p.variable(0).labels()
            for n, p in zip(asked, posteriors, strict=True)
        ]
        return [
            dict(zip(label, p.tolist(), strict=True)) for label, p in zip(labels, posteriors, strict=True)
        ]

    return ask


def pyagrum_tolerance(format, names):
    """pyAgrum reads the numbers of BIF, NET and UAI in single precision (its own files too).

    Each of the tables multiplied is then off by a factor of at most 1 + 2**-24, the sum that normalises
    likewise.
    """
    return 1e-9 if format in ("bifxml", "xdsl") else 2 * len(names.variables) * 2.0**-24


def asking_pgmpy(path, names=None):
    """Return a way to ask pgmpy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pgmpy warns of its own deprecated modules
        from pgmpy import readwrite
        from pgmpy.inference import VariableElimination

    kind = {".bif": "BIF", ".xmlbif": "XMLBIF", ".xdsl": "XDSL", ".net": "NET", ".uai": "UAI"}[path.suffix]
    network = getattr(readwrite, f"{kind}Reader")(str(path)).get_model()
    assert network.check_model()

    def ask(given, asked):
        engine = VariableElimination(network)
        factors = [engine.query([name], evidence=given, show_progress=False) for name in asked]
        return [
            dict(zip(f.state_names[name], f.values / f.values.sum(), strict=True))
            for name, f in zip(asked, factors, strict=True)
        ]

    return ask


@pytest.mark.parametrize("format", ["bif", "bifxml", "xdsl", "net", "uai"])
def test_pyagrum_gives_our_posteriors(model, format, tmp_path, written):
    path = written(model, format, tmp_path)
    names = read_names(path)
    check(model.junction_tree(), names, asking_pyagrum(path, names), pyagrum_tolerance(format, names))


@pytest.mark.parametrize("format", ["bif", "xmlbif", "xdsl", "net"])
def test_pgmpy_gives_our_posteriors(model, format, tmp_path, written):
    path = written(model, format, tmp_path)
    check(model.junction_tree(), read_names(path), asking_pgmpy(path))


@pytest.mark.parametrize("format", ["bif", "xdsl", "uai"])
def test_thirty_measurements_in_pyagrum(wdbc, format, tmp_path, written):
    path = written(wdbc, format, tmp_path)
    names = read_names(path)
    check(wdbc.junction_tree(), names, asking_pyagrum(path, names), pyagrum_tolerance(format, names))


def test_thirty_measurements_in_pgmpy(wdbc, tmp_path, written):
    path = written(wdbc, "bif", tmp_path)
    check(wdbc.junction_tree(), read_names(path), asking_pgmpy(path))


def test_uai_in_pgmpy(tmp_path, written):
    """pgmpy takes UAI's tables of a Bayesian network in another order than the format says (child slowest);
    read as a Markov network, the product of the same tables, they are taken as written."""
    model = pnb.TreeAugmentedNaiveBayes(n_bins=3).fit(*pnb.load_sample("iris"))
    path = written(model, "uai", tmp_path)
    names = read_names(path)
    path.write_text(path.read_text().replace("BAYES", "MARKOV", 1))
    ask = asking_pgmpy(path)
    place = {name: f"var_{number}" for number, name in enumerate(names.variables)}

    def ask_by_number(given, asked):
        numbered = {place[name]: list(names.states[name]).index(state) for name, state in given.items()}
        found = ask(numbered, [place[name] for name in asked])
        return [
            dict(zip(names.states[name], p.values(), strict=True))
            for name, p in zip(asked, found, strict=True)
        ]

    check(model.junction_tree(), names, ask_by_number)


def hostile_model():
    """Return a tree whose names, states and class are all hostile, with tables drawn at random."""
    rng = np.random.default_rng(5)
    target = Variable("class", ("a b", "a_b", "A-B"))
    attributes = tuple(
        Variable(name, tuple(HOSTILE[i : i + 2])) for i, name in enumerate(HOSTILE[:-2]) if name != "class"
    )
    d = len(attributes)
    mothers = (-1, *(int(rng.integers(i)) for i in range(1, d)))
    tables = [rng.dirichlet(np.ones(2), size=3 if m < 0 else (3, 2)) for m in mothers]
    factors = Factors(np.log([0.2, 0.3, 0.5]), tuple(range(d)), mothers, tuple(np.log(t) for t in tables))
    names = [v.name for v in attributes]
    structure = Tree("class", tuple(names), {names[i]: names[m] for i, m in enumerate(mothers) if m >= 0})
    clusters = tuple(("class", structure.mothers[name], name) for name in names[1:])
    return JunctionTree(Variables(target, attributes), (factors), clusters), structure


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_reach_both_programs(format, tmp_path):
    tree, structure = hostile_model()
    for name, content in network_files(tree, structure, format, stem="hostile").items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / f"hostile.{format}"
    names = read_names(path)
    assert set(names.variables.values()) == set(structure.nodes)
    if format != "xmlbif":
        check(tree, names, asking_pyagrum(path, names), pyagrum_tolerance(format, names))
    if format not in ("uai", "bifxml"):
        check(tree, names, asking_pgmpy(path))
    if format not in ("uai", "xdsl", "net"):
        assert read_structure(path) == structure


def test_numbers_are_written_in_full(wdbc):
    text = network_files(wdbc.junction_tree(), wdbc.structure_, "uai")["network.uai"].decode()
    numbers = np.array(text.split()[-wdbc.factors_.tables[-1].size :], dtype=float)
    total = numbers.reshape(-1, wdbc.factors_.tables[-1].shape[-1]).sum(axis=1)
    np.testing.assert_allclose(total, 1, rtol=0, atol=1e-15)
    assert "e" not in text


# names ------------------------------------------------------------------------------------------------------

names_and_states = st.dictionaries(
    st.text() | st.sampled_from(HOSTILE),
    st.lists(st.text() | st.sampled_from(HOSTILE), unique=True),
    max_size=12,
)


@given(names_and_states)
def test_safe_names_are_safe_distinct_and_reversible(variables):
    names = safe_names(variables)
    assert list(names.variables.values()) == list(variables)
    for safe, name in names.variables.items():
        assert list(names.states[safe].values()) == variables[name]
        assert names.safe(name) == safe
        assert all(names.safe_state(name, state) in names.states[safe] for state in variables[name])
    for words in (names.variables, *names.states.values()):
        assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", word, re.ASCII) for word in words)
        assert len({word.lower() for word in words}) == len(words)
        assert not {"network", "variable", "probability", "node", "class"} & {word.lower() for word in words}
    assert NameMap.from_json(names.to_json()) == names


def test_safe_names_stay_as_they_are():
    assert safe_names({"age": ("Old_1", "young")}).to_dict() == {
        "age": {"name": "age", "states": {"Old_1": "Old_1", "young": "young"}}
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"a": 1}',
        '{"a": {"name": "b"}}',
        '{"a": {"name": 1, "states": {}}}',
        '{"a": {"name": "b", "states": {}}, "c": 1}',
    ],
)
def test_a_map_that_is_none_is_refused(text):
    with pytest.raises(DataError, match="a map of names"):
        NameMap.from_json(text)


def test_an_unknown_name_is_refused_with_the_nearest():
    names = safe_names({"age": ("old", "young")})
    with pytest.raises(DataError, match=r"no 'agee' here \(there are age\); did you mean 'age'"):
        names.safe("agee")
    with pytest.raises(DataError, match="no 'new' here"):
        names.safe_state("age", "new")


def test_no_names_in_the_file(tmp_path):
    path = tmp_path / "plain.bif"
    path.write_text("variable a { }")
    with pytest.raises(DataError, match=r"plain.bif contains no original names"):
        read_names(path)


def test_a_damaged_note_is_refused(model, tmp_path, written):
    path = written(model, "bif", tmp_path)
    path.write_text(path.read_text().replace('"structure"', '"strucure"', 1))
    with pytest.raises(DataError, match=r"written.bif: the note with the real names is damaged"):
        read_structure(path)
    (tmp_path / "written.names.json").write_bytes(b"\xff")
    with pytest.raises(DataError, match="the note with the real names is damaged"):
        read_names(written(model, "uai", tmp_path).with_suffix(".bif"))


def test_unknown_format(model):
    with pytest.raises(DataError, match="one of bif, xmlbif, bifxml, xdsl, net, uai, but is 'dsl'"):
        network_files(model.junction_tree(), model.structure_, "dsl")


def test_a_network_too_large_for_a_file_is_refused_before_it_is_written(tmp_path, monkeypatch):
    model = pnb.TreeAugmentedNaiveBayes(n_bins=5).fit(*pnb.load_sample("iris"))
    monkeypatch.setattr(write, "MOST_NUMBERS", 100)
    with pytest.raises(DataError, match=r"240 probabilities, and a file may hold 100.*Merge rare states"):
        model.export(tmp_path / "m.bif")
    assert not list(tmp_path.iterdir())


# what a file says is what the model says, or the file says that it does not ---------------------------------


def exporting_models():
    """Yield every kind of model that is a network, with every kind of parameters, for words and numbers."""
    for name in ("car", "heart"):
        X, y = pnb.load_sample(name)
        X, y = X.iloc[::5, :6], y.iloc[::5]
        for kind in pnb.MODELS:
            if kind.about.is_network:
                known = "parameters" in kind().get_params()
                for options in ({"parameters": "class"}, {"parameters": "generative"}) if known else ({},):
                    yield kind(**options).fit(X, y), X


def test_a_file_says_what_the_model_says_or_that_it_does_not(tmp_path):
    told = {True: 0, False: 0}
    for model, X in exporting_models():
        rows = X.drop_duplicates().sample(4, random_state=0)
        for format in FORMATS:
            model.export(tmp_path / f"m.{format}")
            path, about = tmp_path / f"m.{format}", model.about_network(format)
            names, text = read_names(path), path.read_text()
            counted = bool(about) and format != "uai"
            if format == "uai":
                assert text.startswith("MARKOV" if about else "BAYES")
                assert about in (tmp_path / "m.names.json").read_text()
            else:
                assert about in text
                assert ("tables as counted" in text) is counted
            by_pyagrum = format in ("bif", "net", "bifxml")
            reader = asking_pyagrum if by_pyagrum else asking_uai if format == "uai" else asking_pgmpy
            ask = reader(path, names)
            target, found = next(iter(names.variables)), []
            for states in states_of(model, rows):
                safe = {names.safe(name): names.safe_state(name, state) for name, state in states.items()}
                found.append(list(ask(safe, [target])[0].values()))
            apart = np.abs(np.array(found) - model.predict_proba(rows)).max()
            exact = pyagrum_tolerance(format, names) if by_pyagrum else 1e-9
            assert (apart > exact) == counted, (model, format, apart)
            told[counted] += 1
    assert min(told.values()) > 10


def states_of(model, rows):
    """Yield the states of every row by name."""
    attributes = model.asked_variables().attributes
    for row in rows.to_dict("records"):
        yield {v.name: v.labels[v.state(row[v.name])] for v in attributes}


def asking_uai(path, names):
    """Return a way to ask a UAI file about a complete case, read as the format says: a product of tables."""
    words = iter(path.read_text().split()[1:])
    cards = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [
        np.array([float(next(words)) for _ in range(int(next(words)))]).reshape([cards[v] for v in scope])
        for scope in scopes
    ]
    order = list(names.variables)

    def ask(given, asked):
        place = {order.index(name): list(names.states[name]).index(state) for name, state in given.items()}
        (free,) = {*range(len(cards))} - {*place}
        assert asked == [order[free]]
        score = np.ones(cards[free])
        for scope, table in zip(scopes, tables, strict=True):
            score = score * table[tuple(place.get(v, slice(None)) for v in scope)]
        return [dict(zip(names.states[order[free]], score / score.sum(), strict=True))]

    return ask


def test_the_default_of_pgmpy_has_what_the_model_says():
    from pgmpy.inference import VariableElimination

    for model, X in exporting_models():
        engine, target = VariableElimination(model.to_pgmpy()), model.structure_.target
        rows = X.drop_duplicates().sample(4, random_state=0)
        for states, expected in zip(states_of(model, rows), model.predict_proba(rows), strict=True):
            found = engine.query([target], states, show_progress=False).values
            np.testing.assert_allclose(found / found.sum(), expected, rtol=0, atol=1e-9)


def test_pgmpy_reads_the_markov_network_of_a_trained_model(tmp_path):
    X, y = pnb.load_sample("car")
    model = pnb.NaiveBayes(parameters="class").fit(X, y)
    model.export(tmp_path / "m.uai")
    ask, names = asking_pgmpy(tmp_path / "m.uai"), read_names(tmp_path / "m.uai")
    rows = X.iloc[::400]
    for row, expected in zip(rows.to_dict("records"), model.predict_proba(rows), strict=True):
        given = {}
        for place, (safe, name) in enumerate(names.variables.items()):
            if name in row:
                given[f"var_{place}"] = list(names.states[safe].values()).index(str(row[name]))
        (found,) = ask(given, ["var_0"])
        np.testing.assert_allclose(list(found.values()), expected, rtol=0, atol=1e-9)
