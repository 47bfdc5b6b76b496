"""The tour: stations that exist, and what the page and the script agree on."""

from pathlib import Path

from pgm_nb.app.shell.router import ANSWERS, PAGES
from pgm_nb.app.widgets import tour

SCRIPT = (Path(tour.__file__).parent / "tour.js").read_text(encoding="utf-8")


def test_every_station_is_a_page_and_every_page_says_what_it_answers():
    assert set(tour.STATIONS) <= set(PAGES)
    assert list(ANSWERS) == list(PAGES)
    assert all(line.endswith(".") and len(line) < 110 for line in ANSWERS.values())
    assert f"{len(tour.STATIONS)} stations".replace("6", "six") in tour.OFFER


def test_the_script_reads_what_it_is_given():
    for name in ("data.stations", "data.offered", "data.offer", "data.page", "station.says", "next.title"):
        assert name in SCRIPT


def test_the_line_and_the_words_are_on_the_page(visit):
    app = visit("data", sample="iris")
    assert any(ANSWERS["data"] in element.proto.body for element in app.get("html"))
    [words] = [found for found in app.expander if found.label == "What the words mean"]
    assert "log-odds" in words.markdown[0].value
