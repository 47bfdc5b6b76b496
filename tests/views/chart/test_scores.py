"""Charts of a comparison: what is in them, and that names are data, never fields."""

import math

from pgm_nb.views.chart.scores import calibration_chart, score_chart

HOSTILE = "a.b[0]:Q \\ 'x'"


def values(chart):
    return [list(rows) for rows in chart.to_dict()["datasets"].values()]


def test_scores_are_all_there_and_failures_left_out():
    chart = score_chart(
        {HOSTILE: [0.5, math.nan, 0.7], "gone": [math.nan]},
        {HOSTILE: (0.6, 0.1), "gone": (math.nan, math.nan)},
        "accuracy",
    )
    dots, means = values(chart)
    assert dots == [{"model": HOSTILE, "score": 0.5}, {"model": HOSTILE, "score": 0.7}]
    assert [(row["model"], row["low"], row["high"]) for row in means] == [(HOSTILE, 0.5, 0.7)]
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["sort"] == [HOSTILE, "gone"]


def test_the_diagonal_reaches_the_lowest_point():
    chart = calibration_chart({"NB": [(0.7, 0.3, 50), (0.9, 0.8, 50)], "none": []})
    ends, points = values(chart)
    assert [end["predicted"] for end in ends] == [0.3, 1.0]
    assert [point["rows"] for point in points] == [50, 50]


def test_models_keep_their_colours():
    encoding = calibration_chart({"b": [(0.7, 0.3, 5)], "a": [(0.8, 0.4, 5)]}).to_dict()["layer"][1][
        "encoding"
    ]
    assert encoding["color"]["scale"]["domain"] == ["b", "a"]


def test_the_best_is_marked():
    chart = score_chart({"NB": [0.5], "TAN": [0.7]}, {"NB": (0.5, 0.1), "TAN": (0.7, 0.1)}, "x", best="TAN")
    _, means = values(chart)
    assert {row["model"]: row["best"] for row in means} == {"NB": False, "TAN": True}
    [word] = [layer for layer in chart.to_dict()["layer"] if layer["mark"]["type"] == "text"]
    assert (word["mark"]["text"], word["transform"]) == ("best", [{"filter": "datum.best"}])
