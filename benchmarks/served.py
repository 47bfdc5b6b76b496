"""A server in its own process, for as long as a benchmark needs it."""

import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

APP = ("-m", "pgm_nb.cli", "app", "--no-browser", "--port", "{port}")


@contextmanager
def served(command):
    """Run a Python command that serves on ``{port}``; yields the port once the server answers."""
    with serving(command) as (port, _):
        yield port


@contextmanager
def serving(command):
    """Do the same; yields the port and the number of the process."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    words = [word.format(port=port) for word in command]
    server = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not answers(f"http://localhost:{port}/_stcore/health"):
            if server.poll() is not None:
                raise RuntimeError(f"the server ended with exit code {server.returncode}")
            time.sleep(0.02)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait()


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=1):
            return True
    except OSError:
        return False
