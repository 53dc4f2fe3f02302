# make demo           the main jobs on bundled data     make test         everything that CI runs
# make quick          the tests of units, in a minute   make test-studies what repeats too much for CI
# make docs           the reference pages and the site  make serve        the judging room, on this machine
# make bench          times and memory beside peers     make bench-ltr    training time and quality of the rankers
# make bench-active   moments and savings of active evaluation
# make bench-fusion   fusion of ten runs beside ranx
# make bench-posterior few labels in shallow pools: intervals, coverage, claims
# make bench-collections means, ranks and claims over many collections, in worlds whose truth is known
# make bench-flips    what an audit of a judge foretells from 200 labels
# make bench-judging  50 and 200 assessors at once      make fuzz         every reader, ten minutes each
# make bench-judge    a language model asked about 10,000 pairs by a program that is killed 20 times
# make bench-stream   runs larger than memory           make bench-spark  Spark beside one machine
# make mutate         planted bugs, and how many the measures' own tests find
# make release        the wheel and the source archive, checked and tried on every Python of this machine
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
USABLE := $(VENV)/.usable

.PHONY: demo test quick test-studies lint suite cover chromium serve bench bench-ltr bench-active bench-posterior bench-collections bench-flips bench-judging bench-judge bench-fusion bench-spark bench-stream fuzz mutate docs release lock clean

demo: $(USABLE)
	$(BIN)/rankgauge demo

test: lint suite

lint: $(READY)
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Tests start programs; these find compiled modules, as those of users do.
suite quick test-studies: export PYTHONDONTWRITEBYTECODE =
suite quick test-studies: export OPENBLAS_NUM_THREADS = 1
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup

# The lanes: tests/lanes.py says which test is in which. Studies also try properties on all their examples.
suite: $(READY) chromium
	$(PYTEST) -m "not study"

quick: $(READY)
	$(PYTEST) -m unit --hypothesis-profile=quick

test-studies: $(READY)
	$(PYTEST) -m "study or hypothesis" --hypothesis-profile=studies

# The same tests as CI's, twice as slow, and which lines they reach.
cover: $(READY) chromium
	$(PYTEST) -m "not study" --cov --cov-report=term:skip-covered

# The browser's tests are left out, with a word, where apt cannot install Chromium.
chromium:
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) \
		>/dev/null 2>&1 || echo "Chromium is not installed: the browser's tests are left out"

serve: $(USABLE)
	$(BIN)/rankgauge serve

bench: $(READY)
	$(BIN)/python -m benchmarks.trec_eval
	$(BIN)/python -m benchmarks.run

bench-ltr: $(READY)
	$(BIN)/python -m benchmarks.ltr

bench-active: $(READY)
	$(BIN)/python -m benchmarks.active
	$(BIN)/python -m benchmarks.active_savings

bench-posterior: $(READY)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.posterior --pools 200 --methods order chosen whole depth board
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.posterior --pools 200 --methods order judge whole ppi board --judge umbrela

bench-collections: $(READY)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.collections

bench-flips: $(READY)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.judge_flips

bench-judging: $(READY)
	$(BIN)/python -m benchmarks.judging

bench-judge: $(READY)
	$(BIN)/python -m benchmarks.judge_kills

bench-fusion: $(READY)
	$(BIN)/python -m benchmarks.fusion

bench-spark: $(READY)
	$(BIN)/python -m benchmarks.spark --millions 1,10,50,100

bench-stream: $(READY)
	$(BIN)/python -m benchmarks.stream --millions 1,10,100 --repeat 3

fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris>=2.3'
	$(BIN)/python -m benchmarks.fuzz --minutes 10

mutate: $(READY)
	$(BIN)/python -m benchmarks.mutate --sample 200

docs: $(READY)
	$(BIN)/python -m rankgauge.reference.reference docs
	$(BIN)/python -m rankgauge.reference.site docs README.md build/docs
	$(BIN)/mkdocs build --strict --quiet

# Not a part of `make test`: it downloads every dependency anew for each Python.
release: test test-studies
	$(BIN)/python tools/release.py

# What users have, in the versions that were tested: enough for the demo, and minutes quicker than all that tests need.
$(USABLE): requirements.lock pyproject.toml
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV); this takes a minute or two, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock 'hatchling>=1.25' editables
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock --no-build-isolation -e '.[all]'
	@touch $(USABLE)

# The lock pins what was tested; pyproject.toml says what is needed at least.
$(READY): requirements.lock pyproject.toml
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) what the tests need; this takes some minutes, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY) $(USABLE)

lock:
	rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet 'hatchling>=1.25' editables -e '.[test,release]'
	$(BIN)/python -m pip freeze --exclude-editable > requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $(READY)

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
