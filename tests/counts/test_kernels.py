"""The choice of kernel, and that small tables never wait for numba."""

import subprocess
import sys

import pytest

from pgm_nb.counts import counting, kernels
from pgm_nb.counts.dense import numpy_seconds
from pgm_nb.counts.kernels import CompiledModule
from pgm_nb.counts.planes import COMPILED, bit_limit
from pgm_nb.counts.table import Layout
from pgm_nb.errors import DataError, MissingPackageError

WDBC = Layout((5,) * 30, 2)


def test_many_rows_per_cell_favour_bit_planes():
    limit = bit_limit("auto", WDBC, 100_000)
    assert 15 * 15 < limit < 20 * 20  # up to 16-20 states at 1e5 rows
    assert bit_limit("auto", Layout((8, 8), 10), 2000) < limit
    assert bit_limit("histogram", WDBC, 100) == -1
    assert bit_limit("bitset", WDBC, 100) >= 254**2


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
    imported = []
    monkeypatch.setattr(kernels, "_SPENT", {})
    monkeypatch.setattr(CompiledModule, "is_loaded", lambda self: loaded)
    monkeypatch.setattr(CompiledModule, "is_warm", lambda self: warm)
    monkeypatch.setattr(kernels, "import_module", imported.append)
    assert COMPILED.chosen("auto", counting.KERNELS, numpy_seconds(WDBC, n_rows)) is compiled
    assert imported == ([COMPILED.name] if compiled and not loaded else [])


def test_many_small_pieces_of_work_are_as_much_as_a_large_one(monkeypatch):
    imported = []
    monkeypatch.setattr(kernels, "_SPENT", {})
    monkeypatch.setattr(CompiledModule, "is_loaded", lambda self: False)
    monkeypatch.setattr(CompiledModule, "is_warm", lambda self: True)
    monkeypatch.setattr(kernels, "import_module", imported.append)
    piece = COMPILED.load_seconds / 3.5
    assert [COMPILED.chosen("auto", counting.KERNELS, piece) for _ in range(4)] == [False, False, False, True]
    assert imported == [COMPILED.name]


def test_without_numba_it_is_looked_for_once(monkeypatch):
    tried = []

    def absent(name):
        tried.append(name)
        raise ImportError

    monkeypatch.setattr(kernels, "_SPENT", {})
    monkeypatch.setattr(CompiledModule, "is_loaded", lambda self: False)
    monkeypatch.setattr(kernels, "import_module", absent)
    assert [COMPILED.chosen("auto", counting.KERNELS, 1e9) for _ in range(3)] == [False] * 3
    assert tried == [COMPILED.name]


def test_what_is_asked_for_is_done():
    assert not COMPILED.chosen("numpy", counting.KERNELS, 1e9)
    assert COMPILED.chosen("bitset", counting.KERNELS, 0.0)
    with pytest.raises(DataError, match=r"kernel must be one of 'auto', 'numpy', .* got 'fast'"):
        COMPILED.chosen("fast", counting.KERNELS, 0.0)


def test_without_numba_numpy_counts_and_a_compiled_kernel_is_refused(monkeypatch):
    def absent(name):
        raise ImportError("No module named 'numba'")

    monkeypatch.setattr(CompiledModule, "is_loaded", lambda self: False)
    monkeypatch.setattr(kernels, "import_module", absent)
    assert not COMPILED.chosen("auto", counting.KERNELS, 1e9)
    with pytest.raises(MissingPackageError, match=r"numba is needed for a compiled kernel.*auto"):
        COMPILED.chosen("bitset", counting.KERNELS, 0.0)


def test_kernels_compiled_by_another_numba_are_not_warm(monkeypatch):
    COMPILED.load()
    monkeypatch.delitem(sys.modules, COMPILED.name)
    assert COMPILED.is_warm()
    monkeypatch.setattr(kernels, "_at_first", lambda: "pgm_nb-other")
    assert not COMPILED.is_warm()


def test_warm_up_leaves_the_kernels_ready():
    COMPILED.load()
    assert COMPILED.is_loaded()
    assert COMPILED.is_warm()


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


def test_steady_looks_at_this_work_alone(monkeypatch):
    monkeypatch.setattr(kernels, "_SPENT", {COMPILED.name: 1e9})
    names = (*counting.KERNELS, "steady")
    assert not COMPILED.chosen("steady", names, COMPILED.load_seconds / 2)
    assert COMPILED.chosen("steady", names, COMPILED.load_seconds * 2)
