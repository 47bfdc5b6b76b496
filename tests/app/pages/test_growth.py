"""The Growth page: every model, the step in the address, animations, hostile names."""

import json

import pytest

from pgm_nb import MODELS


def shown(app):
    """Return what the player was given."""
    given = [
        json.loads(part.proto.mixed.json if part.proto.HasField("mixed") else part.proto.json)
        for part in app.get("bidi_component")
    ]
    [player] = [data for data in given if "stations" not in data]  # the other one is the tour
    return player


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_has_a_growth(visit, kind):
    app = visit("growth", sample="iris", model=kind.about.short_name)
    data = shown(app)
    assert data["step"] == 1
    assert data["play"]["steps"][0]["parts"]
    assert data["play"]["pictures"][0].startswith("<svg")
    assert not app.error
    not_grown = [text for text in app.markdown if "not learned step by step" in text.value]
    assert len(not_grown) == (not kind.about.grows_by)


def test_the_step_and_the_view_are_in_the_address(visit):
    app = visit("growth", sample="iris", step="2", growing="junction")
    assert shown(app)["step"] == 2
    assert "c1" in shown(app)["play"]["pictures"][0]  # a cluster
    app.selectbox(key="model").select("nb").run()
    assert shown(app)["step"] == 2  # one cursor for all models
    assert app.query_params["step"] == "2"
    app.selectbox(key="sample").select("zoo").run()
    assert app.query_params["step"] == "2"


@pytest.mark.parametrize("step", ["0", "99", "many", "-1", "1.5"])
def test_a_step_that_is_not_there_is_ignored(visit, step):
    assert shown(visit("growth", sample="iris", step=step))["step"] == 1


def test_the_player_keeps_its_name_while_nothing_changes(visit):
    app = visit("growth", sample="iris")
    before = shown(app)["name"]
    assert shown(app.run())["name"] == before
    app.radio(key="growing").set_value("compact").run()
    assert shown(app)["name"] != before


def test_an_animation_is_made_when_asked_for(visit, finished):
    app = visit("growth", sample="iris")
    assert [button.label for button in app.button] == ["Make GIF", "Make WebP"]
    app.button(key="make gif").click().run()
    finished(app)
    assert [button.label for button in app.get("download_button")] == ["GIF", "HTML"]
    app.selectbox(key="model").select("nb").run()  # another model has an animation of its own
    assert [button.label for button in app.get("download_button")] == ["HTML"]


def test_hostile_names(visit, tmp_path, monkeypatch):
    path = tmp_path / "hostile.csv"
    path.write_text(
        "<b>x</b>,:smile:,class\n" + "".join(f"{i % 3},{i % 2},{'pq'[i % 2]}\n" for i in range(30))
    )
    monkeypatch.setenv("PGM_NB_DATA", str(path))
    for kind in MODELS:
        data = shown(visit("growth", model=kind.about.short_name))
        assert "<b>" not in data["play"]["pictures"][0]


def test_a_large_structure_is_drawn_in_part(visit, tmp_path, monkeypatch):
    rows = [
        ",".join(str((i * (j + 1) + i // 7) % 2) for j in range(70)) + f",{'pq'[i % 2]}" for i in range(40)
    ]
    path = tmp_path / "wide.csv"
    path.write_text(",".join([*(f"x{j}" for j in range(70)), "class"]) + "\n" + "\n".join(rows))
    monkeypatch.setenv("PGM_NB_DATA", str(path))
    app = visit("growth", model="nb")
    assert len(shown(app)["play"]["steps"]) == 60
    app.slider(key="shown").set_value(5).run()
    assert len(shown(app)["play"]["steps"]) == 5
