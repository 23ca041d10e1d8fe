# Everything runs in .venv, made on first use. `make demo` to see it work, `make test` to check it.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared/data

.PHONY: demo setup test lint docs check-slow fuzz bench clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

setup: .venv/installed-dev

demo: .venv/installed
	$(BIN)/laconic demo

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/pytest -n 2 -m "not slow" --doctest-modules src tests

# The documentation with the true output of its commands.
docs: .venv/installed-dev
	$(BIN)/python -m tests.documentation README.md docs/*.md

check-slow: .venv/installed-dev
	HYPOTHESIS_PROFILE=exploring $(BIN)/pytest -m slow

# Hunts for requests that break a promise: make fuzz CASES=100000 SEED=1
fuzz: .venv/installed-dev
	$(BIN)/python -m tests.fuzz --cases $(or $(CASES),10000) --seed $(or $(SEED),0)

bench: .venv/installed-dev
	$(BIN)/python -m benchmarks --data $(DATA)

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache
