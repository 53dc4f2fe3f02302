# make demo   the main job on bundled data        make test   everything that CI runs
# make bench  times and memory beside the peers   make docs   the reference pages, from the registry
# make mutate planted bugs, and how many the measures' own tests find
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint unit bench mutate docs lock clean

demo: $(READY)
	$(BIN)/rankgauge demo

test: lint unit

lint: $(READY)
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

unit: $(READY)
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered

bench: $(READY)
	$(BIN)/python -m benchmarks.run

mutate: $(READY)
	$(BIN)/python -m benchmarks.mutate --sample 200

docs: $(READY)
	$(BIN)/python -m rankgauge.report.reference docs

# The lock pins what was tested; pyproject.toml says what is needed at least.
$(READY): requirements.lock pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

lock:
	rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet 'hatchling>=1.25' editables -e '.[test]'
	$(BIN)/python -m pip freeze --exclude-editable > requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $(READY)

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
