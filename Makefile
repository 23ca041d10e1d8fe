# Everything runs in .venv, made on first use. `make demo` to see it work, `make test` to check it.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared/data
comma := ,

.PHONY: demo setup test lint docs site check-slow check-cluster fuzz check-environments bench browser build sbom clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# With a browser to be had, the page is tested in it.
CHROMIUM := $(shell command -v chromium || command -v chromium-browser)

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev$(if $(CHROMIUM),$(comma)browser)]'
	touch $@

setup: .venv/installed-dev

demo: .venv/installed
	$(BIN)/laconic demo

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	@$(if $(CHROMIUM),,echo "no Chromium here: the page is not tested in a browser; make browser does that")
	$(BIN)/pytest -n 2 -m "not slow and not cluster" --doctest-modules src tests

# The documentation with the true output of its commands and what it quotes of the results.
docs: .venv/installed-dev
	$(BIN)/python -m tests.documentation README.md docs/*.md
	$(BIN)/python -m experiments pages

# The site, in build/site: pages, reference and results, built without network; a broken link is an error.
site: .venv/installed-dev
	$(BIN)/python -m website.assemble build/site-pages
	$(BIN)/mkdocs build --strict --config-file website/mkdocs.yml  # --quiet would count no warnings

check-slow: .venv/installed-dev
	HYPOTHESIS_PROFILE=exploring $(BIN)/pytest -m slow

# Local clusters of the engines that are installed (Dask, Ray, Spark), each of which loses a worker in the middle.
# Dask is the lightest, and is tested by `make test`, too.
check-cluster: .venv/installed-dev
	$(BIN)/pytest $(foreach engine,dask ray spark,tests/integrations/test_$(engine).py)

# Hunts for requests that break a promise: make fuzz CASES=100000 SEED=1 WORKERS=16 MINUTES=9
fuzz: .venv/installed-dev
	$(BIN)/python -m tests.fuzz --cases $(or $(CASES),10000) --seed $(or $(SEED),0) $(if $(WORKERS),--workers $(WORKERS)) $(if $(MINUTES),--minutes $(MINUTES)) --summary .cache/fuzz.txt

# Other Pythons, the lowest libraries, little that may be written. PYTHONS names the interpreters: by default
# python3.11 to python3.14, those that are there.
check-environments: .venv/installed-dev .venv/installed-uv
	$(BIN)/python -m tests.environments $(if $(PYTHONS),--pythons $(PYTHONS)) --keep
	$(BIN)/python -m experiments pages

.venv/installed-uv: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	touch $@

# The pages in a real browser: installs Debian's Chromium and axe-core where they are missing, and makes the pictures.
browser: .venv/installed-dev
	command -v chromium >/dev/null || apt-get install --yes --quiet chromium
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
	test -d node_modules/axe-core || npm install --silent --no-save axe-core
	LACONIC_SCREENSHOTS=docs/pictures $(BIN)/pytest tests/serve tests/rating

bench: .venv/installed-dev
	$(BIN)/python -m benchmarks --data $(DATA)

# The wheel, made of the source distribution: the same bytes wherever they are built.
build: .venv/installed-dev
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .

# What a release consists of, with checksums.
sbom: .venv/installed-dev
	$(BIN)/python -m release.sbom dist/laconic.cdx.json

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache
