"""Work in the background: it shows how far it is, can be stopped, and its result serves everyone."""

import time
from concurrent.futures import CancelledError
from threading import Semaphore
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from pgm_nb.app.shell.work import AT_ONCE, _Job

SCRIPT = """
import time
import streamlit as st
from pgm_nb.app.shell.work import work
from pgm_nb.errors import DataError, PgmNbError

def make(progress):
    for step in range(STEPS):
        time.sleep(0.02)
        progress(step / STEPS)
    if FAIL:
        raise DataError("the table is empty.")
    return "made"

try:
    result = work(KEY, make, label="Counting")
    st.write("nothing yet" if result is None else result)
except PgmNbError as error:
    st.error(str(error))
"""


@pytest.fixture
def start():
    def begin(steps=10, fail=False, key=None):
        key = key or uuid4().hex
        text = SCRIPT.replace("KEY", repr(key)).replace("STEPS", str(steps)).replace("FAIL", repr(fail))
        return AppTest.from_string(text, default_timeout=30), key

    return begin


def until(app, done, seconds=30):
    deadline = time.monotonic() + seconds
    while not done(app.run()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done(app)
    return app


def says(text):
    return lambda app: bool(app.markdown) and app.markdown[0].value == text


def test_progress_and_then_the_result_for_every_visitor(start):
    app, key = start()
    app.run()
    assert app.markdown[0].value == "nothing yet"
    assert app.get("progress")
    until(app, says("made"))
    assert not app.get("progress")
    another, _ = start(key=key)
    assert says("made")(another.run())  # at once: the result is kept by its key


def test_stopped_and_started_again(start):
    app, _ = start(steps=10_000)
    app.run()
    [stop] = app.button
    assert stop.label == "Stop"
    stop.click().run()
    assert "stopped" in app.info[0].value
    again = next(button for button in app.button if button.label == "Start again")
    again.click().run()
    assert app.get("progress")
    app.button[0].click().run()


def test_what_goes_wrong_is_told(start):
    app, _ = start(steps=1, fail=True)
    until(app, lambda app: bool(app.error))
    assert app.error[0].value == "the table is empty."


def test_work_that_nobody_looks_at_stops_and_begins_anew(start, monkeypatch):
    monkeypatch.setattr("pgm_nb.app.shell.work.ABANDONED", 0.0)
    app, _ = start(steps=10_000)
    app.run()
    job = next(iter(app.session_state["work"].values()))
    deadline = time.monotonic() + 10
    while not job.future.done() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert job.abandoned
    monkeypatch.setattr("pgm_nb.app.shell.work.ABANDONED", 60.0)
    app.run()
    assert app.get("progress")
    assert next(iter(app.session_state["work"].values())) is not job
    app.button[0].click().run()


LONG = """
import time
import streamlit as st
from pgm_nb.app.shell.work import work

def make(progress):
    progress(0.5, so_far="half of it")
    time.sleep(1.0)  # a model that takes long and asks nobody
    progress(0.6)
    return "made"

work(KEY, make, label="Counting", show=st.write)
"""


def test_stop_is_answered_at_once_and_makes_room_for_others(start):
    stopped = []
    for _ in range(AT_ONCE):
        app = AppTest.from_string(LONG.replace("KEY", repr(uuid4().hex)), default_timeout=30)
        until(app, says("half of it"))
        stopped.extend(app.session_state["work"].values())
        app.button[0].click().run()
        assert "stopped" in app.info[0].value
        assert says("half of it")(app)
    assert [job.turn for job in stopped] == [None] * AT_ONCE
    other, _ = start(steps=1)
    until(other, says("made"))  # while the stopped ones have not noticed yet, or soon after
    deadline = time.monotonic() + 10
    while not all(job.future.done() for job in stopped) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert all(job.abandoned for job in stopped)  # none went on to its end


PARTS = """
import streamlit as st
from pgm_nb.app.shell.details import _SCALE
from pgm_nb.words import Scale, in_bits

st.session_state[_SCALE] = Scale(lambda: 2.0, lambda: 2.0)
"""


def test_what_is_there_so_far_is_written_as_the_switch_says():
    script = PARTS + LONG.replace("KEY", repr(uuid4().hex)).replace(
        "st.write)", "lambda _: st.write(in_bits(1)))"
    )
    app = AppTest.from_string(script, default_timeout=30)
    until(app, says("50.0%"))
    app.button[0].click().run()
    assert says("50.0%")(app)


def test_work_that_waits_for_its_turn_can_be_stopped():
    turns = Semaphore(0)
    job = _Job()
    job.end()
    with pytest.raises(CancelledError):
        job.run(lambda progress: "made", turns)
    assert not turns.acquire(blocking=False)  # what it never had, it does not give back
