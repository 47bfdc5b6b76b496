"""Counting compared with a C program that does the same: `python benchmarks/limit.py`.

Prints milliseconds (best of several) per shape: the C program on one core, our kernels on one and two
threads, other kernels, then the information of all pairs and the joint entropy.
"""

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from synthetic import sample_tree

from pgm_nb.counts import count
from pgm_nb.information import information, joint_entropy
from pgm_nb.warm_up import warm_up

SHAPES = (  # rows, attributes, states, classes
    (5_000, 30, 5, 2),
    (100_000, 30, 5, 2),
    (100_000, 100, 5, 2),
    (2_000, 240, 7, 10),
    (2_000, 1000, 4, 2),
    (1_000_000, 50, 5, 2),
)


def compiled_limit(folder: str):
    """Compile limit.c and return a function of (codes, y, v, k) that gives the packed tables."""
    source, library = Path(__file__).with_name("limit.c"), Path(folder) / "limit.so"
    subprocess.run(
        ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)], check=True
    )
    function = ctypes.CDLL(str(library)).count_pairs
    pointer = ctypes.c_void_p
    function.argtypes = [pointer, pointer, *[ctypes.c_long] * 4, pointer, pointer]
    function.restype = None

    def limit(codes, y, v, k):
        d, n = codes.shape
        singles = np.zeros(k * d * v, dtype=np.int32)
        pairs = np.zeros(d * (d - 1) // 2 * k * v * v, dtype=np.int32)
        function(codes.ctypes.data, y.ctypes.data, n, d, v, k, singles.ctypes.data, pairs.ctypes.data)
        return pairs

    return limit


def best_ms(function, *arguments, seconds=1.0, **options):
    """Return the best time of repeated calls, in milliseconds."""
    times = []
    while len(times) < 3 or sum(times) < seconds:
        start = time.perf_counter()
        function(*arguments, **options)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main():
    warm_up()
    titles = ("C, 1 core", "1 thread", "2 threads", "histogram", "numpy", "information", "joint entropy")
    print(f"{'rows x attributes (states, classes)':<38}" + "".join(f"{title:>14}" for title in titles))
    with tempfile.TemporaryDirectory() as folder:
        limit = compiled_limit(folder)
        for n, d, v, k in SHAPES:
            codes, y = sample_tree(n, d, v, k)
            cards = (v,) * d
            counts = count(codes, y, cards, k)
            assert np.array_equal(limit(codes, y, v, k), counts.pairs)
            table = (codes, y, cards, k)
            times = [
                best_ms(limit, codes, y, v, k),
                best_ms(count, *table, n_threads=1),
                best_ms(count, *table, n_threads=2),
                best_ms(count, *table, kernel="histogram", n_threads=1, seconds=0),
                best_ms(count, *table, kernel="numpy", seconds=0),
                best_ms(information, counts),
                best_ms(joint_entropy, codes, y, cards),
            ]
            print(f"{n:,} x {d} ({v}, {k})".ljust(38) + "".join(f"{ms:14.2f}" for ms in times), flush=True)


if __name__ == "__main__":
    main()
