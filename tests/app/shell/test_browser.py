"""Where no browser can be opened the app runs all the same, and says what to do."""

import os
import socket
import subprocess
import sys
import urllib.request
import webbrowser

import pytest

from pgm_nb.app.shell import launch as browser
from pgm_nb.app.shell.launch import NO_BROWSER, open_browser

NOWHERE = "/dev/null/nowhere"


@pytest.fixture
def port():
    """A port of this machine on which somebody listens."""
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.fixture
def linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in browser.SCREENS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(browser, "which", lambda name: None)


def failing(error):
    def fail(*args, **options):
        raise error

    return fail


@pytest.mark.usefixtures("linux")
def test_without_a_screen_no_browser_takes_the_terminal(port, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", failing(AssertionError("opened")))
    monkeypatch.setattr(subprocess, "Popen", failing(AssertionError("opened")))
    open_browser(port)
    assert capsys.readouterr().out == f"{NO_BROWSER}\n"


@pytest.mark.usefixtures("linux")
@pytest.mark.parametrize(
    "opening", [lambda address: False, failing(webbrowser.Error("none")), failing(OSError(13, "no"))]
)
def test_a_browser_that_cannot_be_opened_is_said(port, monkeypatch, capsys, opening):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", opening)
    open_browser(port)
    assert capsys.readouterr().out == f"{NO_BROWSER}\n"


@pytest.mark.usefixtures("linux")
def test_the_browser_opens_where_the_app_listens(port, monkeypatch, capsys):
    opened = []
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    open_browser(port)
    monkeypatch.setattr(browser, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "Popen", lambda words, **streams: opened.append(words))
    open_browser(port)
    assert opened == [f"http://localhost:{port}", ["/usr/bin/xdg-open", f"http://localhost:{port}"]]
    assert capsys.readouterr().out == ""


def test_the_app_starts_without_a_home_a_cache_or_a_browser(tmp_path):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    nothing = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NUMBA_CACHE_DIR"), NOWHERE)
    screenless = {name: value for name, value in os.environ.items() if name not in browser.SCREENS}
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "pgm_nb.cli", "app", "--port", str(port)],
        cwd=tmp_path,
        env={**screenless, **nothing},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = [
            server.stdout.readline(),
            server.stdout.readline(),
        ]  # the second once it listens
        if all(said):
            with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health") as answer:
                assert answer.read() == b"ok"
    finally:
        server.terminate()
        _, errors = server.communicate()
    assert said == [f"The app is at http://localhost:{port} (Ctrl+C stops it)\n", f"{NO_BROWSER}\n"], errors
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
