"""Growing pictures: what is shown at a step, animations, and the page that works offline."""

import json
import re
from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image

from pgm_nb.errors import RenderError
from pgm_nb.models.local_pca.growth import PlaneFrame, plane_svg
from pgm_nb.views.chart.gaussians import Ellipse
from pgm_nb.views.player.animation import AnimationFrames, animate
from pgm_nb.views.player.page import player_page
from pgm_nb.views.player.threshold_links import Link, links_svg, strongest

HOSTILE = '</script><img src=x onerror=alert(1)>"&'
SVG = "{http://www.w3.org/2000/svg}"
PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" width="90pt" height="60pt" viewBox="0 0 90 60">
<g class="node class"><rect width="9" height="9" stroke="#111111"/><text>class</text></g>
<g class="node attribute s1"><rect width="9" height="9" stroke="#111111"/><text>one</text></g>
<g class="node attribute s2"><rect width="9" height="9" stroke="#111111"/><text>two</text></g>
<g class="edge tree s2"><path d="M0,0L9,9" stroke="#111111"/></g>
<g class="only s1"><circle r="3"/></g></svg>"""


def play(*pictures, name="age"):
    step = {"title": f"{name} joins", "parts": ["", name, " joins."], "facts": [["Adds", "1 bit"]],
            "contenders": [{"names": [name], "number": "1 bit", "value": 1.0, "won": True}]}  # fmt: skip
    curve = {"name": "Weight", "numbers": [1.0, None], "texts": ["1 bit", "–"]}
    return {"title": name, "introduction": name, "alternative": name, "cursor": "Step", "steps": [step, step],
            "contest": "Who", "heads": ["Attribute"], "number": "Adds", "curves": [curve], "chosen": None,
            "help": {}, "pictures": list(pictures)}  # fmt: skip


def test_later_things_are_not_shown_yet():
    slides = AnimationFrames(play(PICTURE))
    first, second = (ElementTree.fromstring(slides.svg(place)) for place in (0, 1))

    def texts(slide):
        return [text.text for text in slide.iter(f"{SVG}text") if text.text in {"class", "one", "two"}]

    assert texts(first) == ["class", "one"]
    assert texts(second) == ["class", "one", "two"]
    assert len(list(first.iter(f"{SVG}path"))) == 0
    assert len(list(second.iter(f"{SVG}path"))) == 1
    glowing = [rect.get("stroke") != "#111111" for rect in second.iter(f"{SVG}rect") if rect.get("stroke")]
    assert glowing == [False, False, True]
    assert first.attrib == second.attrib  # one size


def test_what_belongs_to_one_step_alone_is_gone_at_the_next():
    slides = AnimationFrames(play(PICTURE))
    assert slides.svg(0).count('r="3"') == 1
    assert slides.svg(1).count('r="3"') == 0


def test_a_picture_for_every_step():
    other = PICTURE.replace("one", "uno")
    slides = AnimationFrames(play(PICTURE, other))
    assert "uno" not in slides.svg(0)
    assert "uno" in slides.svg(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("format", ["gif", "webp"])
def test_animations_hold_every_step(format, theme):
    done = []
    content = animate(play(PICTURE), format, seconds=0.5, theme=theme, progress=done.append)
    with Image.open(BytesIO(content)) as image:
        assert image.format == format.upper()
        assert image.n_frames == 2
        image.seek(1)
        image.load()
        assert image.info["duration"] == 1500  # the last stays longer
        corner = image.convert("RGB").getpixel((2, 2))
    page = {"light": (255, 255, 255), "dark": (14, 17, 23)}[theme]
    assert max(abs(a - b) for a, b in zip(corner, page, strict=True)) <= (0 if format == "gif" else 2)
    assert done == sorted(done)
    assert 0 < done[-1] <= 1


def test_what_progress_raises_stops_the_work():
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animate(play(PICTURE), "gif", progress=stop)


@pytest.mark.parametrize(("format", "seconds"), [("mp4", 1.0), ("gif", 0.0), ("gif", float("nan"))])
def test_what_cannot_be_made_is_refused(format, seconds):
    with pytest.raises(RenderError):
        animate(play(PICTURE), format, seconds=seconds)


def test_no_name_can_leave_the_page():
    page = player_page(play(PICTURE, name=HOSTILE))
    assert page.count("</script>") == 1
    assert "<img" not in page
    held = re.search(r'getElementById\("player"\), (\{.*\})\);', page)[1]
    assert json.loads(held)["title"] == HOSTILE


def test_the_page_fetches_nothing():
    page = player_page(play(PICTURE))
    assert re.findall(r"https?://[^\s\"'\\]+", page.replace("http://www.w3.org/2000/svg", "")) == []
    assert "default-src 'none'" in page


@pytest.mark.parametrize("count", [1, 2, 3, 9, 60])
def test_names_of_links_stand_clear_of_each_other(count):
    names = [f"attribute {i}" for i in range(count)]
    links = [Link(names[0], name, 0.1, 2) for name in names[1:]]
    root = ElementTree.fromstring(links_svg(names, dict.fromkeys(names, 0.1), links, target="y"))
    boxes = [{k: float(r.get(k)) for k in ("x", "y", "width", "height")} for r in root.iter(f"{SVG}rect")]
    left, top, wide, tall = map(float, root.get("viewBox").split())
    assert len(boxes) == count + 1  # and the class
    for i, a in enumerate(boxes):
        assert left <= a["x"]
        assert a["x"] + a["width"] <= left + wide
        assert top <= a["y"]
        assert a["y"] + a["height"] <= top + tall
        for b in boxes[:i]:
            apart = (
                a["x"] + a["width"] < b["x"]
                or b["x"] + b["width"] < a["x"]
                or a["y"] + a["height"] < b["y"]
                or b["y"] + b["height"] < a["y"]
            )
            assert apart


def test_hostile_names_are_text_in_links_and_rounds():
    links = links_svg([HOSTILE, "b"], {HOSTILE: 1.0, "b": 0.0}, [Link(HOSTILE, "b", 0.0, 1)], target=HOSTILE)
    one = Ellipse(HOSTILE, 0, (0.0, 0.0), ((1.0, 0.0), (0.0, 1.0)))
    rounds = plane_svg((HOSTILE, "b"), [HOSTILE], [(0.0, 0.0, 0)], [PlaneFrame((one,), ((0.0, 0.0),))])
    for svg in (links, rounds):
        root = ElementTree.fromstring(svg)
        assert not list(root.iter(f"{SVG}img"))
        assert HOSTILE in "".join(root.itertext())


def test_many_links_are_the_strongest_of_each_name_and_a_number():
    names = [f"a{i}" for i in range(8)]
    pairs = [(i, j) for i in range(8) for j in range(i + 1, 8)]
    links = [Link(names[i], names[j], 1 / (1 + i + j), 1 + (i + j) // 5) for i, j in pairs]
    drawn = strongest(links)
    for name in names:  # the three strongest of every name are among them
        own = sorted((link for link in links if name in (link.first, link.second)), key=lambda k: -k.share)
        assert set(own[:3]) <= set(drawn)
    assert len(drawn) < len(links)
    svg = links_svg(names, dict.fromkeys(names, 0.1), links, target="y")
    assert svg.count('class="edge tree') == len(drawn)
    last = max(link.step for link in links)
    counted = [int(n) for n in re.findall(rf'class="only s{last}"><text[^>]*>\+(\d+)<', svg)]
    assert sum(counted) == 2 * (len(links) - len(drawn))  # every link that is not drawn, at both ends
    assert 'class="node class"' in svg
