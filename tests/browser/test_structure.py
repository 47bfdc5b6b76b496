"""What people do with the picture, in a real Chromium: look around, search, click, compare."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def drawn(settled):
    """Wait for the picture and return its SVG."""

    def find(page):
        svg = page.locator(".frame svg")
        svg.wait_for()
        settled(page)
        return svg

    return find


def view_box(svg):
    return [float(number) for number in svg.get_attribute("viewBox").split()]


def test_look_around_with_pointer_wheel_and_keys(page, drawn):
    svg = drawn(page)
    page.get_by_role("button", name="Fit").click()
    whole = view_box(svg)
    box = page.locator(".frame").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    page.mouse.move(*middle)
    page.mouse.wheel(0, 120)  # the page scrolls, the picture stays
    assert view_box(svg) == whole
    page.mouse.wheel(0, -120)
    page.keyboard.down("Control")
    for _ in range(4):  # until the picture is wider than the frame, so that it can be moved across
        before = svg.get_attribute("viewBox")
        page.mouse.wheel(0, -120)
        expect(svg).not_to_have_attribute("viewBox", before)
    page.keyboard.up("Control")
    closer = view_box(svg)
    assert closer[2] < whole[2]
    expect(page.locator(".map")).to_be_visible()

    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] - 80, middle[1] - 40, steps=4)
    page.mouse.up()
    moved = view_box(svg)
    assert moved[0] > closer[0]
    assert moved[1] > closer[1]
    assert page.locator("g.selected").count() == 0  # the end of a drag is no click

    page.locator(".frame").focus()
    page.keyboard.press("ArrowLeft")
    assert view_box(svg)[0] < moved[0]
    page.keyboard.press("+")
    assert view_box(svg)[2] < moved[2]
    page.keyboard.press("0")
    assert view_box(svg) == whole
    page.get_by_role("button", name="Larger").click()
    assert view_box(svg)[2] < whole[2]


def test_two_fingers_enlarge_the_picture(window, address, drawn):
    page = window(viewport={"width": 1024, "height": 768}, has_touch=True)
    page.goto(address)
    svg = drawn(page)
    page.get_by_role("button", name="Fit").click()
    whole = view_box(svg)
    page.locator(".frame").evaluate("frame => frame.scrollIntoView({block: 'center'})")
    box = page.locator(".frame").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)
    for apart, kind in ((40, "touchStart"), (60, "touchMove"), (90, "touchMove"), (120, "touchMove")):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    near = "([svg, width]) => Math.abs(svg.viewBox.baseVal.width / width - 1) < 0.1"
    page.wait_for_function(near, arg=[svg.element_handle(), whole[2] / 3])  # three times as far apart
    assert page.locator("g.selected").count() == 0


def test_click_a_box_and_read_about_it(page, settled, attribute, drawn):
    svg = drawn(page)
    before = view_box(svg)
    attribute(page, "worst area").click()
    expect(page.get_by_role("heading", name="worst area")).to_be_visible()
    expect(page.get_by_text("Of what is captured")).to_be_visible()
    expect(page.get_by_role("table", name="How often, given class")).to_be_visible()
    settled(page)
    page.wait_for_url(lambda url: "at=worst+area" in url)
    assert view_box(svg) == before  # nothing jumps
    expect(page.locator("g.node.selected")).to_have_count(1)
    assert page.locator("g.node.dim").count() > 20
    title = attribute(page, "worst area").locator("title").first.text_content()
    assert title.startswith("worst area: says ")

    page.get_by_text("Clusters", exact=True).click()
    expect(page.locator("g.node.cluster.selected")).to_have_count(1)
    page.locator(".frame").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="worst area")).to_have_count(0)
    expect(page.locator("g.dim")).to_have_count(0)


def test_walk_from_box_to_box_with_the_keyboard(page, address, settled, attribute, drawn):
    page.goto(f"{address}/?groups=5")
    drawn(page)
    page.locator(".frame").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="class", exact=True)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(attribute(page, "worst area")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(attribute(page, "area error")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(attribute(page, "worst radius")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="worst radius")).to_be_visible()
    settled(page)
    box = page.get_by_role("button", name="worst radius", exact=True)
    expect(box).to_have_attribute("aria-pressed", "true")
    expect(box).to_be_focused()  # a new run takes nothing away
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(box).to_be_focused()
    for _ in range(12):  # down the longest branch, which begins out of sight
        page.keyboard.press("ArrowDown")
    focused = page.locator("g.node:focus")
    frame, shape = page.locator(".frame").bounding_box(), focused.bounding_box()
    assert frame["y"] <= shape["y"]
    assert shape["y"] + shape["height"] <= frame["y"] + frame["height"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="worst radius")).to_have_count(0)


def test_find_an_attribute_by_its_name(page, drawn):
    drawn(page)
    search = page.get_by_role("searchbox", name="Find a name in the picture")
    search.fill("WORST texture")
    expect(page.locator("g.node.hit")).to_have_count(1)
    expect(page.locator(".found")).to_have_text("1 found; Enter opens")
    search.press("Enter")
    expect(page.get_by_role("heading", name="worst texture")).to_be_visible()
    search.fill("nobody")
    expect(page.locator(".found")).to_have_text("none")
    search.press("Escape")
    expect(page.locator("g.hit")).to_have_count(0)


def test_compare_two_models(page, choose, attribute, drawn):
    drawn(page)
    page.get_by_role("combobox", name="Compare with").click()
    page.get_by_role("option", name="Tree augmented naive Bayes (TAN)").click()
    expect(page.get_by_text("27 of 29 links between attributes are in both")).to_be_visible()
    expect(page.locator(".frame svg")).to_have_count(2)
    expect(page.locator("g.edge.first")).to_have_count(2)
    expect(page.locator("g.edge.second")).to_have_count(2)
    attribute(page, "worst area").first.click()
    expect(page.locator("g.node.selected")).to_have_count(2)


def test_the_picture_turns_dark_with_the_page(page, attribute, drawn):
    drawn(page)
    name = attribute(page, "worst area").locator("text")
    colour = "text => getComputedStyle(text).fill"
    assert name.evaluate(colour) == "rgb(31, 42, 55)"
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".picture.dark")).to_have_count(1)
    assert name.evaluate(colour) == "rgb(230, 235, 241)"


def test_the_svg_is_data(page, drawn):
    """Column names are data: they run no script, not even inside the picture."""
    drawn(page)
    name = "<img src=x onerror=alert(1)>"
    rows = "".join(f"{i % 3},{i % 2},{'ab'[i % 2]}\n" for i in range(60))
    page.locator("input[type=file]").set_input_files(
        {"name": "t.csv", "mimeType": "text/csv", "buffer": f"{name},other,class\n{rows}".encode()}
    )
    expect(page.get_by_role("heading", level=2)).to_have_text("t.csv")
    page.locator("g.node text", has_text="onerror").first.click()
    expect(page.get_by_role("heading", name="onerror")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
