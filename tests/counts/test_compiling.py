"""Compiled code on disk is tied to everything that it was made from."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import pgm_nb
from pgm_nb.counts import kernels
from pgm_nb.training import descent

PACKAGE = Path(pgm_nb.__file__).parent
KERNEL = """
from pgm_nb.counts.compiled_constant import FACTOR
from pgm_nb.counts.compiling import compile_for, types, write

@compile_for(write(types.int64))
def multiply(numbers):
    numbers[0] *= FACTOR
"""
RUN = """
import numpy as np
from pgm_nb.counts.kernels import CompiledModule
CompiledModule("pgm_nb.counts.compiled_kernel", 0, 0).load()
from pgm_nb.counts.compiled_kernel import multiply
numbers = np.array([10])
multiply(numbers)
print(numbers[0])
"""


def test_a_constant_of_another_file_is_not_kept_in_compiled_code(tmp_path):
    """Also where neither the time nor the size of a file tells that it was edited."""
    folder = tmp_path / "pgm_nb" / "counts"
    shutil.copytree(PACKAGE, folder.parent, ignore=shutil.ignore_patterns("__pycache__", "app"))
    folder.joinpath("compiled_kernel.py").write_text(KERNEL)

    def run(constant):
        file = folder / "compiled_constant.py"
        file.write_text(constant)
        os.utime(file, (1e9, 1e9))
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("NUMBA_CACHE_DIR", None)
        ran = subprocess.run(
            [sys.executable, "-c", RUN], capture_output=True, text=True, cwd=tmp_path, env=environment
        )
        assert ran.returncode == 0, ran.stderr
        return int(ran.stdout)

    assert run("FACTOR = 3\n") == 30
    assert len(list(tmp_path.rglob("*.code"))) == 1
    assert run("FACTOR = 7\n") == 70


def module_name(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_everything_compiled_is_in_a_file_that_the_fingerprint_depends_on():
    """Constants come from there too: besides, kernels import types and the note that they are ready."""
    compiled = set(map(module_name, kernels.sources()))
    for path in PACKAGE.rglob("*.py"):
        name = module_name(path)
        imported = set(re.findall(r"^ *(?:from|import) ([\w.]+)", path.read_text(encoding="utf-8"), re.M))
        if name != "pgm_nb.counts.compiling":
            assert not {one for one in imported if one.split(".")[0] in {"numba", "llvmlite"}}, name
        if name in compiled:
            ours = {one for one in imported if one.startswith("pgm_nb")}
            assert ours <= compiled | {"pgm_nb.arrays", "pgm_nb.counts.kernels"}, name
        else:
            assert "pgm_nb.counts.compiling" not in imported, name


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Three places for compiled code, the first of which cannot be written to."""
    tmp_path.joinpath("file").touch()
    places = [tmp_path / "file" / "below", tmp_path / "first", tmp_path / "second"]
    monkeypatch.setattr(kernels, "_places", lambda: iter(places))
    return places


def test_what_was_kept_is_found_in_any_place(places):
    kernels.keep("kernel", b"code")
    folder = places[1] / kernels.fingerprint()
    assert folder.joinpath("kernel").read_bytes() == b"code"
    assert kernels.kept("kernel") == b"code"
    places[2].mkdir()
    folder.rename(places[2] / folder.name)
    places[1].rmdir()
    places[1].touch()  # no longer a folder
    assert kernels.kept("kernel") == b"code"
    assert kernels.kept("other") is None


def test_nothing_is_kept_or_found_once_a_kernel_was_edited(places, monkeypatch):
    kernels.keep("kernel", b"code")
    monkeypatch.setattr(kernels, "fingerprint", lambda: "pgm_nb-edited")
    assert kernels.kept("kernel") is None
    kernels.keep("other", b"code")
    assert [folder.name for folder in places[1].iterdir()] != ["pgm_nb-edited"]
    assert not list(places[1].rglob("other"))


def test_the_fingerprint_depends_on_versions(monkeypatch):
    now = kernels.fingerprint()
    for package in ("numba", "llvmlite", "numpy"):
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "_version", lambda name, other=package: "0.1" if name == other else "1")
            assert kernels.fingerprint() != now
    monkeypatch.setattr(kernels, "__version__", "0.0.0")
    assert kernels.fingerprint() != now


def test_a_place_holds_few_old_folders(places):
    for i in range(9):
        folder = places[1] / f"pgm_nb-{i}"
        folder.mkdir(parents=True)
        folder.joinpath("kernel").touch()
        os.utime(folder, (i, i))
    kernels.keep("kernel", b"code")
    left = sorted(folder.name for folder in places[1].iterdir())
    assert left == sorted([*(f"pgm_nb-{i}" for i in (6, 7, 8)), kernels.fingerprint()])


def test_damaged_code_is_compiled_again(places):
    descent.COMPILED.load()
    from pgm_nb.counts.compiling import _OnDisk, types
    from pgm_nb.training.compiled_cells import add_and_multiply

    assert type(add_and_multiply._cache) is _OnDisk
    ((arguments, _),) = add_and_multiply.overloads.items()
    signature = types.void(*arguments)
    fresh = numba.njit(nogil=True)(add_and_multiply.py_func)  # code that was read cannot be written again
    fresh.compile(signature)
    ((_, result),) = fresh.overloads.items()
    disk, context = _OnDisk(add_and_multiply.py_func), fresh.targetctx
    disk.save_overload(signature, result)
    assert disk.load_overload(signature, context) is not None
    (file,) = places[1].rglob("*.add_and_multiply-*.code")
    whole = file.read_bytes()
    for damaged in (b"", whole[:10], whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1])):
        file.write_bytes(damaged)
        assert disk.load_overload(signature, context) is None
