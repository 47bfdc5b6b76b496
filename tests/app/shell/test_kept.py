"""An upload outlives a refresh, in the browser that sent it and nowhere else."""

import pytest

from pgm_nb.app.shell import uploads as kept
from pgm_nb.app.shell.uploads import Shelf, unmasked
from pgm_nb.app.widgets.markdown import literal

PATIENTS = "dose,stage,outcome\n" + "".join(
    f"{i % 3},s{i % 2},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(40)
)


@pytest.fixture
def browser(monkeypatch):
    """Say which browser visits: its secret, or None."""
    monkeypatch.setattr(kept, "_SHELF", Shelf())

    def is_now(secret):
        monkeypatch.setattr(kept, "browser_secret", lambda: secret)

    is_now(b"mine")
    return is_now


def address(app):
    return {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}


def uploaded(visit, upload):
    app = upload(visit("data"), "patients.csv", PATIENTS.encode())
    app.selectbox(key="class").select("stage").run()
    return app


def test_after_a_refresh_the_table_is_there_with_all_choices(visit, upload, browser):
    chosen = address(uploaded(visit, upload))
    assert len(bytes.fromhex(chosen["kept"])) == 16  # 128 bits
    again = visit("data", **chosen)
    assert not again.info
    assert again.header[0].value == literal("patients.csv")
    assert again.session_state["class"] == "stage"
    assert address(again.run()) == chosen
    again.selectbox(key="sample").select("iris").run()
    assert "kept" not in again.query_params
    again.selectbox(key="sample").select("upload").run()
    assert again.header[0].value == literal("patients.csv")


def test_after_a_refresh_back_to_the_empty_address_of_the_menu_keeps_the_table(visit, upload, browser):
    again = visit("data", **address(uploaded(visit, upload)))
    again.query_params.clear()
    assert again.run().header[0].value == literal("patients.csv")
    assert not again.query_params


@pytest.mark.parametrize("secret", [b"another", None])
def test_the_same_address_in_another_browser_shows_nothing_of_it(secret, visit, upload, browser):
    chosen = address(uploaded(visit, upload))
    browser(secret)
    other = visit("data", **chosen)
    assert "upload it again" in other.info[0].value
    assert not other.dataframe


def test_another_token_in_the_same_browser_finds_nothing(visit, upload, browser):
    chosen = address(uploaded(visit, upload))
    other = visit("data", **chosen | {"kept": "0" * 32})
    assert "upload it again" in other.info[0].value


def test_a_new_upload_takes_the_place_of_a_kept_one(visit, upload, browser):
    chosen = address(uploaded(visit, upload))
    again = upload(visit("data", **chosen), "others.csv", PATIENTS.replace("dose", "size").encode())
    assert again.header[0].value == literal("others.csv")
    assert address(again)["kept"] != chosen["kept"]


def test_without_a_secret_nothing_is_kept(visit, upload, browser):
    browser(None)
    assert "kept" not in uploaded(visit, upload).query_params


def test_the_shelf_is_bounded(monkeypatch):
    monkeypatch.setattr(kept, "MOST_FILES", 2)
    monkeypatch.setattr(kept, "MOST_BYTES", 10)
    now = [0.0]
    shelf = Shelf(lambda: now[0])
    assert shelf.put(b"b", "large", b"x" * 11) is None
    first, second = (shelf.put(b"b", name, b"xxx") for name in ("first", "second"))
    assert shelf.get(b"b", first).name == "first"
    third = shelf.put(b"b", "third", b"xxx")  # one too many: the one not used for longest goes
    assert shelf.get(b"b", second) is None
    assert shelf.get(b"b", first) is not None
    fourth = shelf.put(b"b", "fourth", b"x" * 8)  # too many bytes with any other
    assert [shelf.get(b"b", token) is None for token in (first, third, fourth)] == [True, True, False]
    now[0] = kept.MOST_SECONDS
    assert shelf.get(b"b", fourth) is not None
    now[0] *= 2
    assert shelf.get(b"b", fourth) is not None  # its time began anew
    now[0] = now[0] + kept.MOST_SECONDS + 1
    assert shelf.get(b"b", fourth) is None


def test_what_is_forgotten_is_gone():
    shelf = Shelf()
    token = shelf.put(b"b", "a.csv", b"x")
    shelf.drop(b"another", token)
    assert shelf.get(b"b", token).content == b"x"
    shelf.drop(b"b", token)
    assert shelf.get(b"b", token) is None


def test_the_secret_of_a_browser_is_the_same_under_every_mask():
    assert unmasked("2|fe678718|14fe4d8306033c32a7b9ff8f8d95dc1a|1") == unmasked(
        "2|807f04e8|6ae6ce73781bbfc2d9a17c7ff38d5fea|2"
    )


@pytest.mark.parametrize(
    "cookie", ["", "2|x|y|1", "1|ffffffff|" + "00" * 16 + "|1", "2|ffffffff|00|1", "2||"]
)
def test_other_cookies_are_no_secret(cookie):
    assert unmasked(cookie) is None


def test_attributes_kept_on_features_leave_the_token_alone(visit, upload, finished, browser):
    chosen = address(uploaded(visit, upload))
    app = finished(visit("features", **chosen, model="nb", draws="20"))
    app.multiselect(key="keep").set_value(["dose"]).run()
    assert address(app)["kept"] == chosen["kept"]
    assert not any("upload it again" in info.value for info in visit("features", **address(app)).info)
