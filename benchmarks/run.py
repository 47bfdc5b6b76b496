"""Comparison with other libraries: `make bench`, or `make bench-quick` for small tables.

    python3 benchmarks/run.py [--quick] [--write docs/performance.md]

Needs the project's own environment (`make` sets it up) for its `uv`. The peers get one of their own,
`.venv-bench`; a peer that cannot be installed is left out, and the tables say so.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv" / "bin" / "uv"
BENCH = ROOT / ".venv-bench"
PYTHON = BENCH / "bin" / "python"
PEERS = ROOT / "benchmarks" / "peers.txt"
CONSTRAINTS = ROOT / "constraints.txt"
OPTIONAL = (
    "torch",
    "pomegranate",
)  # in this order: torch by plain pip, which may have a wheel for this machine


def main(arguments: list[str]) -> int:
    if not UV.exists():
        sys.exit("benchmarks/run.py needs the project's environment; run `make bench` instead")
    files = (Path(__file__), PEERS, CONSTRAINTS, ROOT / "pyproject.toml")
    recipe = "".join(path.read_text() for path in files)
    stamp, wanted = BENCH / "installed", hashlib.sha256(recipe.encode()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == wanted):
        print("Setting up .venv-bench with our peers (once) ...", flush=True)
        set_up()
        stamp.write_text(wanted)
    # idle threads of one contender must not disturb the next, nor progress bars the tables
    environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "TQDM_DISABLE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # imports as quick as a user has them
    report = ROOT / "benchmarks" / "report.py"
    return subprocess.run([PYTHON, report, *arguments], cwd=ROOT, env=environment).returncode


def set_up() -> None:
    pins = [line for line in PEERS.read_text().splitlines() if line and not line.startswith("#")]
    optional = [pin for pin in pins if pin.split("==")[0] in OPTIONAL]
    required = [pin for pin in pins if pin not in optional]
    shutil.rmtree(BENCH, ignore_errors=True)
    subprocess.run([UV, "venv", "--quiet", "--seed", "--python", sys.executable, BENCH], check=True)
    install = [UV, "pip", "install", "--quiet", "--compile-bytecode", "--python", PYTHON]
    subprocess.run(
        [*install, "--constraint", CONSTRAINTS, "--editable", ROOT, *required], cwd=ROOT, check=True
    )
    for pin in optional:
        attempt([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pin], pin)
    fetch_weka()


def fetch_weka() -> None:
    """Unpack Debian's Weka into the environment; nothing is installed on the machine."""
    folder = BENCH / "weka"
    folder.mkdir()
    if attempt(["apt-get", "download", "weka"], "Weka", folder):
        for package in folder.glob("*.deb"):
            attempt(["dpkg-deb", "-x", package, folder], "Weka", folder)


def attempt(command: list[str | Path], name: str, folder: Path = ROOT) -> bool:
    """Run a command that may fail; say so in a line and go on."""
    if shutil.which(command[0]) is None:
        print(f"{name} left out: there is no {command[0]} here")
        return False
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason given"]
        print(f"{name} left out: {said[-1]}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
