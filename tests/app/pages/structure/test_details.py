"""What the panel says about a part of the picture, held against the model's own answers."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.app.pages.structure.details import detail
from pgm_nb.app.pages.structure.shown_graph import ShownGraph, ViewChoice
from pgm_nb.app.shell.fitting import Settings, learn
from pgm_nb.app.shell.sources import sample_source
from pgm_nb.views.graph.drawing import Element


def looked_at(sample, model, view, **settings):
    fitted = learn(sample_source(sample), Settings("class", model=model, **settings))
    return ShownGraph(fitted, ViewChoice(view), lambda: pnb.load_sample(sample))


def attribute(shown, name):
    return detail(shown, Element("attribute", (name,)))


def shares(table):
    return np.array(table.shades)


@pytest.mark.parametrize("model", ["nb", "tan", "gnb"])
def test_tables_are_what_the_model_answers(model):
    shown = looked_at("iris", model, "star" if model == "nb" else "tree")
    fitted = shown.fitted.model
    for name in fitted.structure_.attributes:
        found = attribute(shown, name)
        for place, label in enumerate(fitted.classes_):
            told = fitted.query([name], given={"class": label}).iloc[:, -1]
            np.testing.assert_allclose(shares(found.tables[0])[:, place], told, atol=1e-12)
        mother = fitted.structure_.mothers.get(name)
        assert len(found.more) == (0 if mother is None else len(fitted.classes_))
        for table, label in zip(found.more, fitted.classes_, strict=False):
            for row, state in zip(shares(table), table.rows, strict=True):
                told = fitted.query([name], given={"class": label, mother: state}).iloc[:, -1]
                np.testing.assert_allclose(row, told, atol=1e-12)


def test_many_classes_go_down_the_table():
    shown = looked_at("zoo", "nb", "star")
    [table] = attribute(shown, "hair").tables
    assert table.rows == tuple(map(str, shown.fitted.model.classes_))
    np.testing.assert_allclose(shares(table).sum(axis=1), 1.0)


@pytest.mark.parametrize("model", ["nb", "tan", "gnb"])
def test_what_the_attributes_add_is_the_whole_weight(model):
    shown = looked_at("zoo", model, "star" if model == "nb" else "tree")
    added = [attribute(shown, name).numbers[0].value for name in shown.structure.attributes]
    total = sum(float(value.removesuffix(" bits")) for value in added)
    assert total == pytest.approx(shown.fitted.model.divergence_.weight, abs=0.0005 * len(added))


def test_a_separator_names_its_children_and_its_multiplicity():
    shown = looked_at("wdbc", "gnb", "junction")
    tree = shown.fitted.model.structure_
    for (target, mother), shared in tree.separator_multiplicity().items():
        found = detail(shown, Element("separator", (target, mother)))
        assert found.numbers[0].value == str(shared)
        assert all(
            f"**{child}**" in found.says[1] for child, above in tree.mothers.items() if above == mother
        )


def test_why_names_what_came_close():
    shown = looked_at("wdbc", "gnb", "tree")
    step = shown.fitted.model.trace_.steps[4]
    says = " ".join(attribute(shown, step.attribute).says)
    assert f"It joined in step 5 of 29 on **{step.mother}**" in says
    assert all(f"**{other.attribute}**" in says for other in step.runners_up[:3])


@pytest.mark.parametrize("model", ["hnb", "phnb"])
def test_shares_of_a_bag_sum_to_one(model):
    shown = looked_at("wdbc", model, "strongest")
    for name in shown.structure.weights:
        bag, table = attribute(shown, name).tables
        assert shares(bag).sum() == pytest.approx(1.0)
        np.testing.assert_allclose(shares(table).sum(axis=0), 1.0)


def test_measured_and_other_columns_of_a_gaussian_star():
    shown = looked_at("heart", "gaussian", "star")
    structure = shown.structure
    for name in structure.attributes:
        [table] = attribute(shown, name).tables
        if name in structure.gaussians:
            assert table.cells[0][0] == f"{structure.gaussians[name][0][0]:.4g}"
        else:
            np.testing.assert_allclose(shares(table).sum(axis=0), 1.0)


@pytest.mark.parametrize("model", ["nb", "hnb", "gaussian", "local-pca", "kernel"])
def test_the_class_has_shares_that_sum_to_one(model):
    shown = looked_at("iris", model, "clusters" if model == "local-pca" else "star")
    [table] = detail(shown, Element("class", ("class",))).tables
    assert shares(table).sum() == pytest.approx(1.0)
