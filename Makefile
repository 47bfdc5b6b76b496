# Two commands: `make app` and `make test`. Needs Python 3.11+, git and make; everything else is installed here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help app test lint types layers docs pytest coverage browser bench bench-quick fuzz mutants papers wheel-smoke constraints pictures clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("pgm_nb needs Python 3.11 or later; this is " + sys.version.split()[0] + ". Point to another one: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(UV) --editable .
	@$(BIN)/python -m pgm_nb.warm_up  # compile the kernels once
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	@$(UV) --editable '.[test,docs]'
	@touch $@

app: $(VENV)/installed  ## set everything up and open the app on a sample
	@$(BIN)/pgm-nb app

test: lint types layers docs pytest  ## set everything up and run every check and test

lint: $(VENV)/installed-test  ## ruff: style and common mistakes
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/installed-test  ## mypy --strict on the library
	@$(BIN)/mypy

layers: $(VENV)/installed-test  ## import-linter: the layers of the house
	@$(BIN)/lint-imports

docs: $(VENV)/installed-test  ## build the documentation site in build/docs; a warning is an error
	@$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going --jobs auto docs build/docs

browser: $(VENV)/installed-test  ## find a browser for the browser tests, or install one
	@$(BIN)/python tests/browser/install.py

# one process more than processors, for a browser that waits
WORKERS := $(shell $(PYTHON) -c "import os; print(min((os.cpu_count() or 2) + 1, 5))")
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal

pytest: browser  ## the tests
	@$(PYTEST)

coverage: browser  ## the tests once more, watched: the lines of the program that none of them runs (takes half as long again)
	@$(PYTEST) --cov

bench: $(VENV)/installed  ## measure side by side with our peers (in an environment of their own)
	@$(PYTHON) benchmarks/run.py

bench-quick: $(VENV)/installed  ## the same on small tables
	@$(PYTHON) benchmarks/run.py --quick

fuzz: $(VENV)/installed-test  ## random journeys and damaged files, for hours; goes on where it stopped
	@$(BIN)/python benchmarks/fuzz.py

mutants: $(VENV)/installed-test  ## change the program in one place at a time: would a test notice? goes on where it stopped
	@$(BIN)/python benchmarks/mutants.py $(ROOMS) --most 20 --record mutants.jsonl

papers: $(VENV)/installed  ## the papers' tables with ours beside them, from the tables in DATA=DIR; goes on where it stopped
	@$(BIN)/pgm-nb reproduce all $(if $(DATA),--data "$(DATA)") --docs docs

wheel-smoke: $(VENV)/installed  ## build the wheel and the source archive, install both with plain pip, use them
	@$(BIN)/python tests/wheel_smoke.py

pictures: browser  ## redraw the documentation's pictures
	@$(BIN)/python docs/pictures.py
	@$(BIN)/python docs/screenshots.py

constraints: $(VENV)/installed-test  ## write down the exact versions now installed
	@$(BIN)/uv pip freeze --quiet --python $(BIN)/python --exclude-editable | sed '/^uv==/d' > constraints.txt

clean:  ## remove the environments and caches
	rm -rf $(VENV) .venv-* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage build dist
