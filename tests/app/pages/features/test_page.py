"""The Features page: what matters, what repeats, what to keep; how the model was joined; stable links."""

import pytest

import pgm_nb as pnb


def test_every_kind_of_model(visit, finished, kind):
    app = finished(visit("features", sample="iris", model=kind.about.short_name, draws="20"))
    assert not [e.value for e in app.error]
    assert app.radio(key="score").value == "log_loss"
    assert app.radio(key="matters").value == "forward"
    first = pnb.importance(kind(), *pnb.load_sample("iris"), max_rows=2000)["attribute"][0]
    assert any(f"**{first}** says most about the class" in text.value for text in app.markdown)
    assert len(app.metric) == 6 + 2
    linked = kind.about.chooses_links
    assert [("does not choose links" in info.value) for info in app.info] == ([] if linked else [True])
    assert len(app.dataframe) == 1 + linked


def test_the_numbers_are_those_of_the_curve(visit, finished):
    X, y = pnb.load_sample("iris")
    curve = pnb.importance_curve(pnb.GeneralizedNaiveBayes(), X, y)
    app = finished(visit("features", sample="iris", draws="20", score="accuracy", details="True"))
    smallest = curve.smallest["accuracy"]
    assert app.slider(key="cut_after").value == smallest
    table = curve.to_frame()
    names = {"Log-loss": "log_loss", "Accuracy": "accuracy", "Precision": "precision", "Recall": "recall",
             "F1": "f1", "AUC": "auc"}  # fmt: skip
    assert {m.label: m.value for m in app.metric[2:]} == {
        label: f"{table[name][smallest]:.3f}" for label, name in names.items()
    }
    app.slider(key="cut_after").set_value(3).run()
    assert {m.label: m.value for m in app.metric[2:]}["AUC"] == f"{table['auc'][3]:.3f}"
    assert app.query_params["cut_after"] == "3"


def test_the_links_are_those_of_the_bootstrap(visit, finished):
    X, y = pnb.load_sample("iris")
    found = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), X, y, n_bootstrap=20).to_frame()
    app = finished(visit("features", sample="iris", model="tan", draws="20"))
    shown = app.dataframe[1].value
    assert shown["frequency"].tolist() == found["frequency"].tolist()
    assert shown.loc[shown["learned"], "chance"].notna().all()
    assert app.query_params["draws"] == "20"


@pytest.mark.parametrize("method", ["drop", "share", "alone"])
def test_the_other_rankings(visit, finished, method):
    X, y = pnb.load_sample("iris")
    app = finished(visit("features", sample="iris", model="tan", draws="20", matters=method))
    if method == "alone":
        first = pnb.TreeAugmentedNaiveBayes().fit(X, y).next_best({})["attribute"][0]
    else:
        first = pnb.importance(pnb.TreeAugmentedNaiveBayes(), X, y, method)["attribute"][0]
    said = [text.value for text in app.markdown if f"**{first}**" in text.value]
    expected = {"drop": "missed", "share": "The largest share has", "alone": "On its own"}[method]
    assert any(expected in text for text in said)
    assert app.query_params["matters"] == method


def test_what_follows_from_another(visit, finished):
    found = pnb.redundancy(pnb.TreeAugmentedNaiveBayes(), *pnb.load_sample("iris"))
    app = finished(visit("features", sample="iris", model="tan", draws="20"))
    shown = app.dataframe[0].value
    assert shown["attribute"].tolist() == found["attribute"].tolist()
    assert shown["other"].tolist() == found["other"].tolist()
    assert shown["share"].tolist() == pytest.approx(found["share"].tolist(), abs=0.005)


def test_only_some_attributes_are_kept_and_the_way_back(visit, finished):
    X, y = pnb.load_sample("iris")
    app = finished(visit("features", sample="iris", model="nb", draws="20", details="True"))
    app.multiselect(key="keep").set_value(["petal width", "sepal length"]).run()
    app = finished(app)
    kept = pnb.keep_only(pnb.NaiveBayes(), X, y, ["petal width", "sepal length"])
    assert app.metric[0].value == f"{kept.accuracy.after:.1%}"
    assert app.metric[1].value == f"{kept.log_loss.after:.3f} bits"
    app.button(key="keep only").click().run()
    app = finished(app)
    assert app.multiselect(key="without").value == ["sepal width", "petal length"]
    assert app.query_params["without"] == ["sepal width", "petal length"]
    [kept] = [caption.value for caption in app.caption if "2 attributes left out" in caption.value]
    assert "of the rows not trained on are classified correctly; with all of them it was" in kept
    app.button(key="undo keeping").click().run()
    app = finished(app)
    assert app.multiselect(key="without").value == []
    assert "without" not in app.query_params


def test_a_link_with_columns_left_out_offers_the_way_back(visit, finished):
    app = finished(visit("features", sample="iris", model="nb", draws="20", without="petal width"))
    assert app.button(key="undo keeping").label == "Use all attributes again"
    app.button(key="undo keeping").click().run()
    assert app.multiselect(key="without").value == []


def test_the_way_back_does_not_bring_a_patient_number_in(visit, upload, finished):
    rows = "".join(f"{1000 + 7 * i},{i % 3},{i % 5},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(60))
    app = upload(
        visit("features", model="nb", draws="20"),
        "patients.csv",
        f"patient id,dose,stage,outcome\n{rows}".encode(),
    )
    app = finished(app)
    assert app.multiselect(key="without").value == ["patient id"]
    assert not any(button.key == "undo keeping" for button in app.button)
    app.multiselect(key="without").set_value(["patient id", "dose"]).run()
    app = finished(app)
    app.button(key="undo keeping").click().run()
    assert app.multiselect(key="without").value == ["patient id"]


def test_a_rare_class_gets_fewer_folds(visit, finished):
    app = finished(visit("features", sample="zoo", model="nb", draws="20"))
    assert not [e.value for e in app.error]
    assert not [info for info in app.info if "fold" in info.value]
    assert any("says most about the class" in text.value for text in app.markdown)
