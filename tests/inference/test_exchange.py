"""Exchange: other programs read our files and give our posteriors; structures come back equal."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import CherryTree, Star, Tree
from pgm_nb.inference import Factors, Forest, JunctionTree, Variable, Variables
from pgm_nb.inference.exchange import (
    FORMATS,
    NameMap,
    network_files,
    read_names,
    read_structure,
    safe_names,
)

with warnings.catch_warnings():  # its binding warns while it loads, and crashes where that is an error
    warnings.simplefilter("ignore", DeprecationWarning)
    import pyagrum as gum

KINDS = {
    "nb": pnb.NaiveBayes(),
    "tan": pnb.TreeAugmentedNaiveBayes(),
    "gnb": pnb.GeneralizedNaiveBayes(),
    "short": pnb.GeneralizedNaiveBayes(search="exact", max_clusters=3, smoothing=None),
}
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


def learned(kind, sample):
    return clone(KINDS[kind]).fit(*pnb.load_sample(sample))


@pytest.fixture(scope="module", params=["iris", "heart"])
def sample(request):
    return request.param


@pytest.fixture(scope="module", params=KINDS)
def model(request, sample):
    return learned(request.param, sample)


@pytest.fixture(scope="module")
def wdbc():
    return pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("wdbc"))


def written(model, format, folder):
    """Write a model's network, and return the path of the network itself."""
    files = network_files(model.junction_tree(), model.structure_, format, stem="written")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / f"written.{format}"


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


def asking_pgmpy(path):
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
def test_pyagrum_gives_our_posteriors(model, format, tmp_path):
    path = written(model, format, tmp_path)
    names = read_names(path)
    check(model.junction_tree(), names, asking_pyagrum(path, names), pyagrum_tolerance(format, names))


@pytest.mark.parametrize("format", ["bif", "xmlbif", "xdsl", "net"])
def test_pgmpy_gives_our_posteriors(model, format, tmp_path):
    path = written(model, format, tmp_path)
    check(model.junction_tree(), read_names(path), asking_pgmpy(path))


@pytest.mark.parametrize("format", ["bif", "xdsl", "uai"])
def test_thirty_measurements_in_pyagrum(wdbc, format, tmp_path):
    path = written(wdbc, format, tmp_path)
    names = read_names(path)
    check(wdbc.junction_tree(), names, asking_pyagrum(path, names), pyagrum_tolerance(format, names))


def test_thirty_measurements_in_pgmpy(wdbc, tmp_path):
    path = written(wdbc, "bif", tmp_path)
    check(wdbc.junction_tree(), read_names(path), asking_pgmpy(path))


def test_uai_in_pgmpy(tmp_path):
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
    return JunctionTree(Variables(target, attributes), Forest.of(factors), clusters), structure


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
    "text", ["", "[]", '{"a": 1}', '{"a": {"name": "b"}}', '{"a": {"name": 1, "states": {}}}']
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
    with pytest.raises(DataError, match=r"plain.bif holds no names of ours"):
        read_names(path)


def test_a_damaged_note_is_refused(model, tmp_path):
    path = written(model, "bif", tmp_path)
    path.write_text(path.read_text().replace('"structure"', '"strucure"', 1))
    with pytest.raises(DataError, match=r"written.bif: the note with the real names is damaged"):
        read_structure(path)
    (tmp_path / "written.names.json").write_bytes(b"\xff")
    with pytest.raises(DataError, match="the note with the real names is damaged"):
        read_names(written(model, "uai", tmp_path).with_suffix(".bif"))


# structures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["json", "graphml", "bif", "xmlbif", "bifxml"])
def test_structures_come_back_equal(model, format, tmp_path):
    if format in ("json", "graphml"):
        path = tmp_path / f"structure.{format}"
        path.write_bytes(model.structure_.export(format))
    else:
        path = written(model, format, tmp_path)
    assert read_structure(path) == model.structure_
    assert read_structure(str(path)) == model.structure_


@pytest.mark.parametrize(
    "structure",
    [
        Star("y", ("a",)),
        Tree("y", ("a",), {}),
        CherryTree("y", ("a",), {}),
        Tree("y", ("b", "a", "c"), {"b": "a", "c": "b"}),
        CherryTree("y", ("b", "c", "a"), {"c": "b", "a": "b"}, relevance={"a": 1, "b": 0.1, "c": 1e-30}),
    ],
    ids=str,
)
def test_small_graphml_comes_back_equal(structure, tmp_path):
    path = tmp_path / "structure.graphml"
    path.write_text(structure.to_graphml())
    assert read_structure(path) == structure


