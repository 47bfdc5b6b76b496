"""Functions in other processes: whatever they do there, this process lives and the next one works."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pgm_nb.errors import DataError
from pgm_nb.workers import OutOfTime, WorkerFailed, Workers


@pytest.fixture(scope="module")
def workers():
    made = Workers(most=2)
    yield made
    made.close()


def test_a_process_takes_one_question_after_another(workers):
    first = workers.run(os.getpid)
    assert first != os.getpid()
    assert workers.run(os.getpid) == first


def test_a_process_of_its_own_for_every_question():
    apart = Workers(reuse=False)
    assert apart.run(os.getpid) != apart.run(os.getpid)


def test_what_ends_a_process_ends_no_other(workers):
    for harm in (
        lambda: workers.run(os.abort),
        lambda: workers.run(os._exit, 0),
        lambda: workers.run(eval, "__import__('ctypes').string_at(0)"),
    ):
        with pytest.raises(WorkerFailed):
            harm()
        assert workers.run(sum, [1, 2]) == 3


def test_too_long(workers):
    with pytest.raises(OutOfTime):
        workers.limited(seconds=0.1).run(time.sleep, 60)
    assert workers.run(sum, [1, 2]) == 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit of memory on this system")
def test_too_much_memory(workers):
    for size in (2 * 10**8, 2 * 10**11):
        with pytest.raises(WorkerFailed):
            workers.limited(most_bytes=10**8).run(eval, f"len(bytearray({size}))")
        assert workers.limited(most_bytes=10**8).run(eval, "len(bytearray(1000))") == 1000
    assert workers.run(eval, "len(bytearray(2 * 10**8))") == 2 * 10**8  # the limit was of one question


def test_a_process_that_died_while_it_waited_is_replaced(workers):
    found = workers.run(os.getpid)
    os.kill(found, 9)
    assert workers.run(os.getpid) != found


def test_errors_of_ours_come_through_and_others_are_named(workers):
    from pgm_nb.data.excerpt import read_portion

    with pytest.raises(DataError):
        workers.run(read_portion, "a.csv", b"")
    with pytest.raises(WorkerFailed, match="ZeroDivisionError: "):
        workers.run(divmod, 1, 0)
    with pytest.raises(WorkerFailed, match="pickle"):
        workers.run(eval, "lambda: 0")
    assert workers.run(sum, [1, 2]) == 3


def test_what_a_function_prints_is_no_answer(workers, capfd):
    assert workers.run(os.system, "echo printed") == 0
    assert workers.run(print, "printed") is None
    assert capfd.readouterr() == ("", "")


def test_many_threads_get_their_own_answers(workers):
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda i: workers.run(divmod, i, 7), range(200))) == [
            divmod(i, 7) for i in range(200)
        ]


def test_an_interrupt_leaves_no_process_in_the_middle_of_an_answer(workers, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    before = workers.run(os.getpid)
    with monkeypatch.context() as patch:
        patch.setattr("pgm_nb.workers._Worker._exchanged", interrupted)
        with pytest.raises(KeyboardInterrupt):
            workers.run(sum, [1, 2])
    assert workers.run(os.getpid) != before


PROGRAM = """
import os, sys
from pgm_nb.workers import Workers
workers = Workers()
before = workers.run(os.getpid)
if hasattr(os, "fork"):
    child = os.fork()
    if not child:
        other = workers.run(os.getpid)
        workers.close()
        os._exit(other == before)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert workers.run(os.getpid) == before
print(before)
"""


def test_a_forked_process_starts_its_own_and_none_outlives_the_program():
    ran = subprocess.run([sys.executable, "-X", "dev", "-c", PROGRAM], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)
