# One place for every command. Only Python 3.11 to 3.13, make and git are needed; all else goes into .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-dev run demo test test-full pytest pytest-full lint bench lock clean

# The first Python on the path that will do; or say: make run PYTHON=/path/to/python3.12
PYTHON_FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c '$(PYTHON_FITS)' 2>/dev/null && { echo "$$p"; exit; }; done; echo python3)
VENV ?= .venv
BIN := $(VENV)/bin
DEMO_HOME ?= demo-home
# Test processes side by side. Long tests of a file share what takes long to make, so they stay together.
WORKERS ?= 2
# Browser tests run where there is a Chromium: `make test CHROMIUM=/path/to/chromium`, or CHROMIUM= for none.
CHROMIUM ?= $(shell for c in chromium chromium-browser google-chrome google-chrome-stable; do command -v "$$c" && exit; done)
NO_BROWSER := $(if $(strip $(CHROMIUM)),, and not browser)
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --no-deps
PYTEST := $(BIN)/python -m pytest -n $(WORKERS)

# Compiled modules are kept, whatever the surroundings say: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
# Developers' tools ask nobody for news of themselves.
export DAGSTER_DISABLE_TELEMETRY := 1
export DAGSTER_DG_UPDATE_CHECK_ENABLED := 0
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export THERMITE_TEST_CHROMIUM := $(CHROMIUM)

help:  ## Say what there is
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

setup: $(VENV)/.package  ## Make .venv with what the program needs

setup-dev: setup $(VENV)/.dev  ## Make .venv with what tests need too

run: setup $(DEMO_HOME)/.made  ## Set up, do the sample job, then serve the UI (Ctrl-C ends it)
	@$(BIN)/thermite up --home $(DEMO_HOME)

demo: setup  ## Set up and do the sample job, without the UI
	@$(BIN)/thermite demo --home $(DEMO_HOME)
	@touch $(DEMO_HOME)/.made

test: lint pytest  ## Set up, check style, types, layers and definitions, run the suite

test-full: setup-dev pytest-full  ## Run what takes long: whole programs, large counts

pytest: setup-dev
	$(say-browser)
	$(PYTEST) --dist worksteal -m "not full$(NO_BROWSER)"

pytest-full: setup-dev
	$(say-browser)
	THERMITE_TEST_FULL=1 $(PYTEST) --dist loadfile -m "full$(NO_BROWSER)"

lint: setup-dev  ## Check style, types, layers and definitions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(dagster-tool) $(BIN)/dg check defs
	$(dagster-tool) $(BIN)/dagster definitions validate --log-level warning -w workspace.yaml

bench: setup-dev  ## Run the benchmarks
	$(BIN)/python -m benchmarks

lock:  ## Lock the newest releases that pyproject.toml allows (needs uv; UPGRADE=1 also moves what is locked)
	@command -v uv >/dev/null || { echo "make lock needs uv: python3 -m pip install uv" >&2; exit 1; }
	$(compile) --group build -o requirements.lock
	$(compile) --group dev -c requirements.lock -o requirements-dev.lock

clean:  ## Remove all that make made, .venv and the sample home too
	rm -rf $(VENV) $(DEMO_HOME) build dist *.egg-info .ruff_cache .hypothesis .tmp_dagster_home_*
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

# --- how ---------------------------------------------------------------------------------------------------------------

# A lock that changed makes .venv anew, so nothing that was dropped stays behind. --no-deps: the locks are complete, and
# older releases of pip can't match extras against hashes.
$(VENV)/.run: requirements.lock
	@$(PYTHON) -c '$(PYTHON_FITS)' 2>/dev/null || { echo "Thermite Pipelines needs Python 3.11, 3.12 or 3.13;" \
		"$(PYTHON) is $$($(PYTHON) -V 2>&1 || true). Say: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) -V 2>&1) (once, about a minute)"
	@$(PYTHON) -m venv --clear $(VENV) || { echo "$(PYTHON) can't make a virtual environment;" \
		"on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(PIP) --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Adding what the tests need (once, about a minute)"
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.package: pyproject.toml $(VENV)/.run
	@$(PIP) --no-build-isolation -e .
	@touch $@

$(DEMO_HOME)/.made: | setup
	@$(BIN)/thermite demo --home $(DEMO_HOME)
	@touch $@

# Without a home of their own, Dagster's tools make a temporary one from dagster.yaml here. `dg` warns where the environment
# is not an activated one, and `definitions validate`, which alone reads workspace.yaml, that `dg check` is there.
dagster-tool := env -u DAGSTER_HOME VIRTUAL_ENV=$(abspath $(VENV)) PYTHONWARNINGS=ignore::FutureWarning
say-browser = @$(if $(strip $(CHROMIUM)),:,echo "No Chromium here: the browser tests are left out (apt-get install chromium)")
# A person's own settings of uv or pip must not get into the locks.
compile = UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile pyproject.toml --no-config --quiet --universal \
	--python-version 3.11 --generate-hashes --no-strip-extras --no-annotate $(if $(UPGRADE),--upgrade)
