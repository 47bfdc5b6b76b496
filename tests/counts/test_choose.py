"""The choice of kernel, and that small tables never wait for numba."""

import subprocess
import sys

import pytest

from pgm_nb.counts import choose, is_loaded, is_warm, warm_up
from pgm_nb.counts.table import Layout

WDBC = Layout((5,) * 30, 2)


def test_many_rows_per_cell_favour_bit_planes():
    limit = choose.bit_limit("auto", WDBC, 100_000)
    assert 15 * 15 < limit < 20 * 20  # up to 16-20 states at 1e5 rows
    assert choose.bit_limit("auto", Layout((8, 8), 10), 2000) < limit
    assert choose.bit_limit("histogram", WDBC, 100) == -1
    assert choose.bit_limit("bitset", WDBC, 100) >= 254**2


@pytest.mark.parametrize(
    ("loaded", "warm", "n_rows", "compiled"),
    [
        (True, True, 569, True),
        (False, True, 569, False),
        (False, True, 5_000_000, True),
        (False, False, 5_000_000, False),
        (False, False, 100_000_000, True),
    ],
)
def test_auto_loads_numba_only_where_it_pays(monkeypatch, loaded, warm, n_rows, compiled):
    monkeypatch.setattr(choose, "is_loaded", lambda: loaded)
    monkeypatch.setattr(choose, "is_warm", lambda: warm)
    assert choose.use_compiled("auto", WDBC, n_rows) is compiled


def test_warm_up_leaves_the_kernels_ready():
    warm_up()
    assert is_loaded()
    assert is_warm()


def test_a_small_table_is_counted_without_numba():
    program = (
        "import sys, numpy as np\n"
        "from pgm_nb.counts import count\n"
        "from pgm_nb.information import information\n"
        "counts = count(np.zeros((30, 569), dtype=np.uint8), np.zeros(569, dtype=int), (5,) * 30, 2)\n"
        "information(counts)\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
