"""How the app is started: on this machine only, from a checkout or from an installed package."""

import gc
import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pgm_nb.app.shell import main_script
from pgm_nb.app.shell.launch import FLAGS, HOSTS, arguments, free_port, launch

CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"


def flat(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else str(value).lower()


def test_a_checkout_and_the_command_have_the_same_settings():
    checkout = dict(flat(tomllib.loads(CONFIG.read_text())))
    assert checkout.pop("server.allowedHosts") == str([*HOSTS]).lower()
    assert checkout.items() <= FLAGS.items()
    assert FLAGS["server.address"] == "localhost"


def test_arguments_name_a_file_of_the_package():
    command, script, *flags = arguments(port=8600)
    assert (command, script) == ("run", main_script.__file__)
    assert {"--server.headless=true", "--server.port=8600"} <= set(flags)


def test_names_of_this_machine_are_allowed_and_those_of_a_proxy():
    flags = arguments(port=8600, address="0.0.0.0", hosts=["trees.example.org"])
    allowed = [flag.split("=")[1] for flag in flags if flag.startswith("--server.allowedHosts=")]
    assert allowed == [*HOSTS, "trees.example.org"]
    assert [flag for flag in flags if flag.startswith("--server.address=")][-1] == "--server.address=0.0.0.0"


def test_a_taken_port_is_passed_over(monkeypatch, capsys):
    calls = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda given, standalone_mode: calls.append(given))
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port(port) > port
    monkeypatch.setattr("pgm_nb.app.shell.launch.free_port", lambda: 8642)
    assert launch(browser=False) == 0
    assert "http://localhost:8642" in capsys.readouterr().out
    assert calls == [arguments(port=8642)]


def test_the_title_needs_neither_the_table_nor_the_models():
    code = "import sys, pgm_nb.app.shell.router; print(sorted({'pandas', 'sklearn'} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.fixture(autouse=True)
def collector():
    """Starting the app switches the collector off until the first page is drawn."""
    yield
    gc.enable()


@pytest.mark.parametrize(("data", "target"), [("patients.csv", "outcome"), ("wdbc", None), (None, None)])
def test_launch_hands_over_the_file_and_its_class(monkeypatch, data, target):
    monkeypatch.setenv("PGM_NB_DATA", "left over from before")
    monkeypatch.setenv("PGM_NB_CLASS", "left over from before")
    calls = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda given, standalone_mode: calls.append(given))
    assert launch(data, target, port=8600, browser=False) == 0
    assert calls == [arguments(port=8600)]
    assert (os.environ.get("PGM_NB_DATA"), os.environ.get("PGM_NB_CLASS")) == (data, target)
