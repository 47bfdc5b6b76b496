"""Many visitors at once: `python benchmarks/visitors.py [VISITORS]` starts the app and visits it.

Every visitor is a separate session over Streamlit's protocol, like a browser: it opens pages with choices in
their addresses, one after the other, five seconds apart. The output is the time from the request to the
finished page, for one visitor alone and for many: the median and the slowest one in twenty. The very first
visit fills the caches and is not counted, because visitors of one table share the fitted models.
"""

import asyncio
import random
import statistics
import sys
import time

import websockets
from harness import Table
from served import APP, served
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

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
        if told.WhichOneof("type") == "delta" and told.delta.new_element.WhichOneof("type") == "exception":
            raise RuntimeError(told.delta.new_element.exception.message)
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


def main(number):
    with served(APP) as port:
        asyncio.run(visitors(port, 1))
        alone = asyncio.run(visitors(port, 1))
        together = asyncio.run(visitors(port, number))
    rows = []
    for name in VISITS:
        median, worst = statistics.median(together[name]), sorted(together[name])[int(0.95 * number)]
        rows.append((name, *(f"{1000 * seconds:.0f}" for seconds in (alone[name][0], median, worst))))
    header = ("milliseconds", "alone", f"{number} visitors, median", "slowest in twenty")
    print(Table(f"{number} visitors at once", header, rows).text())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
