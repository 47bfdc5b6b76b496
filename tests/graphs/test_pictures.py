"""Every view of every graph: parsed DOT, well-formed SVG with every name, hostile names, steps."""

import struct
from html import unescape
from xml.etree import ElementTree

import pygraphviz
import pytest

from pgm_nb.arrays import MOST_BITS
from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Star, Tree
from pgm_nb.graphs.pictures import growing
from pgm_nb.graphs.star import SelectiveStar, WeightedStar
from pgm_nb.views.style import visible
from pgm_nb.words import Scale

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    'say "hi"',
    "back\\slash",
    "ends in \\",
    '\\"',
    "\\N \\G \\n",
    "two\nlines",
    "<b>bold</b>",
    "<>",
    "&amp; &lt;",
    "a:b",
    "a:b:c",
    "node",
    "graph",
    "->",
    "n1",
    "",
    " ",
    "  two  spaces  ",
    "vérnyomás 血圧 🫀",
    "\x00\x1b\x7f",
    "\ud800",
    "]; evil [label=x",
    "--> ]]> <!--",
    "%s {0} $x",
    "#aabbcc",
    "-12",
)
CLASS = 'class "<y>" \\L'


def graphs(names, target="y"):
    mothers = {name: names[place // 2] for place, name in enumerate(names[1:])}
    relevance = {name: 0.1 * place for place, name in enumerate(names)}
    dependence = {name: 0.05 * place for place, name in enumerate(names[1:])}
    return (
        Star(target, names, relevance),
        Tree(target, names, mothers, relevance, dependence),
        CherryTree(target, names, mothers, relevance, dependence),
        Star(target, names),
        CherryTree(target, names, mothers),
    )


def views(names, target="y"):
    return [(graph, view) for graph in graphs(names, target) for view in graph.views]


def titles(svg):
    """Return what the pointer shows; Graphviz writes the second of two spaces as one that does not break."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}title")
    return [(title.text or "").replace("\xa0", " ") for title in found]


@pytest.mark.parametrize(("graph", "view"), views(HOSTILE, CLASS))
def test_hostile_names_come_through(graph, view, capfd):
    parsed = pygraphviz.AGraph(string=graph.to_dot(view))
    clusters = 2 * len(HOSTILE) - 3 if view == "junction" else len(HOSTILE) - 1
    if view == "compact":
        clusters += len(graph.separator_multiplicity())
    assert parsed.number_of_nodes() == (clusters if view in {"junction", "compact"} else len(HOSTILE) + 1)
    svg = graph.draw(view).decode()
    spoken = "\n".join(titles(svg))
    for name in (*HOSTILE, CLASS):
        assert visible(name) in spoken
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_one_label_when_parsed(name):
    parsed = pygraphviz.AGraph(string=Star("y", (name, "b")).to_dot())
    assert parsed.nodes() == ["n0", "n1", "n2"]
    assert parsed.edges() == [("n0", "n1"), ("n0", "n2")]
    label = parsed.get_node("n1").attr["label"].replace("\\\\", "\\")
    assert unescape(label) == (visible(name) or " ")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_drawn_letter_by_letter(name):
    root = ElementTree.fromstring(Star("y", (name,)).draw())
    group = next(g for g in root.iter(f"{SVG}g") if g.get("class") == "node attribute")
    drawn = "".join(text.text or "" for text in group.iter(f"{SVG}text")).replace("\xa0", " ")
    assert drawn == (visible(name) or " ")


@pytest.mark.parametrize("size", [1, 2, 3, 13, 64])
def test_every_view_of_every_size_is_drawn(size, capfd):
    names = tuple(f"standard error of value {place}" for place in range(size))
    for graph, view in views(names):
        assert graph.to_dot(view) == graph.to_dot(view)
        spoken = "\n".join(titles(graph.draw(view).decode()))
        assert all(name in spoken for name in (*names, "y"))
    assert capfd.readouterr() == ("", "")


def test_the_same_graph_gives_the_same_text_whatever_the_order_of_its_mappings():
    one = Tree("y", ("a", "b", "c"), {"b": "a", "c": "a"}, {"a": 1, "b": 2, "c": 3}, {"b": 1, "c": 2})
    other = Tree("y", ("a", "b", "c"), {"c": "a", "b": "a"}, {"c": 3, "b": 2, "a": 1}, {"c": 2, "b": 1})
    assert one.to_dot() == other.to_dot()
    assert one.draw() == other.draw()


def test_tree_arcs_have_number_and_width_of_the_conditional_mutual_information():
    tree = Tree("y", ("a", "b", "c"), {"b": "a", "c": "b"}, None, {"b": 0.414, "c": 0.207})
    parsed = pygraphviz.AGraph(string=tree.to_dot())
    arcs = [parsed.get_edge("n1", "n2"), parsed.get_edge("n2", "n3")]
    assert [arc.attr["label"].strip() for arc in arcs] == ["0.41", "0.21"]
    assert [float(arc.attr["penwidth"]) for arc in arcs] == [5.0, 2.9]  # 0.8 + 4.2 * share of the largest


def test_class_arcs_are_drawn_for_few_attributes_and_said_for_many():
    few, many = (graphs(tuple(f"x{place}" for place in range(size)))[1] for size in (5, 6))
    assert few.draw().decode().count('class="edge class"') == 5
    picture = many.draw().decode()
    assert picture.count('class="edge class"') == 0
    assert "→ all attributes" in picture


def test_views_show_clusters_and_separators():
    cherry = CherryTree("y", tuple("abcd"), {"b": "a", "c": "a", "d": "a"})
    junction = pygraphviz.AGraph(string=cherry.to_dot("junction"))
    assert sorted(junction.nodes()) == ["c1", "c2", "c3", "s2", "s3"]
    assert junction.get_node("c3").attr["label"] == "y\\na\\nd"
    assert junction.get_node("s3").attr["label"] == "y\\na"
    compact = pygraphviz.AGraph(string=cherry.to_dot("compact"))
    assert sorted(compact.nodes()) == ["c1", "c2", "c3", "s2"]
    assert compact.get_node("s2").attr["label"] == "y\\na\\nin 3 clusters"
    chordal = pygraphviz.AGraph(string=cherry.to_dot("chordal"))
    assert chordal.is_undirected()
    assert chordal.number_of_edges() == 7


def test_elements_carry_the_step_at_which_they_appear():
    cherry = CherryTree("y", tuple("abcd"), {"b": "a", "c": "a", "d": "c"})
    tree = pygraphviz.AGraph(string=cherry.to_dot("tree"))
    assert [tree.get_node(f"n{place}").attr["class"] for place in range(5)] == [
        "class",
        "attribute s1",
        "attribute s1",
        "attribute s2",
        "attribute s3",
    ]
    assert tree.get_edge("n3", "n4").attr["class"] == "tree s3"
    assert 'class="node cluster s3"' in cherry.draw("junction").decode()


def test_a_darker_attribute_tells_more_about_the_class():
    star = Star("y", ("a", "b", "c"), {"a": 0.0, "b": 0.5, "c": 1.0})
    parsed = pygraphviz.AGraph(string=star.to_dot())
    fills = [parsed.get_node(f"n{place}").attr["fillcolor"] for place in (1, 2, 3)]
    lightness = [sum(bytes.fromhex(fill[1:])) for fill in fills]
    assert lightness[0] > lightness[1] > lightness[2]


@pytest.mark.parametrize("weight", [5e-324, MOST_BITS])
def test_no_possible_weight_is_beyond_drawing(weight):
    star = WeightedStar("y", ("a", "b"), weights={"a": weight, "b": 1.0})
    assert "inf" not in star.to_dot()
    assert b"<svg" in star.draw()


@pytest.mark.parametrize(("graph", "view"), views(tuple(f"measured quantity no. {n}" for n in range(30))))
def test_pictures_are_pages_not_strips(graph, view):
    width, height = struct.unpack(">II", graph.draw(view, format="png", dpi=36)[16:24])
    assert 1 / 2.5 <= width / height <= 2.5


def test_unknown_view_gets_a_sentence():
    with pytest.raises(StructureError, match="'tree', 'chordal', 'junction', 'compact', but 'pie'"):
        CherryTree("y", ("a",), {}).draw("pie")


def test_notebooks_show_the_default_view():
    star = Star("y", ("a",))
    assert star._repr_svg_() == star.draw("star", theme="auto").decode()


def test_an_arc_comes_with_the_attribute_it_leads_to():
    drawing = growing(Tree("y", ("a", "b", "c"), {"b": "a", "c": "b"}), "tree", {"a": 1, "b": 2, "c": 3})
    assert {node.lines[0]: node.step for node in drawing.nodes} == {"y": None, "a": 1, "b": 2, "c": 3}
    assert {(arc.source, arc.target): arc.step for arc in drawing.arcs if arc.kind == "tree"} == {
        ("n1", "n2"): 2,
        ("n2", "n3"): 3,
    }


def test_a_selective_star_in_shares_writes_no_bits():
    star = SelectiveStar("y", ("a", "b"), {"a": 0.2, "b": 0.1}, ("b",)).in_shares(
        Scale(of_class=0.8, whole=8.0)
    )
    assert [node.number for node in star.drawing().nodes] == ["", "25%"]
    assert "bits" not in star.to_dot() + str(star.headlines())
