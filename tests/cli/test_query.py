"""``pgm-nb query`` and ``pgm-nb next``."""

import pytest

import pgm_nb as pnb


def test_query_and_next(run, model):
    code, out, _ = run("query", model, "--given", "fever=40", "--given", "cough=yes")
    assert code == 0
    table = pnb.load(model).query("outcome", given={"fever": 40, "cough": "yes"})
    assert out.split() == ["outcome", "probability", "ill", f"{table['probability'][0]:.6f}", "well",
                           f"{table['probability'][1]:.6f}"]  # fmt: skip
    code, out, _ = run("query", model, "--of", "cough", "--of", "outcome", "--apart")
    assert (code, out.split()[:3]) == (0, ["variable", "state", "probability"])
    code, out, _ = run("next", model, "--given", "fever=40")
    assert code == 0
    assert sorted(line.split()[0] for line in out.splitlines()[1:]) == ["age", "cough"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query", "{model}", "--given", "fever"], "NAME=VALUE"),
        (["query", "{model}", "--given", "fevr=40"], "did you mean 'fever'"),
        (["query", "{model}", "--given", "cough=ja"], "'cough' has no state 'ja'"),
        (["query", "{model}", "--of", "outcom"], "did you mean 'outcome'"),
        (["next", "{model}", "--given", "outcome=ill"], "is given"),
    ],
)
def test_mistakes_in_questions(run, model, arguments, sentence):
    code, out, err = run(*(a.format(model=model) for a in arguments))
    assert (code, out) == (2, "")
    assert sentence in err
