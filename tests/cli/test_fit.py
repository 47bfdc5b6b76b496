"""``pgm-nb fit``: the numbers, and the options of every model."""

import pytest

import pgm_nb as pnb
from pgm_nb.cli import main


def test_fit_prints_the_numbers_and_saves(run, tmp_path):
    code, out, _ = run("fit", "wdbc", "--bins", 5, "-o", tmp_path / "wdbc.pgmnb")
    assert code == 0
    for figure in ("28.4868 bits", "8.7858", "28.6229", "32.9706 bits", "0.1361 bits", "worst radius"):
        assert figure in out
    assert pnb.load(tmp_path / "wdbc.pgmnb").search == "greedy"


def test_fit_says_when_the_tree_is_the_best_there_is(run):
    assert "proven best" in run("fit", "wdbc", "--search", "exact")[1]
    assert "proven best" in run("fit", "wdbc", "--search", "optimal")[1]
    assert "proven best" not in run("fit", "iris", "--search", "optimal")[1]


def test_fit_says_how_far_probabilities_can_be_relied_on(run):
    code, out, _ = run("fit", "iris", "--model", "gaussian", "--calibration")
    assert code == 0
    found = pnb.calibration(pnb.GaussianNaiveBayes(), *pnb.load_sample("iris"))
    assert f"everything known: {found.levels['all'].sentence}" in out
    for level in found.levels.values():
        assert f"{level.curve.error:.4f}" in out
    assert "everything known" not in run("fit", "iris", "--model", "gaussian")[1]


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--model", "nb", "--smoothing", "none"], {"smoothing": None}),
        (
            ["--model", "tan", "--smoothing", "0.5", "--missing", "mode"],
            {"smoothing": 0.5, "missing": "mode"},
        ),
        (["--search", "exact", "--max-clusters", "2"], {"search": "exact", "max_clusters": 2}),
        (["--discretizer", "uniform", "--bins", "3"], {"discretizer": "uniform", "n_bins": 3}),
        (["--discretizer", "none"], {"discretizer": None}),
        (["--model", "kernel", "--joining", "none"], {"threshold": None}),
        (["--model", "kernel", "--joining", "groups"], {"max_joined": None}),
        (["--model", "kernel", "--max-joined", "3"], {"max_joined": 3}),
        (
            ["--model", "kernel", "--threshold", "0.2", "--smoothing", "none"],
            {"threshold": 0.2, "smoothing": None},
        ),
        (
            ["--model", "kernel", "--joining", "binned", "--bins", "3"],
            {"discretizer": "quantile", "n_bins": 3},
        ),
    ],
)
def test_fit_options_reach_the_model(run, patients, tmp_path, options, parameters):
    out = tmp_path / "m"
    assert run("fit", patients, "--class", "outcome", *options, "-o", out)[0] == 0
    model = pnb.load(out)
    assert {name: getattr(model, name) for name in parameters} == parameters


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--model", "hnb"], {"smoothing": 1.0}),
        (["--model", "hnb", "--smoothing", "hierarchical"], {"smoothing": "hierarchical"}),
        (
            ["--model", "phnb", "--threshold", "auto", "--smoothing", "0.5"],
            {"threshold": "auto", "smoothing": 0.5},
        ),
        (["--model", "phnb", "--threshold", "0.01"], {"threshold": 0.01}),
        (["--model", "phnb"], {"threshold": "average"}),
    ],
)
def test_hidden_parents_on_the_command_line(run, patients, tmp_path, options, parameters):
    path = tmp_path / "hidden.pgmnb"
    code, out, _ = run("fit", patients, "--class", "outcome", *options, "-o", path)
    assert code == 0
    assert "KL divergence    not defined: " in out
    model = pnb.load(path)
    assert {name: model.get_params()[name] for name in parameters} == parameters
    code, out, _ = run("predict", path, patients)
    assert code == 0
    assert out.splitlines()[0] == "prediction,P(ill),P(well)"
    code, _, _ = run("export", path, "-o", tmp_path / "map.svg", "--view", "heatmap")
    assert code == 0
    code, _, err = run("export", path, "-o", tmp_path / "network.bif")
    assert code == 2
    assert "holds a Bayesian network" in err
    code, out, _ = run("query", path, "--given", "fever=40")
    assert code == 0
    assert "ill" in out
    code, _, err = run("query", path, "--of", "cough")
    assert code == 2
    assert "gives probabilities of the class only" in err
    assert run("query", path, "--likeliest")[0] == 2
    code, out, _ = run("next", path)
    assert code == 0
    *table, remark = out.splitlines()
    assert sorted(line.split()[0] for line in table[1:]) == ["age", "cough", "fever"]
    assert remark.startswith("Each on its own.")


def test_a_model_that_does_not_exist(capsys, patients):
    with pytest.raises(SystemExit):
        main(["fit", str(patients), "--model", "magic"])
    assert "choose from nb, tan, gnb, hnb, phnb" in capsys.readouterr().err


def test_the_help_names_every_option_of_every_model(capsys):
    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    said = " ".join(capsys.readouterr().out.split()).replace("- ", "-")  # lines break behind hyphens
    for kind in pnb.MODELS:
        assert f"{kind.about.short_name}: {kind.about.title}" in said
        assert all(option.written in said for option in kind.about.options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--model", "nb", "--search", "exact"], "Naive Bayes (nb) has no option --search; leave it out"),
        (["--search", "magic"], "--search must be one of greedy, optimal, exact, class, but is 'magic'"),
        (["--model", "phnb", "--threshold", "magic"], "--threshold must be one of average, auto, a number"),
        (["--bins", "2.5"], "--bins must be a whole number, but is '2.5'"),
    ],
)
def test_options_that_cannot_be(run, patients, options, sentence):
    code, out, err = run("fit", patients, "--class", "outcome", *options)
    assert (code, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize("model", ["nb", "tan", "gnb"])
def test_two_rows_are_not_proven_best(model, run, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,b,class\nx,p,ill\ny,q,well\n")
    code, out, _ = run("fit", path, "--model", model, "--parameters", "generative")
    assert code == 0
    assert "below best tree      0.0000 bits" in out
    assert "proven best" not in out