def test_the_map_beside_the_file_is_used(tmp_path):
    model = learned("gnb", "iris")
    path = written(model, "bif", tmp_path)
    beside = network_files(model.junction_tree(), model.structure_, "uai", "written")["written.names.json"]
    (tmp_path / "written.names.json").write_bytes(beside)
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")  # another program drops the comment
    assert read_structure(path) == model.structure_


def test_an_edited_network_counts_as_drawn(tmp_path):
    model = learned("gnb", "iris")
    path = written(model, "bif", tmp_path)
    text = path.read_text()
    old = re.search(r"sepal_width \| class_, (\w+)", text)
    new = "sepal_length" if old[1] != "sepal_length" else "petal_width"
    path.write_text(text.replace(old[0], f"sepal_width | class_, {new}"))
    read = read_structure(path)
    assert isinstance(read, CherryTree)
    assert read.mothers == {**model.structure_.mothers, "sepal width": new.replace("_", " ")}
    path.write_text(re.sub(r"\| class_, \w+", "| class_", text))
    assert isinstance(read_structure(path), Star)


EXPERT = """
/* drawn by "hand" { */ network "my {net}" { property "variable x { }"; }
variable y { type discrete [ 2 ] { a, b }; }
variable "blood pressure" { type discrete[2] {a b}; }
variable pulse{type discrete[2]{a,b};} // the pulse }
variable heart rate { type discrete [ 2 ] { a, b }; }
probability ( "blood pressure" y ) { table 0.1 0.2 0.3 0.4; }
probability ( pulse | y , "blood pressure" ) { }
probability ( heart rate | pulse, y ) { }
probability ( y ) { }
"""


def test_a_bif_drawn_by_hand(tmp_path):
    path = tmp_path / "expert.bif"
    path.write_text(EXPERT)
    mothers = {"pulse": "blood pressure", "heart rate": "pulse"}
    assert read_structure(path) == Tree("y", ("blood pressure", "pulse", "heart rate"), mothers)


def test_networks_of_other_programs(tmp_path):
    network = gum.fastBN("y->a;y->b;y->c;a->b;a->c")
    for ending in ("bif", "bifxml"):
        gum.saveBN(network, str(tmp_path / f"theirs.{ending}"))
        read = read_structure(tmp_path / f"theirs.{ending}")
        assert (type(read), read.target, read.mothers) == (Tree, "y", {"b": "a", "c": "a"})


def graphml(nodes, edges, directed="directed", keys=""):
    body = "".join(f'<node id="{node}">{data}</node>' for node, data in nodes.items())
    body += "".join(f'<edge source="{a}" target="{b}"/>' for a, b in edges)
    return (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'{keys}<graph edgedefault="{directed}">{body}</graph></graphml>'
    )


LABEL = '<key id="d0" for="node" attr.name="label" attr.type="string"/>'
KIND = '<key id="d1" for="node" attr.name="kind" attr.type="string"/>'


def test_plain_graphml(tmp_path):
    path = tmp_path / "expert.graphml"
    path.write_text(graphml({"a": "", "b": "", "y": ""}, [("y", "a"), ("y", "b"), ("b", "a")]))
    assert read_structure(path) == Tree("y", ("a", "b"), {"a": "b"})
    # attribute arcs alone, the class marked, nodes called by their labels
    nodes = {
        "n0": '<data key="d0">mean radius</data>',
        "n1": '<data key="d0">area</data>',
        "n2": '<data key="d0">class</data><data key="d1">class</data>',
    }
    path.write_text(graphml(nodes, [("n1", "n0")], keys=LABEL + KIND))
    assert read_structure(path) == Tree("class", ("mean radius", "area"), {"mean radius": "area"})


def bif(arcs):
    nodes = sorted({name for arc in arcs for name in arc})
    parents = {node: [a for a, b in arcs if b == node] for node in nodes}
    text = "".join(f"variable {node} {{ }}\n" for node in nodes)
    return text + "".join(
        f"probability ( {n} | {', '.join(above)} ) {{ }}\n" for n, above in parents.items() if above
    )


