"""What a model says about an element of its picture, held against its own answers."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.models import MODELS
from pgm_nb.views.graph.drawing import Element, elements

JOINT = [kind for kind in MODELS if kind.about.is_joint]
HIDDEN = [pnb.HiddenNaiveBayes, pnb.PackagedHiddenNaiveBayes]


def fitted(kind, sample):
    return kind().fit(*pnb.load_sample(sample))


def bold(name):
    return f"**{name}**"


def attribute(model, name):
    return model.describe(Element("attribute", (name,)), mark=bold)


def shares(table):
    return np.array(table.shades)


@pytest.mark.parametrize("kind", MODELS)
def test_every_element_of_every_picture_is_described(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    for view in model.structure_.views:
        for element in elements(model.structure_.drawing(view)).values():
            found = model.describe(element, mark=bold)
            assert found.title
            assert found.sentences
            assert all(said.endswith(".") for said in found.sentences)
    assert list(model.views_)[: len(model.structure_.views)] == list(model.structure_.views)
    for name, view in model.views_.items():
        if view.chart:
            assert model.chart_svg(name, X=X, y=y).startswith("<svg")
    labels = [headline.label for headline in model.headlines()]
    assert "KL divergence" in labels
    assert len(set(labels)) == len(labels)


def test_the_factors_of_a_row_are_described():
    X, y = pnb.load_sample("iris")
    model = pnb.KernelSemiNaiveBayes().fit(X, y)
    row = X.iloc[[0]]
    graph = model.structure_for(row)
    found = [model.describe(e, graph=graph, row=row) for e in elements(graph.drawing()).values()]
    assert any("times as often as by chance" in " ".join(d.sentences) for d in found)
    assert all(shares(d.tables[0]).sum() == pytest.approx(1.0) for d in found)


def test_a_direction_of_a_cluster_is_described():
    model = fitted(pnb.LocalPCAMixture, "iris")
    name = model.structure_.names[0]
    assert model.describe(Element("cluster", ("class", name))).title == name
    found = model.describe(Element("link", (name, f"{name} PC1")))
    assert found.tables[0].columns == ("loading",)


@pytest.mark.parametrize("kind", JOINT)
def test_tables_are_what_the_model_answers(kind):
    model = fitted(kind, "iris")
    for name in model.structure_.attributes:
        found = attribute(model, name)
        for place, label in enumerate(model.classes_):
            told = model.query([name], given={"class": label}).iloc[:, -1]
            np.testing.assert_allclose(shares(found.tables[0])[:, place], told, atol=1e-12)
        mother = model.structure_.mothers.get(name)
        assert len(found.more) == (0 if mother is None else len(model.classes_))
        for table, label in zip(found.more, model.classes_, strict=False):
            for row, state in zip(shares(table), table.rows, strict=True):
                told = model.query([name], given={"class": label, mother: state}).iloc[:, -1]
                np.testing.assert_allclose(row, told, atol=1e-12)


def test_many_classes_go_down_the_table():
    model = fitted(pnb.NaiveBayes, "zoo")
    [table] = attribute(model, "hair").tables
    assert table.rows == tuple(map(str, model.classes_))
    np.testing.assert_allclose(shares(table).sum(axis=1), 1.0)


@pytest.mark.parametrize("kind", JOINT)
def test_what_the_attributes_add_is_the_whole_weight(kind):
    model = fitted(kind, "zoo")
    added = [attribute(model, name).numbers[0].value for name in model.structure_.attributes]
    total = sum(float(value.removesuffix(" bits")) for value in added)
    assert total == pytest.approx(model.divergence_.weight, abs=0.0005 * len(added))


def test_a_separator_names_its_children_and_its_multiplicity():
    model = fitted(pnb.GeneralizedNaiveBayes, "wdbc")
    tree = model.structure_
    for (target, mother), shared in tree.separator_multiplicity().items():
        found = model.describe(Element("separator", (target, mother)), mark=bold)
        assert found.numbers[0].value == str(shared)
        assert all(
            f"**{child}**" in found.sentences[1] for child, above in tree.mothers.items() if above == mother
        )


def test_why_names_what_came_close():
    model = fitted(pnb.GeneralizedNaiveBayes, "wdbc")
    step = model.trace_.steps[4]
    says = " ".join(attribute(model, step.attribute).sentences)
    assert f"It joined in step 5 of 29 as a child of **{step.mother}**" in says
    assert all(f"**{other.attribute}**" in says for other in step.runners_up[:3])


@pytest.mark.parametrize("kind", HIDDEN)
def test_shares_of_a_bag_sum_to_one(kind):
    model = fitted(kind, "wdbc")
    for name in model.structure_.weights:
        bag, table = attribute(model, name).tables
        assert shares(bag).sum() == pytest.approx(1.0)
        np.testing.assert_allclose(shares(table).sum(axis=0), 1.0)


def test_measured_and_other_columns_of_a_gaussian_star():
    model = fitted(pnb.GaussianNaiveBayes, "heart")
    structure = model.structure_
    for name in structure.attributes:
        [table] = attribute(model, name).tables
        if name in structure.gaussians:
            assert table.cells[0][0] == f"{structure.gaussians[name][0][0]:.4g}"
        else:
            np.testing.assert_allclose(shares(table).sum(axis=0), 1.0)


@pytest.mark.parametrize("kind", MODELS)
def test_the_class_has_shares_that_sum_to_one(kind):
    model = fitted(kind, "iris")
    [table] = model.describe(Element("class", ("class",))).tables
    assert shares(table).sum() == pytest.approx(1.0)
