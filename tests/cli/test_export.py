"""``pgm-nb export``: every format."""

import pytest


@pytest.mark.parametrize(
    "ending", ["dot", "svg", "png", "pdf", "json", "graphml", "bif", "xmlbif", "bifxml", "xdsl", "net", "uai"]
)
def test_export(run, model, tmp_path, ending):
    target = tmp_path / f"tree.{ending}"
    assert run("export", model, "-o", target, "--view", "junction")[0] == 0
    assert target.stat().st_size > 100
