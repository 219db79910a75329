# make install · make verify · make test · make bench · make docs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.PHONY: install verify test lint bench docs clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c "import sys; assert sys.version_info >= (3, 11), f'needs Python 3.11 or newer, found {sys.version.split()[0]}'"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	@touch $(STAMP)

verify: install
	$(BIN)/mfc verify --profile standard --workers $(WORKERS) --json report/ledger.json

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term:skip-covered

bench: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python -m benchmarks.run --json report/bench.json

docs: install
	$(BIN)/python -m spec.theorems_md > THEOREMS.md

clean:
	rm -rf $(VENV) report .cache .hypothesis .mypy_cache .ruff_cache .coverage build *.egg-info
