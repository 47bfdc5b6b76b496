"""What happens when the machine fails: no room, no home, no fonts, a strange clock or language."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import pgm_nb as pnb
from pgm_nb.app.pages.export import network
from pgm_nb.app.shell.fitting import FittedModel, Settings, model_file
from pgm_nb.errors import FileError, RenderError
from pgm_nb.views.native import _laid_out

NOWHERE = "/dev/null/nowhere"  # a folder that nobody can make or write to
full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no device that is always full"
)


@pytest.fixture(scope="module")
def model():
    return pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris"))


def python(code, *words, **environment):
    """Run code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def command(*words, stdout=subprocess.PIPE, **environment):
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pgm_nb.cli", *map(str, words)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        check=False,
    )


@full
@pytest.mark.parametrize("write", ["save", "export"])
def test_a_full_device_is_said(model, tmp_path, write):
    link = tmp_path / ("m.pgmnb" if write == "save" else "m.svg")
    link.symlink_to("/dev/full")
    with pytest.raises(
        FileError, match=r"cannot be written \(No space left on device\): choose another place"
    ):
        getattr(model, write)(link)
    assert list(tmp_path.iterdir()) == [link]


def test_a_disk_that_fills_up_while_writing_leaves_the_old_file(model, tmp_path):
    """The system stops a file at some bytes, as a full disk does, in the middle of it."""
    old = tmp_path / "m.pgmnb"
    model.save(old)
    code = """
        import resource, signal, sys
        import pgm_nb as pnb
        model = pnb.load(sys.argv[1])
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        for path, write in ((sys.argv[1], model.save), (sys.argv[2], model.export)):
            try:
                write(path)
            except pnb.errors.FileError as problem:
                print(problem)
        """
    picture = tmp_path / "m.json"
    before = old.read_bytes()
    ran = python(code, old, picture)
    assert ran.stdout.count("cannot be written (File too large): choose another place.") == 2, ran.stderr
    assert old.read_bytes() == before
    assert list(tmp_path.iterdir()) == [old]  # nothing half-done


