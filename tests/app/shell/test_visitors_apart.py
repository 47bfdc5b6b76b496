"""Visitors share what was computed from the same content, and never see each other's tables."""

import pytest


def table(word):
    """Return a table of the same shape and file name for every visitor, with names of their own."""
    rows = "".join(f"{i % 3},{word}{i % 2},{i},{'ill' if i % 4 < 2 else 'well'}\n" for i in range(40))
    return f"{word} dose,{word} stage,{word} age,{word} outcome\n{rows}".encode()


def shown(app):
    """Return every text of a page, its options and its tables."""
    texts = [
        str(element.value) for kind in ("header", "markdown", "caption", "info") for element in app.get(kind)
    ]
    texts += [str(option) for box in app.selectbox for option in box.options]
    texts += [str(frame.value) for frame in app.dataframe]
    return "\n".join(texts)


@pytest.mark.parametrize("page", ["data", "what_if"])
def test_uploads_of_the_same_name_stay_apart(page, visit, upload):
    apps = {word: visit(page, table="upload") for word in ("alpha", "beta")}
    for word, app in apps.items():
        upload(app, "patients.csv", table(word))
        app.selectbox(key="class").set_value(f"{word} outcome")
        app.run()
    for _ in range(2):  # each comes back after the other
        for word, app in apps.items():
            texts = shown(app.run())
            other = "beta" if word == "alpha" else "alpha"
            assert word in texts
            assert other not in texts


def test_a_visitor_who_comes_later_sees_a_sample(visit, upload):
    first = visit("data", table="upload")
    upload(first, "patients.csv", table("alpha"))
    assert "alpha" in shown(first)
    later = visit("data")
    assert "alpha" not in shown(later)
    address = {
        key: value if isinstance(value, str) else value[0] for key, value in first.query_params.items()
    }
    assert address["sample"] == "upload"
    same_address = visit("data", **address)
    assert "upload it again" in shown(same_address)
    assert "alpha" not in shown(same_address)
