"""The growth in a real Chromium: played, scrubbed, kept in the address, taken away and opened offline."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def open_growth(page, settled, go):
    settled(page)
    go(page, "Growth")
    page.locator(".growth .picture svg").wait_for()
    expect(page.locator("[data-testid=stProgress]")).to_have_count(0)  # its end draws the page anew
    return settled(page)


def place(page):
    return page.locator(".growth .place")


def test_play_scrub_and_share(page, settled, go):
    open_growth(page, settled, go)
    expect(place(page)).to_have_text("1 of 29")
    assert page.locator(".growth .fresh.node").count() == 2  # the first pair
    later = page.locator(".growth .later.node").count()
    before = page.locator(".growth .picture svg").bounding_box()

    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play (space)").click()
    expect(place(page)).to_have_text(re.compile(r"^([4-9]|1\d|2\d) of 29$"))  # a busy machine skips numbers
    page.keyboard.press("Space")  # on the button: pause
    expect(page.get_by_role("button", name="Play (space)")).to_be_visible()

    page.get_by_role("slider").fill("9")
    expect(page.locator(".growth .why")).to_contain_text("joins with mother")
    expect(page.locator(".growth tr.won td").first).to_have_text(
        page.locator(".growth .why strong").first.inner_text()
    )
    assert page.locator(".growth .later.node").count() == later - 8
    assert page.locator(".growth .picture svg").bounding_box()["width"] == before["width"]
    page.wait_for_url("**step=9**")
    settled(page)

    page.locator(".growth .picture").focus()
    page.keyboard.press("ArrowRight")
    expect(place(page)).to_have_text("10 of 29")
    page.keyboard.press("End")
    expect(place(page)).to_have_text("29 of 29")
    assert page.locator(".growth .later").count() == 0
    page.wait_for_url("**step=29**")
    settled(page)

    go(page, "Structure")
    page.locator(".growth").wait_for(state="detached")
    open_growth(page, settled, go)
    expect(place(page)).to_have_text("29 of 29")  # remembered
    page.locator(".growth .picture").focus()
    page.keyboard.press("Home")
    expect(place(page)).to_have_text("1 of 29")


def test_every_model_plays(page, settled, choose, go):
    open_growth(page, settled, go)
    for title, text in {
        "Naive Bayes": "No structure is searched for",
        "Packaged hidden naive Bayes (PHNB)": "As the threshold falls",
        "Local-PCA mixture": "Every class starts as one cluster",
        "Kernel semi-naive Bayes": "This model is not learned step by step",
    }.items():
        choose(page, "Model", title)
        expect(page.get_by_text(text).first).to_be_visible()
        page.locator(".growth .picture").focus()
        page.keyboard.press("End")
        expect(page.locator(".growth .later")).to_have_count(0)
        settled(page)


def test_take_away_and_open_offline(page, settled, taken, window, tmp_path, choose, go):
    open_growth(page, settled, go)
    choose(page, "Table", "Iris flowers")
    expect(place(page)).to_have_text("1 of 3")
    page.get_by_role("button", name="Make GIF").click()
    page.get_by_role("button", name="GIF", exact=True).wait_for()
    with Image.open(BytesIO(taken(page, "GIF"))) as image:
        assert image.n_frames == 3

    path = tmp_path / "growth.html"
    path.write_bytes(taken(page, "HTML"))
    offline, asked, problems = window(offline=True), [], []
    offline.on("request", lambda request: asked.append(request.url))
    offline.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    offline.on("pageerror", lambda error: problems.append(str(error)))
    offline.goto(path.as_uri())
    expect(offline.locator(".growth .place")).to_have_text("1 of 3")
    offline.keyboard.press("ArrowRight")
    expect(offline.locator(".growth h3")).to_have_text("sepal length joins")
    assert asked == [path.as_uri()]
    assert problems == []


def test_runners_up_are_drawn_the_class_stays_and_speed_is_kept(page, settled, go):
    settled(page)
    go(page, "Growth")
    settled(page)
    for _ in range(7):
        page.get_by_role("button", name="Next (right arrow)").click()
    settled(page)
    page.locator(".candidates path").first.wait_for(state="attached")
    assert page.locator(".candidates path").count() == 3
    assert page.locator(".candidates text").first.text_content().endswith("%")
    assert page.locator("g.node.candidate").count() >= 3
    assert page.locator(".sign span").is_hidden()
    low = "picture => { picture.style.height = '240px'; picture.scrollTo(0, 500); }"  # as on a low screen
    page.locator(".growth .picture").evaluate(low)
    page.locator(".sign span").wait_for(state="visible")
    page.get_by_label("Speed").select_option("4")
    settled(page)
    page.wait_for_url(lambda url: "speed=4" in url)
    page.get_by_text("Every link").click()
    settled(page)
    assert page.get_by_label("Speed").input_value() == "4"
    assert page.locator(".place").text_content() == "8 of 29"