@full
@pytest.mark.parametrize("words", [["samples"], ["fit", "iris"], ["fit", "iris", "-o"]])
def test_output_without_room_is_one_line_and_costs_no_model(words, tmp_path):
    path = tmp_path / "m.pgmnb"
    with Path("/dev/full").open("wb") as nowhere:
        ran = command(*words, *([path] if "-o" in words else []), stdout=nowhere)
    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines() == [
        f"pgm-nb {words[0]}: the output cannot be written or read (No space left on device)."
    ]
    if "-o" in words:
        assert pnb.load(path).classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_downloads_need_no_room_on_disk(model, monkeypatch):
    def no_room(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryDirectory", no_room)
    monkeypatch.setattr("tempfile.TemporaryFile", no_room)
    assert model_file(FittedModel(model, ("", Settings("class")))).startswith(b"PK")
    assert network(model, "bif").startswith(b"//")
    assert network(model, "uai").startswith(b"PK")
    with pytest.raises(RenderError, match="needs room for temporary files"):  # Graphviz does
        _laid_out(model.structure_.to_dot(), "svg", 72)


def test_a_home_that_cannot_be_written(tmp_path):
    path = tmp_path / "m.svg"
    model = tmp_path / "m.pgmnb"
    homeless = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NUMBA_CACHE_DIR"), NOWHERE)
    for words in (["fit", "iris", "-o", model], ["export", model, "-o", path]):
        ran = command(*words, **homeless)
        assert (ran.returncode, ran.stderr) == (0, b"")
    assert "<svg" in path.read_text(encoding="utf-8")


def test_kernels_compile_where_nothing_can_be_kept():
    code = """
        import numpy as np
        from pgm_nb.counts import kernels
        kernels._places = lambda: iter(())  # as in a read-only installation without a home
        from pgm_nb.training.compiled_cells import add_and_multiply
        numbers, product = np.ones(3), np.zeros(1)
        add_and_multiply(numbers, np.ones(3), 1.0, np.ones(3), product)
        print(numbers, product)
        """
    ran = python(code)
    assert ran.stdout == "[2. 2. 2.] [6.]\n", ran.stderr


def test_a_machine_without_fonts(tmp_path):
    code = """
        import sys, pgm_nb as pnb
        structure = pnb.NaiveBayes().fit(*pnb.load_sample("iris")).structure_
        for ending in ("svg", "png", "pdf"):
            print(len(structure.export(ending)) > 1000)
        """
    nothing = {"FONTCONFIG_PATH": NOWHERE, "FONTCONFIG_FILE": f"{NOWHERE}/fonts.conf", "HOME": NOWHERE}
    ran = python(code, **nothing)
    assert ran.stdout == "True\nTrue\nTrue\n", ran.stderr
    assert ran.stderr == ""


CODE = {  # what needs each package, in the order in which they are missing
    "altair": "pnb.GaussianNaiveBayes().fit(X, y).chart_svg('curves')",
    "vl_convert": "pnb.GaussianNaiveBayes().fit(X, y).chart_svg('curves')",
    "pygraphviz": "pnb.NaiveBayes().fit(X, y).structure_.draw()",
    "pgmpy": "pnb.NaiveBayes().fit(X, y).to_pgmpy()",
}


def test_a_missing_package_is_named():
    ran = python(
        f"""
        import sys
        code = {CODE!r}
        sys.modules |= dict.fromkeys(code)
        import pgm_nb as pnb
        X, y = pnb.load_sample("iris")
        for package, words in code.items():
            try:
                eval(words)
            except pnb.errors.MissingPackageError as problem:
                print(package, problem)
            print(pnb.NaiveBayes().fit(X, y).predict(X.head(1)))
            del sys.modules[package]
        """
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    for package, said, predicted in zip(CODE, lines[::2], lines[1::2], strict=True):
        assert said.startswith(f"{package} ")
        assert "pip install" in said
        assert predicted == "['setosa']"


@pytest.mark.parametrize("year", [1, -1])
def test_a_clock_that_is_wrong(model, tmp_path, monkeypatch, year):
    """In 1970, and in a hundred years: no date is in a file, and no file left behind stays for ever."""
    path = tmp_path / "m.pgmnb"
    model.save(path)
    before = path.read_bytes()
    now = 0.0 if year < 0 else time.time() + 100 * 365 * 86_400
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "localtime", lambda *given: time.gmtime(now))
    model.save(path)
    assert path.read_bytes() == before
    assert pnb.load(path).classes_.tolist() == model.classes_.tolist()
    assert network(model, "uai") == network(model, "uai")


def test_another_language_gives_the_same_files(tmp_path):
    table = tmp_path / "größe.csv"
    rows = "".join(f"{i % 7}.5,{'ja' if i % 3 else 'nein'},{'ı' if i % 2 else 'İ'}\n" for i in range(40))
    table.write_text(f"größe,raucht,sınıf\n{rows}", encoding="utf-8")
    files = []
    for language in (
        {},
        {"LC_ALL": "C", "LANG": "C"},
        {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
    ):
        path = tmp_path / f"{len(files)}.pgmnb"
        ran = command("fit", table, "--class", "sınıf", "-o", path, **language)
        assert ran.returncode == 0, ran.stderr
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


def test_closed_streams_cost_no_result(tmp_path):
    """A file that is saved would take the number of the closed output, and get what is printed."""
    path = tmp_path / "m.pgmnb"
    words = f"{sys.executable} -m pgm_nb.cli fit iris -o {path} <&- >&- 2>&-"
    assert subprocess.run(words, shell=True, check=False).returncode == 0
    assert pnb.load(path).classes_.tolist() == ["setosa", "versicolor", "virginica"]
    said = subprocess.run(
        f"{sys.executable} -m pgm_nb.cli samples >&-", shell=True, capture_output=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="arguments are text there")
def test_words_beyond_ascii_where_python_is_made_to_read_ascii(tmp_path):
    table, model = tmp_path / "größe.csv", tmp_path / "modèle.pgmnb"
    rows = "".join(f"{i % 7}.5,{'ı' if i % 2 else 'İ'}\n" for i in range(40))
    table.write_text(f"größe,sınıf\n{rows}", encoding="utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = command("fit", table, "--class", "sınıf", "-o", model, **ascii_only)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert pnb.load(model).structure_.target == "sınıf"
    ran = command("query", model, "--given", "größe=2.5", **ascii_only)
    assert ran.stdout.decode().splitlines()[0].split() == ["sınıf", "probability"]
    ran = command("query", model, "--given", "gröse=2.5", **ascii_only)
    assert "did you mean 'größe'?" in ran.stderr.decode()
    forced = [sys.executable, "-X", "utf8=0", "-m", "pgm_nb.cli", "query", model, "--of", "größe"]
    assert subprocess.run(forced, env={**os.environ, **ascii_only}, capture_output=True, check=True).stdout
