"""Models that take long are learned in the background."""

import numpy as np
import pandas as pd

from pgm_nb.app.widgets.markdown import literal


def test_a_slow_model_is_waited_for_with_a_bar(visit, finished):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    frame = pd.DataFrame(rng.normal(size=(80, 61)) + y[:, None], columns=[f"x{i}" for i in range(61)])
    app = visit(model="local-pca", sample="iris")
    content = frame.assign(**{"class": y}).to_csv(index=False).encode()
    app.file_uploader(key="file").upload("wide.csv", content).run()
    assert not app.exception
    assert not app.error
    assert app.get("progress") or app.caption  # at work, or done already
    app = finished(app)
    assert literal("80 rows, 61 attributes") in app.caption[0].value
