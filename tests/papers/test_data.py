"""The loader, with a local server that answers as OpenML and UCI do."""

import hashlib
import http.server
import json
import threading
import urllib.request
from urllib.parse import urlsplit

import pytest

from papers import data as datasets
from papers.data import Dataset, fetch, load
from pgm_nb.errors import DataError, FileError

ARFF = b"""@RELATION toy
@ATTRIBUTE id NUMERIC
@ATTRIBUTE size NUMERIC
@ATTRIBUTE kind {a,b}
@ATTRIBUTE Class {no,yes}
@DATA
1,1.5,a,no
2,2.5,?,yes
3,3.5,b,yes
"""
FEATURES = {"id": "numeric", "size": "numeric", "kind": "nominal", "Class": "nominal"}
FILES = {
    "/data/v1/download/1/toy.arff": ARFF,
    "/uci/thing/thing.data": b"yes,1,?\nno,2,b\nyes,3,c\n",
    "/uci/thing/spaces.data": b"1 0.5 yes  \n2 0.25 no  \n",
    "/uci/thing/named.csv": b"name,size,class\np1,1,yes\np2,2,no\n",
}


def from_openml(path):
    """Answer as OpenML's interface does; the checksum of table 2 is wrong."""
    *_, kind, number = path.split("/")
    if kind == "features":
        told = [
            {
                "index": str(place),
                "name": name,
                "data_type": of,
                "is_target": str(name == "Class").lower(),
                "is_ignore": "false",
                "number_of_missing_values": str(int(name == "kind")),
                "is_row_identifier": str(name == "id").lower(),
            }
            for place, (name, of) in enumerate(FEATURES.items())
        ]
        return {"data_features": {"feature": told}}
    if kind == "qualities":
        return {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "3.0"}]}}
    told = {
        "id": number,
        "name": "toy",
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "description": "A toy.",
        "file_id": "1",
        "url": "https://www.openml.org/data/v1/download/1/toy.arff",
        "md5_checksum": "0" * 32 if number == "2" else hashlib.md5(ARFF).hexdigest(),
    }
    return {"data_set_description": told}


@pytest.fixture
def server(tmp_path, monkeypatch):
    asked = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = FILES.get(self.path)
            if self.path.startswith("/api/v1/json/data/"):
                content = json.dumps(from_openml(self.path)).encode()
            self.send_response(404 if content is None else 200)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *arguments):
            pass

    class ToUs(urllib.request.HTTPSHandler):
        def https_open(self, request):
            return urllib.request.urlopen(address + urlsplit(request.full_url).path)

    monkeypatch.setenv("PGM_NB_CACHE", str(tmp_path / "cache"))
    running = http.server.ThreadingHTTPServer(("localhost", 0), Answers)
    address = f"http://localhost:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    monkeypatch.setattr(fetch, "__kwdefaults__", {"uci": f"{address}/uci"})
    urllib.request.install_opener(urllib.request.build_opener(ToUs))
    yield asked
    urllib.request.install_opener(urllib.request.build_opener())
    running.shutdown()
    thread.join()
    running.server_close()


def test_from_openml_once_and_then_from_the_cache(server, monkeypatch):
    monkeypatch.setitem(datasets.DATASETS, "toy", Dataset("toy", 3, 2, 2, openml=1))
    X, y = load("toy")
    assert list(X.columns) == ["size", "kind"]
    assert X["kind"].isna().tolist() == [False, True, False]
    assert y.tolist() == ["no", "yes", "yes"]
    assert server[-1] == "/data/v1/download/1/toy.arff"
    asked = len(server)
    load("toy")
    assert len(server) == asked


@pytest.mark.parametrize(
    ("dataset", "names", "labels"),
    [
        (Dataset("t", 3, 2, 2, uci="thing/thing.data", target=0), ["x1", "x2"], ["yes", "no", "yes"]),
        (Dataset("t", 2, 2, 2, uci="thing/spaces.data"), ["x1", "x2"], ["yes", "no"]),
        (Dataset("t", 2, 1, 2, uci="thing/named.csv", header=True, drop=(0,)), ["size"], ["yes", "no"]),
    ],
)
def test_from_uci(server, monkeypatch, dataset, names, labels):
    monkeypatch.setitem(datasets.DATASETS, "t", dataset)
    X, y = load("t")
    assert list(X.columns) == names
    assert y.tolist() == labels


def test_a_damaged_file_is_refused_and_not_kept(server, monkeypatch):
    monkeypatch.setitem(datasets.DATASETS, "toy", Dataset("toy", 3, 2, 2, openml=2))
    for _ in range(2):
        asked = len(server)
        with pytest.raises(FileError, match=r"table 2 could not be fetched.*checksum"):
            load("toy")
        assert server[asked:].count("/data/v1/download/1/toy.arff") > 0


def test_another_table_is_refused(server, monkeypatch):
    monkeypatch.setitem(datasets.DATASETS, "toy", Dataset("toy", 4, 2, 2, openml=1))
    with pytest.raises(DataError, match=r"should have 4 rows.*has 3, 2 and 2"):
        load("toy")


def test_without_a_network_the_way_out_is_said(server, monkeypatch):
    monkeypatch.setitem(datasets.DATASETS, "gone", Dataset("gone", 4, 2, 2, uci="gone.data"))
    with pytest.raises(FileError, match=r"could not be fetched.*put the table into the folder"):
        load("gone")


def test_the_folder_goes_first(server, tmp_path, monkeypatch):
    monkeypatch.setitem(datasets.DATASETS, "toy", Dataset("toy", 2, 1, 2, openml=1))
    (tmp_path / "toy.csv").write_text("a,class\n1,x\n2,y\n")
    X, _ = load("toy", tmp_path)
    assert list(X.columns) == ["a"]
    assert server == []


def test_every_table_has_one_source():
    for dataset in datasets.DATASETS.values():
        assert (dataset.openml is None) != (dataset.uci is None)


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.delenv("PGM_NB_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert datasets.cache_folder() == tmp_path / "pgm_nb"
