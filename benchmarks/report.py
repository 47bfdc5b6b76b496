"""Run every benchmark inside the environment of the peers and collect their tables; called by run.py."""

import argparse
import os
import sys
import warnings
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import cold
import estimators
import frame
import posteriors
import predict
import tan
from harness import Table, Target, write_between
from peers import missing_peers, weka_version

PACKAGES = ("pgm-nb", "numpy", "numba", "pandas", "scikit-learn", "pgmpy", "pyagrum", "pomegranate", "torch")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables only")
    parser.add_argument("--write", type=Path, help="put the tables between the marks of this document")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=FutureWarning)  # of the peers
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"The machine is busy (load {busy:.1f}): expect noise.", file=sys.stderr)
    tables, targets, missing = [], [], missing_peers()
    for benchmark in (
        lambda: cold.benchmark(options.quick),
        lambda: tan.benchmark(options.quick, missing),
        lambda: frame.benchmark(options.quick, missing),
        lambda: estimators.benchmark(options.quick, missing),
        lambda: (estimators.one_row(), []),
        lambda: (estimators.unknown_cells(shapes=("WDBC",) if options.quick else ()), []),
        lambda: predict.benchmark(options.quick, missing),
        lambda: posteriors.benchmark(options.quick, missing),
    ):
        table, aims = benchmark()
        print(table.text(), end="\n\n", flush=True)
        tables.append(table)
        targets.extend(aims)
    tables.append(_verdict(targets))
    print(tables[-1].text())
    if options.write:
        measured = "\n\n".join([_circumstances(missing, busy), *(table.markdown() for table in tables)])
        write_between(options.write, "measured", measured)


def _verdict(targets: list[Target]) -> Table:
    short = "; ".join(target.name for target in targets if target.met is False)
    unknown = "; ".join(target.name for target in targets if target.met is None)
    notes = [f"Falls short: {short}." if short else "Nothing that was measured falls short."]
    if unknown:
        notes.append(f"Not measured here: {unknown}.")
    return Table(
        "Against the targets", ("target", "wanted", "measured", "met"), [t.row() for t in targets], notes
    )


def _circumstances(missing: dict[str, str], busy: float) -> str:
    found = [f"Python {sys.version.split()[0]}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    if "Weka" not in missing:
        found.append(f"Weka {weka_version()}")
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    vectors = next(
        (name for name, flag in (("AVX-512", "avx512f"), ("AVX2", "avx2")) if flag in flags), "no AVX"
    )
    day = datetime.now(UTC).date().isoformat()
    return (
        f"Measured on {day}, {len(os.sched_getaffinity(0))} cores, {vectors}; medians of interleaved runs; "
        f"other programs made a load of {busy:.1f} when it began. "
        f"{', '.join(found)}."
    )


if __name__ == "__main__":
    main()
