# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
OLDEST  = .venv-oldest
# Small matrix products gain nothing from every core; two test processes each keep one.
PYTEST_FLAGS ?= -n 2
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test test-slow test-oldest lint types docs dist bench-smoke clean

# Quick learners with their defaults: seconds of work, so that the answer is the same on a busy machine.
demo: $(VENV)/.installed
	$(BIN)/nearkin compare vehicle --learners dmlmj,gmml,lfda,lmnn,rca --tune none --neighbors 5 --report report.html

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

# Proofs that take long: left out above, run by continuous integration.
test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(PYTEST_FLAGS) -m slow

# The same suite on the oldest releases that pyproject.toml promises to support.
test-oldest: $(OLDEST)/.installed-dev
	$(OLDEST)/bin/python -m pytest $(PYTEST_FLAGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

# The site, offline and from PyPI packages only; any warning is an error. See docs/_build/html/index.html.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# That every benchmark still runs, at small sizes and without the peers' environments; no times are judged.
bench-smoke: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.run --smoke

# What would be uploaded, built, checked, installed elsewhere and tried.
dist: $(VENV)/.installed-dev
	$(BIN)/python tools/check_dist.py

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[all]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

$(OLDEST)/.installed-dev: pyproject.toml
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet --editable '.[dev]' 'scikit-learn==1.7.0' 'numpy==2.0.*' 'scipy==1.13.*'
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) report.html dist .pytest_cache .mypy_cache .ruff_cache docs/_build docs/_generated docs/gallery docs/reference
