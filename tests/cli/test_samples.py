"""``pgm-nb samples``."""

import pgm_nb as pnb


def test_samples_lists_every_sample(run):
    code, out, _ = run("samples")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(pnb.SAMPLES)
    assert "569 rows  30 attributes  classes: benign, malignant" in out.splitlines()[0]
