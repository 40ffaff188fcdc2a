# Needs make and Python 3.11 or newer; everything else is installed into .venv, from requirements/dev.txt.
# On another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Not deepeval: it brings sixty packages, and its metric is tested against the shape of its interface.
EXTRAS := bedrock examples local otel parquet pii postgres prices stats
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test lint types format cover bench bench-peers simulate docs lock clean

help: ## say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## evaluate the conversations of a booking agent and of a supervised team
	@$(BIN)/python examples/booking_demo.py

test: $(READY) ## run the whole suite; ARGS="-k turns" narrows it
	$(BIN)/python -m pytest -n auto $(ARGS)

lint: $(READY) ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## check types, strictly
	$(BIN)/mypy

format: $(READY) ## mend what lint can mend by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

cover: $(READY) ## run the suite and list the lines and branches that it leaves out
	$(BIN)/coverage run -m pytest -q $(ARGS)
	$(BIN)/coverage report

bench: $(READY) ## measure our speed beside a bare loop
	@$(BIN)/python -m benchmarks

bench-peers: $(READY) ## measure other packages too, each in a venv of its own
	@$(BIN)/python -m benchmarks.peers

simulate: $(READY) ## measure how often gates fire and intervals cover, in runs made at random
	@$(BIN)/python -m benchmarks.simulate

docs: $(READY) ## write the generated pages of docs/ anew
	@$(BIN)/python docs/generate.py

lock: $(BIN)/uv ## bring requirements/dev.txt to the newest versions that pyproject.toml allows
	@echo '# Written by "make lock" from pyproject.toml: the core, its extras, its group "dev".' > $(VENV)/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--annotation-style line $(EXTRAS:%=--extra %) --group dev pyproject.toml >> $(VENV)/dev.txt
	mv $(VENV)/dev.txt requirements/dev.txt

clean: ## remove .venv and every cache
	rm -rf $(VENV) .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --no-deps and --no-compile: the lock is complete, and Python compiles what it imports (a third of the time saved).
$(LOCKED): requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "uaef needs Python 3.11 or newer and " \
		+ sys.executable + " is older: make PYTHON=/path/to/a/newer/python")'
	@echo 'Installing what development needs into $(VENV) (half a minute)'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install -qq --no-compile --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	@$(PIP) install -qq --no-build-isolation --no-deps --editable .
	@touch $@

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -qq uv
