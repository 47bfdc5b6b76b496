"""A page of another site cannot reach the app by pointing its own name at this machine."""

import os
import socket
import subprocess
import sys

import pytest

from pgm_nb.app.shell.launch import free_port, listened_to


@pytest.fixture(scope="module")
def port(tmp_path_factory, until):
    """A server that also answers to the name of a proxy."""
    port = free_port(8700 + os.getpid() % 500)
    words = ["app", "--no-browser", "--port", str(port), "--host", "trees.example.org"]
    home = tmp_path_factory.mktemp("home")
    server = subprocess.Popen(
        [sys.executable, "-m", "pgm_nb.cli", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=home,
    )
    try:
        until(lambda: listened_to(port) or server.poll() is not None)
        assert server.poll() is None
        yield port
    finally:
        server.terminate()
        server.wait()


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:{port}", "http://localhost:{port}", "101"),
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}", "101"),
        ("[::1]:{port}", "http://[::1]:{port}", "101"),
        ("trees.example.org", "https://trees.example.org", "101"),
        ("attacker.example.com:{port}", "http://attacker.example.com:{port}", "403"),
        ("localhost.example.com", "http://localhost.example.com", "403"),
        ("localhost:{port}", "http://attacker.example.com", "403"),
    ],
)
def test_only_listed_names_open_a_session(port, host, origin, status):
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host.format(port=port)}",
        f"Origin: {origin.format(port=port)}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    with socket.create_connection(("localhost", port)) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        assert line.recv(100).split()[1].decode() == status
