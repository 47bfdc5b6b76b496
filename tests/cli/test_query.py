"""``pgm-nb query`` and ``pgm-nb next``."""

import pytest

import pgm_nb as pnb


def test_query_and_next(run, model):
    code, out, _ = run("query", model, "--given", "fever=40", "--given", "cough=yes")
    assert code == 0
    table = pnb.load(model).query("outcome", given={"fever": 40, "cough": "yes"})
    assert out.split()[:6] == ["outcome", "probability", "ill", f"{table['probability'][0]:.6f}", "well",
                               f"{table['probability'][1]:.6f}"]  # fmt: skip
    code, out, _ = run("query", model, "--of", "cough", "--of", "outcome", "--apart")
    assert (code, out.split()[:3]) == (0, ["variable", "state", "probability"])
    code, out, _ = run("next", model, "--given", "fever=40")
    assert code == 0
    assert sorted(line.split()[0] for line in out.splitlines()[1:]) == ["age", "cough"]


@pytest.fixture
def generative(patients, tmp_path):
    X, y = pnb.read_table(patients), pnb.read_table(patients)["outcome"]
    path = tmp_path / "generative.pgmnb"
    kind = pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=4)
    kind.fit(X.drop(columns="outcome"), y).save(path)
    return path


@pytest.mark.parametrize(
    ("pieces", "given"),
    [
        (["fever=37.5..39"], {"fever": pnb.between(37.5, 39)}),
        (["fever>38.2", "cough!=yes"], {"fever": pnb.above(38.2), "cough": pnb.not_("yes")}),
        (["cough=yes|no", "age<=50"], {"cough": pnb.one_of("yes", "no"), "age": pnb.between(-1, 50)}),
        (["cough=yes:0.9|no:0.2"], {"cough": {"yes": 0.9, "no": 0.2}}),
    ],
)
def test_kinds_of_evidence(run, generative, pieces, given):
    code, out, _ = run("query", generative, *(a for piece in pieces for a in ("--given", piece)))
    expected = pnb.load(generative).query("outcome", given=given)["probability"]
    assert code == 0
    assert out.split()[3:6:2] == [f"{value:.6f}" for value in expected]


def test_the_most_likely_case(run, generative):
    code, out, _ = run("query", generative, "--likeliest", "--given", "fever>39")
    best = pnb.load(generative).map_query(given={"fever": pnb.above(39)})
    assert code == 0
    assert out.splitlines() == [f"{name} = {state}" for name, state in best.items()]
    assert run("query", generative, "--likeliest", "--of", "cough")[1].startswith("cough = ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query", "{model}", "--given", "fever"], "NAME=VALUE"),
        (["query", "{model}", "--given", "fevr=40"], "did you mean 'fever'"),
        (["query", "{model}", "--given", "cough=ja"], "'cough' has no state 'ja'"),
        (["query", "{model}", "--given", "cough=3..4"], "a range needs numbers"),
        (["query", "{model}", "--given", "fever=39..38"], "'fever' has no state '39..38'"),
        (["query", "{model}", "--of", "outcom"], "did you mean 'outcome'"),
        (["next", "{model}", "--given", "outcome=ill"], "is given"),
    ],
)
def test_mistakes_in_questions(run, model, arguments, sentence):
    code, out, err = run(*(a.format(model=model) for a in arguments))
    assert (code, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize("second", ["fever=39", "fever=37..39", "fever!=40"])
def test_a_value_given_twice(run, model, second):
    code, _, error = run("query", model, "--given", "fever=40", "--given", second)
    assert (code, error) == (2, "pgm-nb query: 'fever' is given twice: keep one value for it\n")


def test_a_range_names_the_option_that_a_model_without_intervals_needs(run, tmp_path):
    pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris")).save(tmp_path / "g.pgmnb")
    ask = ("query", str(tmp_path / "g.pgmnb"), "--given", "petal width=1..2")
    code, _, err = run(*ask)
    assert code != 0
    assert "--rows TABLE" in err
    code, out, _ = run(*ask, "--rows", "iris")
    assert code == 0
    assert "versicolor" in out


def test_the_likeliest_case_of_a_model_without_junction_tree(run, tmp_path):
    pnb.KDependenceBayes(n_bins=3).fit(*pnb.load_sample("iris")).save(tmp_path / "k.pgmnb")
    code, out, _ = run("query", str(tmp_path / "k.pgmnb"), "--likeliest", "--given", "petal width=2")
    assert code == 0
    assert "class = virginica" in out.splitlines()


@pytest.mark.parametrize("kind", [pnb.HiddenNaiveBayes, pnb.KDependenceBayes, pnb.GeneralizedNaiveBayes])
def test_the_rows_are_those_of_the_most_probable_class(run, tmp_path, kind):
    kind().fit(*pnb.load_sample("iris")).save(tmp_path / "m.pgmnb")
    code, out, _ = run("query", str(tmp_path / "m.pgmnb"), "--given", "petal width=2.3", "--rows", "iris")
    assert code == 0
    assert "such rows are virginica." in out.splitlines()[4]
    assert not out.splitlines()[4].startswith("0 of")
