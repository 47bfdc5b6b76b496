"""README and the guides say what the program does: their commands run, and their figures are computed."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FEWER = {"compare": ["--folds", "2", "--repeats", "1"]}  # the same command, made quick


def fenced(page):
    """Yield the parts of a page with their language: None outside of fences, "" for shell and output."""
    language = None
    for place, part in enumerate(
        re.split(r"^```(.*)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ):
        if place % 2 == 0:
            yield part, language
        else:
            language = part if language is None else None


def commands(page):
    """Yield every `pgm-nb` command of a page as words, and what the page says that it prints, if it does."""
    for text, language in fenced(page):
        if language is None:
            for line in re.findall(r"`(pgm-nb \w[^`]+)`", text):
                yield shlex.split(line)[1:], None
        elif language == "":
            for part in re.split(r"^(?=\$ |pgm-nb )", re.sub(r",\n", ",", text), flags=re.MULTILINE):
                line, _, printed = part.partition("\n")
                if line.removeprefix("$ ").startswith("pgm-nb "):
                    shown = printed if line.startswith("$ ") and printed else None
                    yield shlex.split(line.removeprefix("$ "), comments=True)[1:], shown


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """What a reader brings, under the names that the guides use."""
    rng = np.random.default_rng(0)
    n = 1200
    ill = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "pulse": 70 + 10 * ill + rng.integers(-15, 15, n),
            "glucose": (5 + ill + rng.normal(size=n)).round(1),
            "cough": rng.choice(["yes", "no"], n),
            "outcome": np.array(["well", "ill"])[ill],
        }
    )
    monkeypatch.chdir(tmp_path)
    parts = {"patients": table[:120], "here": table[:600], "there": table[600:], "new": table[:9]}
    for name, part in parts.items():
        part.drop(columns="outcome" if name == "new" else []).to_csv(f"{name}.csv", index=False)
    for place in (1, 2):
        table[place:120:2].to_parquet(f"part-{place}.parquet", index=False)
    X, y = pnb.load_sample("heart")
    X.assign(**{"class": y}).to_csv("heart.csv", index=False)
    Path("codebook.csv").write_text("column,value,name,unit\nglucose,,,mmol/l\n")
    pnb.TreeAugmentedNaiveBayes().fit(table[["age", "pulse", "glucose", "cough"]], table["outcome"]).export(
        "expert.bif"
    )
    pnb.Project("iris", is_sample=True).save("work.pgmnbproj")
    monkeypatch.setattr("pgm_nb.app.shell.launch.launch", lambda *given, **options: 0)
    return tmp_path


def raw(table):
    """Return a table with three things to repair: a number that means unknown, units, and spellings."""
    table = table.astype({"age": object, "pulse": object})
    table.loc[:8, "age"] = -999
    table.loc[3:12, "cough"] = " Yes"
    table["pulse"] = table["pulse"].astype(str) + " bpm"
    return table


def known_options(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    return set(re.findall(r"--?[a-z-]+", capsys.readouterr().out))


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.stem)
def test_every_command_runs(page, folder, capsys):
    """In order, with the files of those before it; of what is no whole command the options exist."""
    if page.stem == "repairs":
        for name in ("patients.csv", "new.csv"):
            raw(pd.read_csv(name)).to_csv(name, index=False)
    failed = []
    for (command, *words), printed in commands(page):
        if command == "reproduce" or not words or words[0].startswith("-"):
            assert {word for word in words if word.startswith("-")} <= known_options(command, capsys), words
            continue
        given = [name for word in words for name in (map(str, Path().glob(word)) if "*" in word else [word])]
        code = main([command, *given, *FEWER.get(command, [])])
        said = capsys.readouterr()
        if code or (printed and said.out.split() != printed.split()):
            failed.append((command, *words, code, said.err or said.out))
    assert failed == []


def gap(sample, **choices):
    """Bits below the best tree."""
    return pnb.GeneralizedNaiveBayes(**choices).fit(*pnb.load_sample(sample)).divergence_.gap


def gains_of_exact_search():
    """Return by how many bits the exact tree of k clusters is heavier than the greedy one, for every k."""
    X, y = pnb.load_sample("wdbc")
    return np.array(
        [
            np.subtract(
                *(
                    pnb.GeneralizedNaiveBayes(search=search, max_clusters=k, parameters="generative")
                    .fit(X, y)
                    .divergence_.weight
                    for search in ("exact", "greedy")
                )
            )
            for k in range(1, 29)
        ]
    )


def figures():
    """Yield pages, and sentences of theirs with the figures that the program gives."""
    below = f"{gap('wdbc', search='greedy'):.3f} bits"
    yield "README.md", f"It captures {below} less than the best tree"
    yield "docs/gallery/first-tree.md", f"The greedy search found a tree {below} below the best one"
    assert gap("wdbc", search="optimal") < 1e-9
    yield "docs/models.md", f"on iris it is {gap('iris', search='optimal'):.3f} bits below it"
    gains = gains_of_exact_search()
    assert gains.min() > -1e-9
    heavier = f"{(gains > 1e-9).sum()} of {len(gains)} values of k, by up to {gains.max():.2f} bits"
    yield "docs/models.md", f"heavier than the greedy tree for {heavier}"
    X, y = pnb.load_sample("heart")
    model = pnb.GeneralizedNaiveBayes(
        search="exact",
        required=[("age", "serum cholesterol")],
        forbidden=[("age", "major vessels colored")],
    ).fit(X, y)
    one, other = model.constraints_["price"]
    yield (
        "docs/models.md",
        f"required age - serum cholesterol: {one:.3f} bits; forbidden ...: {other:.3f} bits",
    )
    yield "docs/models.md", f"model.trace_.price # {model.trace_.price:.3f} bits for all"
    by_class = pnb.ClassTreesBayes().fit(X, y).trace_.to_frame()["weight"].iloc[-1]
    best = pnb.TreeAugmentedNaiveBayes().fit(X, y).divergence_.weight_best
    yield (
        "docs/models.md",
        f"{by_class:.2f} bits on the heart table, where the best single tree has {best:.2f}",
    )
    weights = pnb.AttributeWeightedNaiveBayes().fit(X, y).weights_
    counted = f"count {weights['ST depression']:.2f} and {weights['ST slope']:.2f} times"
    yield "docs/models.md", counted
    exact, steps = (
        pnb.GeneralizedNaiveBayes(order=4, search=search, parameters="generative")
        .fit(*pnb.load_sample("car"))
        .divergence_.weight
        for search in ("exact", "greedy")
    )
    yield "docs/models.md", f"{exact:.3f} bits on the car table, where the steps reach {steps:.3f}"
    cards = [c.card for c in pnb.GeneralizedNaiveBayes().fit(X, y).encoder_.columns]
    assert max(cards) == 10
    yield "docs/gallery/own-knowledge.md", "the default, up to ten intervals"


def test_figures_in_sentences_are_what_the_program_gives():
    for page, sentence in figures():
        assert sentence in " ".join((ROOT / page).read_text(encoding="utf-8").split()), (page, sentence)


def test_benchmarks_that_pages_name_take_the_options_they_name():
    named = [
        (name, options)
        for page in PAGES
        for name, options in re.findall(r"(benchmarks/\w+\.py)([^`]*)`", page.read_text(encoding="utf-8"))
    ]
    assert len(named) > 20
    for name, options in named:
        scripts = (ROOT / "benchmarks").glob(
            "*.py" if name.endswith("run.py") else Path(name).name
        )  # it hands on
        script = "".join(path.read_text(encoding="utf-8") for path in scripts)
        for option in re.findall(r"(?<!\S)--[a-z-]+", options):
            assert f'"{option}"' in script, (name, option)


def snippets(page):
    """Python of a page that is no doctest."""
    return [text for text, language in fenced(page) if language == "python" and ">>>" not in text]


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)], ids=lambda page: page.stem)
def test_every_snippet_runs(page, folder):
    """One after the other; the result that a comment shows is the one there is."""
    names = {"pnb": pnb}
    for snippet in snippets(page):
        exec(snippet, names)  # ours, from the repository
        for expression, shown in re.findall(r"^(\S.*?)  # (\(.*\))$", snippet, re.MULTILINE):
            assert repr(eval(expression, names)) == shown


def cells(name):
    """Return the cells "accuracy / log-loss" of every table's row on a page."""
    rows = [line.split(" | ") for line in (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()]
    found = {
        row[0].strip("| "): {cell for cell in row if re.fullmatch(r"[\d.]+ / [\d.]+", cell)} for row in rows
    }
    return {table: figures for table, figures in found.items() if figures and "*" not in table}


def test_figures_of_many_classes_are_those_of_the_ranking():
    many, ranking = cells("which_model.md"), cells("ranking.md")
    assert len(many) == 17
    for table, figures in many.items():
        assert figures <= ranking[table], (table, figures - ranking[table])
