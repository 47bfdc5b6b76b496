"""Many visitors at once: `python benchmarks/visitors.py [VISITORS] [--minutes 10]` visits the app.

Every visitor is a separate session over Streamlit's protocol, like a browser: it opens pages with choices in
their addresses, one after the other, five seconds apart. The output is the time from the request to the
finished page, for one visitor alone and for many: the median and the slowest one in twenty. The very first
visit fills the caches and is not counted, because visitors of one table share the fitted models.

With --minutes, whoever has looked at everything leaves and another visitor comes, until the time is over. The
memory of the server is written down after every hundred visits. Exit code 1 if a page showed an error.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections import Counter
from pathlib import Path

import websockets
from harness import Table
from served import APP, serving
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pgm_nb.app.widgets.clicks import UNEXPECTED

VISITS = {  # what is looked at -> page, choices
    "first page": ("", ""),
    "another model": ("", "model=tan"),
    "another table": ("", "sample=heart"),
    "growth": ("growth", "sample=heart"),
    "what if": ("what_if", ""),
    "what if, one thing known": ("what_if", "given=worst radius=17"),
    "data": ("data", "sample=wine"),
    "features": ("features", ""),
    "export": ("export", "model=tan"),
}
LOOKING = 5.0  # seconds between two visits
PATIENCE = 60


async def visit(stream, page, choices):
    """Ask for a page and wait until it is finished; returns the seconds."""
    asked = BackMsg()
    asked.rerun_script.query_string = choices
    asked.rerun_script.page_name = page
    begun = time.perf_counter()
    await stream.send(asked.SerializeToString())
    while True:
        told = ForwardMsg()
        told.ParseFromString(await asyncio.wait_for(stream.recv(), PATIENCE))
        if told.WhichOneof("type") == "delta":
            shown = told.delta.new_element
            if shown.WhichOneof("type") == "exception":
                raise RuntimeError(shown.exception.message)
            if shown.WhichOneof("type") == "alert" and shown.alert.body.startswith(UNEXPECTED):
                raise RuntimeError(shown.alert.body)
        if told.WhichOneof("type") == "script_finished":
            return time.perf_counter() - begun


async def visitor(port, seed, seconds):
    """One visitor, who comes at a time and looks at everything in an order of their own."""
    await asyncio.sleep(random.Random(seed).uniform(0, LOOKING))
    wanted = random.Random(seed).sample([*VISITS], len(VISITS))
    async with websockets.connect(f"ws://localhost:{port}/_stcore/stream", max_size=None) as stream:
        for name in wanted:
            seconds[name].append(await visit(stream, *VISITS[name]))
            await asyncio.sleep(LOOKING)


async def visitors(port, number):
    seconds = {name: [] for name in VISITS}
    await asyncio.gather(*(visitor(port, seed, seconds) for seed in range(number)))
    return seconds


async def coming_and_going(port, number, until, process, errors):
    """As many visitors all the time: one who leaves is followed by another."""
    seconds = {name: [] for name in VISITS}

    async def place(seed):
        while time.monotonic() < until:
            try:
                await asyncio.wait_for(visitor(port, seed, seconds), until - time.monotonic())
            except TimeoutError:
                if time.monotonic() < until:  # a page that did not come
                    errors.append(f"no answer within {PATIENCE} seconds")
            except Exception as problem:  # noqa: BLE001 (whatever it is, it is counted)
                errors.append(f"{type(problem).__name__}: {problem}")
            seed += number

    async def watch():
        memory = []
        while time.monotonic() < until:
            done = sum(map(len, seconds.values()))
            if done >= 100 * len(memory):
                memory.append((done, server_memory(process)))
            await asyncio.sleep(0.5)
        return [*memory, (sum(map(len, seconds.values())), server_memory(process))]

    *_, memory = await asyncio.gather(*(place(seed) for seed in range(number)), watch())
    return seconds, memory


def server_memory(process):
    """Return the megabytes that a process holds in memory."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def table(alone, together, number):
    rows = []
    for name in VISITS:
        taken = sorted(together[name])
        if not taken:
            continue
        median, worst = statistics.median(taken), taken[min(int(0.95 * len(taken)), len(taken) - 1)]
        rows.append((name, *(f"{1000 * seconds:.0f}" for seconds in (alone[name][0], median, worst))))
    header = ("milliseconds", "alone", f"{number} visitors, median", "slowest in twenty")
    return Table(f"{number} visitors at once", header, rows).text()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("visitors", type=int, nargs="?", default=20)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    errors, memory = [], []
    with serving(APP) as (port, process):
        asyncio.run(visitors(port, 1))
        alone = asyncio.run(visitors(port, 1))
        if options.minutes is None:
            together = asyncio.run(visitors(port, options.visitors))
        else:
            until = time.monotonic() + 60 * options.minutes
            together, memory = asyncio.run(coming_and_going(port, options.visitors, until, process, errors))
    print(table(alone, together, options.visitors))
    for visits, megabytes in memory:
        print(f"after {visits:,} visits: {megabytes:,.0f} MB")
    for problem, times in Counter(errors).items():
        print(f"{times} times: {problem}")
    return int(bool(errors))


if __name__ == "__main__":
    raise SystemExit(main())
