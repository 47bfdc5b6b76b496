"""The growth of every model: one frame per step, pictures that have them all, files that open."""

import json
import re
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import pgm_nb as pnb
from pgm_nb.errors import RenderError
from pgm_nb.explain.growth import growth_views

HOSTILE = ("</script><b>age</b>", 'say "hi" & \\n', "{} {0} $x$")


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


@pytest.fixture(scope="module")
def models(iris):
    return {kind.about.short_name: kind().fit(*iris) for kind in pnb.MODELS}


def steps_in(svg):
    return {int(step) for step in re.findall(r'class="[^"]*\bs(\d+)"', svg)}


@pytest.mark.parametrize("name", [kind.about.short_name for kind in pnb.MODELS])
def test_every_model_and_view_grows(models, iris, name):
    X, y = iris
    for view in growth_views(models[name], rows=True):
        found = pnb.growth(models[name], view, X=X, y=y)
        play = json.loads(json.dumps(found.play("light"), allow_nan=False))
        frames = len(play["steps"])
        assert frames == len(found.to_frame())
        assert all(len(curve["numbers"]) == len(curve["texts"]) == frames for curve in play["curves"])
        if view == "bags":
            assert len(play["pictures"]) == frames
            continue
        [picture] = play["pictures"]
        assert steps_in(picture) <= set(range(1, frames + 1))
        assert frames in steps_in(picture) or name in ("hnb", "phnb")


def test_the_last_frame_of_links_is_hidden_naive_bayes(models):
    found = pnb.growth(models["hnb"])
    links = found.play("light")["pictures"][0].count('class="edge')
    assert links == sum(len(bag) for bag in models["hnb"].structure_.weights.values()) // 2


def test_the_frame_of_the_model_has_its_bags(models):
    found = pnb.growth(models["phnb"])
    now = found.story.chosen + 1
    shown = [k for k in re.findall(r'edge tree s(\d+)"', found.play("light")["pictures"][0]) if int(k) <= now]
    assert len(shown) == sum(len(bag) for bag in models["phnb"].structure_.weights.values()) // 2


def test_bags_are_drawn_anew_at_every_threshold(models):
    found = pnb.growth(models["phnb"], "bags")
    pictures = found.play("light")["pictures"]
    own = models["phnb"].structure_.draw("bags").decode()
    assert pictures[found.story.chosen] == own


def test_steps_are_those_of_the_importance(models):
    titles = [frame.title for frame in pnb.growth(models["tan"]).story.frames]
    order = models["tan"].importance_["attribute"].tolist()
    assert titles == [f"{order[0]} comes first", *(f"{name} joins" for name in order[1:])]


@pytest.mark.parametrize("name", ["nb", "tan", "gnb", "gaussian", "hnb"])
def test_a_large_structure_is_drawn_in_part(models, name):
    found = pnb.growth(models[name], most=2)
    svg = found.play("light")["pictures"][0]
    boxes = re.findall(r'class="node attribute', svg)
    assert len(boxes) == 2
    if name != "hnb":
        assert len(found.story.frames) == (1 if name == "gnb" else 2)


def test_a_saved_model_tells_the_same(models, tmp_path):
    for name in ("gnb", "phnb", "local-pca", "gaussian", "kernel"):
        models[name].save(tmp_path / "model")
        again = pnb.load(tmp_path / "model")
        assert pnb.growth(again).story == pnb.growth(models[name]).story


def test_files(models, tmp_path):
    found = pnb.growth(models["gnb"], "junction")
    found.save(tmp_path / "growth.gif", seconds=0.1)
    found.save(tmp_path / "growth.html")
    with Image.open(BytesIO((tmp_path / "growth.gif").read_bytes())) as image:
        assert image.n_frames == 3
    assert "sepal length" in (tmp_path / "growth.html").read_text(encoding="utf-8")


def test_what_is_not_there_is_refused(models, tmp_path):
    with pytest.raises(RenderError, match=r"\.gif, \.webp or \.html"):
        pnb.growth(models["gnb"]).save(tmp_path / "growth.mp4")
    with pytest.raises(RenderError, match="'tree', 'chordal', 'junction', 'compact'"):
        pnb.growth(models["gnb"], "bags")


def test_local_pca_draws_the_rows_it_was_given():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 2)) ** 3, columns=["a", "b"])
    X.iloc[4, 1] = np.nan
    y = pd.Series(np.where(X["a"].abs() > 0.5, "far", "near"), name="class")
    model = pnb.LocalPCAMixture().fit(X, y)
    moved = [sum(map(len, step.moved)) for step in model.trace_.iterations]
    svg = pnb.growth(model, X=X, y=y).play("light")["pictures"][0]
    for number, part in enumerate(svg.split('<g class="only ')[1:]):
        assert part.startswith(f's{number + 1}"')
        assert part.count('fill="none" stroke=') == moved[number]  # rings around who moved
    assert svg.split('<g class="only ')[0].count('r="2.4"') == 89  # the row with an empty cell took no part


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_hostile_names_stay_text(kind):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list(HOSTILE))
    y = pd.Series(np.where(X.iloc[:, 0] > 0, "<i>", "&amp;"), name="<class>")
    found = pnb.growth(kind().fit(X, y), X=X, y=y)
    page = found.to_html()
    assert page.count("</script>") == 1
    for svg in found.play("auto")["pictures"]:
        assert "<b>" not in svg
        assert "<i>" not in svg


def test_one_attribute_is_enough():
    X = pd.DataFrame({"a": [0, 0, 1, 1, 0, 1]})
    y = pd.Series(["p", "p", "q", "q", "p", "p"])
    for kind in pnb.MODELS:
        assert pnb.growth(kind().fit(X, y), X=X, y=y).play("light")["steps"]


def test_runners_up_know_their_places_in_the_picture():
    model = pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=5).fit(*pnb.load_sample("iris"))
    found = pnb.growth(model, "tree")
    play, ids = found.play(), found.boxes
    assert set(ids) == set(model.structure_.attributes)
    for frame, step in zip(play["steps"], model.trace_.steps, strict=True):
        won, *others = frame["contenders"]
        assert (won["box"], won["mothers"]) == ("", [])
        expected = [(ids[c.attribute], [ids[m] for m in c.mothers]) for c in step.runners_up]
        assert [(c["box"], c["mothers"]) for c in others] == expected
    found = pnb.growth(model, "junction")
    for frame, step in zip(found.play()["steps"], model.trace_.steps, strict=True):
        won, *others = frame["contenders"]  # below the cluster that brings the mother
        assert (won["box"], won["home"]) == ("", False)
        expected = [(found.homes[str(c.mother)], []) for c in step.runners_up]
        assert [(c["box"], c["mothers"]) for c in others] == expected


def test_a_divergence_that_nobody_knows_is_not_shown():
    counted = pnb.count_table(*pnb.load_sample("iris"))
    for kind in (pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes):
        grown = pnb.growth(kind(parameters="generative").fit_counts(counted))
        assert [curve["name"] for curve in grown.play()["curves"]] == ["Weight"]
        assert "nan bits" not in grown.to_html()
