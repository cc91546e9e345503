# `make study` and `make test` do all set-up by themselves; a second call starts at once.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM := DEBIAN_FRONTEND=noninteractive timeout 120 apt-get install --yes --no-install-recommends chromium

.PHONY: setup study test test-slow test-lowest lint bench docs lock

setup: $(VENV)/dev

# A stamp a set of packages: what runs the studies, and what also tests, lints and measures. Each is pinned
# with hashes in requirements/, which `make lock` renews.
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
LOCKED := $(PIP) install --no-deps --require-hashes --requirement

$(VENV)/core: pyproject.toml requirements/core.txt
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer found; set PYTHON=..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(LOCKED) requirements/core.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/dev: $(VENV)/core $(VENV)/browser requirements/dev.txt
	$(LOCKED) requirements/dev.txt
	touch $@

# A browser for the tests of the report; they skip where none is found and apt cannot bring one.
$(VENV)/browser: $(VENV)/core
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| { test "$$(id -u)" = 0 && { $(CHROMIUM) || { timeout 60 apt-get update && $(CHROMIUM); }; }; } \
		} >/dev/null 2>&1 || echo "no Chromium: the tests of the report in a browser will be skipped" >&2
	@touch $@

$(VENV)/docs: $(VENV)/core requirements/docs.txt
	$(LOCKED) requirements/docs.txt
	touch $@

$(VENV)/bench: $(VENV)/dev requirements/bench.txt
	$(LOCKED) requirements/bench.txt
	touch $@

study: $(VENV)/core
	$(BIN)/ndcgstudy reproduce --scale quick --out build/study --against results
	$(BIN)/ndcgstudy report --results build/study

test: $(VENV)/dev
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

test-slow: $(VENV)/bench $(VENV)/docs
	$(BIN)/python -m pytest -m slow --numprocesses 2 --dist loadfile

# The oldest dependencies are older than Python 3.13.
test-lowest:
	python3.11 -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --constraint constraints-lowest.txt --editable '.[test]'
	.venv-lowest/bin/python -m pytest

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/docs
	$(BIN)/python docs/reference.py build/api

# Pin the newest versions that pyproject.toml admits, for every system and Python from 3.11 on.
COMPILE := .venv-lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command 'make lock'
lock:
	test -x .venv-lock/bin/python || $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	$(COMPILE) pyproject.toml requirements/build.in --output-file requirements/core.txt
	$(COMPILE) --no-deps requirements/unmet.in --output-file requirements/unmet.txt
	$(COMPILE) pyproject.toml requirements/build.in --extra test --extra lint --constraint requirements/core.txt \
		--output-file requirements/dev.txt
	cat requirements/unmet.txt >> requirements/dev.txt
	$(COMPILE) pyproject.toml --extra docs --constraint requirements/dev.txt --output-file requirements/docs.txt
	$(COMPILE) pyproject.toml --extra test --extra lint --extra bench --constraint requirements/dev.txt \
		--output-file requirements/bench.txt
	rm requirements/unmet.txt
