"""The Features page: what attributes add, how many are enough, which links are stable."""

import pytest

import pgm_nb as pnb


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.short_name)
def test_every_model(visit, finished, kind):
    app = finished(visit("features", sample="iris", model=kind.short_name, draws="20"))
    assert not app.error
    assert app.radio(key="score").value == "log_loss"
    assert len(app.metric) == 6
    linked = kind.chooses_links
    assert [("does not choose links" in info.value) for info in app.info] == ([] if linked else [True])
    assert len(app.dataframe) == linked


def test_the_numbers_are_those_of_the_curve(visit, finished):
    X, y = pnb.load_sample("iris")
    curve = pnb.importance_curve(pnb.GeneralizedNaiveBayes(), X, y)
    app = finished(visit("features", sample="iris", draws="20", score="accuracy"))
    smallest = curve.smallest["accuracy"]
    assert app.slider(key="cut_after").value == smallest
    table = curve.to_frame()
    names = {"Log-loss": "log_loss", "Accuracy": "accuracy", "Precision": "precision", "Recall": "recall",
             "F1": "f1", "AUC": "auc"}  # fmt: skip
    assert {m.label: m.value for m in app.metric} == {
        label: f"{table[name][smallest]:.3f}" for label, name in names.items()
    }
    app.slider(key="cut_after").set_value(3).run()
    assert {m.label: m.value for m in app.metric}["AUC"] == f"{table['auc'][3]:.3f}"
    assert app.query_params["cut_after"] == "3"


def test_the_links_are_those_of_the_bootstrap(visit, finished):
    X, y = pnb.load_sample("iris")
    found = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), X, y, n_bootstrap=20).to_frame()
    app = finished(visit("features", sample="iris", model="tan", draws="20"))
    shown = app.dataframe[0].value
    assert shown["frequency"].tolist() == found["frequency"].tolist()
    assert shown.loc[shown["learned"], "chance"].notna().all()
    assert app.query_params["draws"] == "20"
