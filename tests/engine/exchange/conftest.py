"""Models whose networks are written and read back."""

import warnings

import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.engine.exchange import network_files

with warnings.catch_warnings():  # its binding warns while it loads, and crashes where that is an error
    warnings.simplefilter("ignore", DeprecationWarning)
    import pyagrum  # noqa: F401  # once here, so that the tests can import it as they do anything

KINDS = {
    "nb": pnb.NaiveBayes(),
    "tan": pnb.TreeAugmentedNaiveBayes(),
    "gnb": pnb.GeneralizedNaiveBayes(parameters="generative"),
    "short": pnb.GeneralizedNaiveBayes(search="exact", max_clusters=3, smoothing=None),
}


def fitted(kind, sample):
    return clone(KINDS[kind]).fit(*pnb.load_sample(sample))


@pytest.fixture(scope="session")
def learned():
    """Learn a kind of model from a sample."""
    return fitted


@pytest.fixture(scope="module", params=["iris", "heart"])
def sample(request):
    return request.param


@pytest.fixture(scope="module", params=KINDS)
def model(request, sample):
    return fitted(request.param, sample)


@pytest.fixture(scope="session")
def wdbc():
    return pnb.GeneralizedNaiveBayes(parameters="generative").fit(*pnb.load_sample("wdbc"))


@pytest.fixture(scope="session")
def written():
    """Write a model's network, and return the path of the network itself."""

    def write(model, format, folder):
        files = network_files(model.junction_tree(), model.structure_, format, stem="written")
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder / f"written.{format}"

    return write
