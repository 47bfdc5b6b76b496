"""The table of the papers' figures: sorted by a click, filtered by paper, mark and words."""

from pathlib import Path

TABLE = Path(__file__).parents[2] / "docs" / "reproduction" / "table.html"


def test_figures_are_sorted_and_filtered(window):
    page = window()
    problems = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto(TABLE.as_uri())
    shown = page.locator("#figures tbody tr:visible")
    everything = shown.count()
    assert page.inner_text("#shown") == f"{everything} of {everything} figures"
    page.select_option("[name=paper]", "gnb")
    assert shown.count() == 100
    page.select_option("[name=mark]", "not reproduced")
    page.fill("[name=words]", "heart gnb-o")
    assert 0 < shown.count() < 10
    assert set(shown.locator("td:nth-child(2)").all_inner_texts()) == {"heart_cleveland"}
    page.locator("th", has_text="difference").get_by_role("button").click()
    up = [float(word) for word in shown.locator("td:nth-child(7)").all_inner_texts()]
    assert up == sorted(up)
    page.locator("th", has_text="difference").get_by_role("button").click()
    assert [float(word) for word in shown.locator("td:nth-child(7)").all_inner_texts()] == up[::-1]
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("difference")
    assert problems == []


def test_the_table_is_there_without_a_script(window):
    page = window(java_script_enabled=False)
    page.goto(TABLE.as_uri())
    assert page.locator("#figures tbody tr:visible").count() > 150
    assert not page.locator("#filters").is_visible()