STAR = [("y", "a"), ("y", "b"), ("y", "c")]


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        (
            [("y", "a"), ("a", "b")],
            r"must be a parent of all others, but none is; '\w' comes nearest and is none of",
        ),
        ([*STAR, ("a", "c"), ("b", "c")], r"beside the class 'y' .* at most one parent, but 'c' has 2: a, b"),
        ([*STAR, ("a", "b"), ("b", "a"), ("b", "c")], "form no cycle"),
        ([*STAR, ("a", "y")], "the class 'y', .* has no parent itself, but 'a' points to it"),
        ([*STAR, ("a", "b")], "one root"),
    ],
)
def test_networks_that_are_none_of_ours(arcs, message, tmp_path):
    path = tmp_path / "drawn.bif"
    path.write_text(bif(arcs))
    with pytest.raises(StructureError, match=rf"(?s)^drawn.bif: .*{message}"):
        read_structure(path)
    path = tmp_path / "drawn.graphml"
    path.write_text(graphml(dict.fromkeys(sorted({n for arc in arcs for n in arc}), ""), arcs))
    with pytest.raises(StructureError, match=rf"(?s)^drawn.graphml: .*{message}"):
        read_structure(path)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.docx", b"", DataError, r"a.docx is of an unknown kind: .*\.json, \.graphml, \.bif"),
        ("a.json", b"{", StructureError, "a.json: .*not JSON"),
        ("a.json", b"\xff\xfe", DataError, "a.json is not UTF-8 text"),
        ("a.bif", b"\xff\xfe", DataError, "a.bif is not UTF-8 text"),
        ("a.bif", b"", StructureError, "a.bif: a class and an attribute are needed"),
        ("a.bif", b"variable a { }", StructureError, "a class and an attribute are needed"),
        ("a.bif", b"hello", DataError, "this is not BIF: its braces"),
        ("a.bif", b"variable a { ", DataError, "this is not BIF: its braces"),
        ("a.bif", b"variable a } {", DataError, "this is not BIF: its braces"),
        ("a.bif", b"digraph x { a -> b }", DataError, "'digraph x' begins no block"),
        ("a.bif", b"{ }", DataError, "begins no block"),
        ("a.bif", b"probability ( ) { }", DataError, "begins no block"),
        ("a.bif", b"variable a { } variable a { }", StructureError, "'a' is declared twice"),
        (
            "a.bif",
            b"variable a { } probability ( a | b ) { }",
            StructureError,
            "names 'b', which is not among",
        ),
        ("a.xmlbif", b"hello", DataError, "a.xmlbif: this is not XML"),
        ("a.xml", b'<?xml version="1.0" encoding="soup"?><a/>', DataError, "a.xml: this is not XML"),
        ("a.bifxml", b"<BIF/>", DataError, "a.bifxml: this is not XMLBIF: there is no NETWORK"),
        ("a.xml", b"<BIF><NETWORK><VARIABLE/></NETWORK></BIF>", DataError, "a VARIABLE has no NAME"),
        ("a.graphml", b"hello", DataError, "a.graphml: this is not XML"),
        ("a.graphml", b"<BIF/>", DataError, "a.graphml: this is not GraphML"),
        (
            "a.graphml",
            graphml({"a": "", "y": ""}, [("y", "a")], "undirected").encode(),
            StructureError,
            "no direction",
        ),
        (
            "a.graphml",
            graphml(dict.fromkeys("ay", '<data key="d0">x</data>'), [("y", "a")], keys=LABEL).encode(),
            StructureError,
            "two nodes have the same label",
        ),
    ],
)
def test_files_that_cannot_be_read(name, content, error, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        read_structure(tmp_path / name)


def test_no_such_file(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*nowhere\.bif"):
        read_structure(tmp_path / "nowhere.bif")
    (tmp_path / "folder.bif").mkdir()
    with pytest.raises(DataError, match="cannot be opened"):
        read_structure(tmp_path / "folder.bif")


def test_unknown_format(model):
    with pytest.raises(DataError, match="written as bif, xmlbif, bifxml, xdsl, net, uai, but 'dsl'"):
        network_files(model.junction_tree(), model.structure_, "dsl")
