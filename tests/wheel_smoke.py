"""Build the wheel and the source archive, install each with plain pip, and use what was installed.

    python tests/wheel_smoke.py [--lowest] [--python python3.12 ...]

Every archive goes into a fresh environment outside the checkout, with nothing but what pip fetches. With
--lowest the packages have the lowest versions that pyproject.toml allows, as far as it names them.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
USE = """
import sys
import pgm_nb as pnb

assert "site-packages" in pnb.__file__, pnb.__file__
X, y = pnb.load_sample("iris")
for kind in pnb.MODELS:
    model = kind().fit(X, y)
    assert model.score(X, y) > 0.7, kind
model = pnb.GeneralizedNaiveBayes().fit(X, y)
answer = model.query("class", given={"petal width": 1.6})
assert abs(answer["probability"].sum() - 1) < 1e-9
assert b"<svg" in model.structure_.draw()
print("Python", sys.version.split()[0], "pgm_nb", pnb.__version__, "works")
"""
COMMANDS = (
    ["fit", "iris", "-o", "iris.pgmnb"],
    ["predict", "iris.pgmnb", "iris", "-o", "predicted.csv"],
    ["query", "iris.pgmnb", "--given", "petal width=1.6"],
    ["export", "iris.pgmnb", "-o", "iris.svg"],
    ["report", "iris", "-o", "iris.html"],
)


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, **options)


def lowest():
    """Return the lowest versions that the project allows, as constraints."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [re.sub(r">=\s*", "==", wanted) for wanted in project["dependencies"] if ">=" in wanted]


def try_archive(archive, python, folder, constraints):
    """Install one archive into a fresh environment and use it there."""
    environment = Path(tempfile.mkdtemp(dir=folder)) / "environment"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run(python, "-m", "venv", environment)
    tools = environment / ("Scripts" if os.name == "nt" else "bin")
    words = ["--constraint", constraints] if constraints else []
    run(
        tools / "python",
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        *words,
        archive,
        env=clean,
    )
    run(tools / "python", "-c", USE, cwd=environment, env=clean)
    for words in COMMANDS:
        run(tools / "pgm-nb", *words, cwd=environment, env=clean, stdout=subprocess.DEVNULL)
    words = [str(tools / "pgm-nb"), "reproduce", "gnb"]
    said = subprocess.run(words, cwd=environment, env=clean, capture_output=True, text=True, check=False)
    assert said.returncode == 2, said  # the papers' experiments are not installed
    assert "make papers" in said.stderr, said


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", nargs="*", default=[sys.executable])
    parser.add_argument("--lowest", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = folder / "builder"
        run(sys.executable, "-m", "venv", builder)
        tools = builder / ("Scripts" if os.name == "nt" else "bin")
        run(tools / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "build")
        run(tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT, stdout=subprocess.DEVNULL)
        constraints = None
        if options.lowest:
            constraints = folder / "lowest.txt"
            constraints.write_text("\n".join(lowest()), encoding="utf-8")
        for python in options.python:
            for archive in sorted((folder / "dist").iterdir()):
                print(f"{archive.name} on {python}", flush=True)
                try_archive(archive, python, folder, constraints)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
