# Every goal sets itself up in .venv; a second run starts at once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BENCH  := .venv-bench
FRAMES := .venv-frameworks
MUTANT := .venv-mutants
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
SETUP  := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test check deep mutants bench validate docs figures knownbad breaks traces frameworks notebook-runs notebooks clean

help: ## list the goals
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

demo: $(VENV)/.core ## replay the shipped sessions and show the report
	@$(BIN)/interlock demo

test: $(VENV)/.dev ## run the tests
	$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

check: $(VENV)/.dev ## lint, formatting, types, doctests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q --doctest-modules executor scenarios sim

deep: $(VENV)/.dev ## the property tests with many more examples, then breaks and mutants
	INTERLOCK_PROFILE=deep $(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)
	$(MAKE) breaks
	$(MAKE) mutants

mutants: $(MUTANT)/.ready ## change the executor in thousands of small ways, list what no test noticed
	$(MUTANT)/bin/python -m mutmut run --max-children 2 $(MUTANTS)
	$(MUTANT)/bin/python -m mutmut results

# looptime, a peer, brings a plugin that breaks fixtures where pytest-asyncio is not installed.
bench: $(BENCH)/.ready ## measure speed against peers, ratios within one run (PYTHON=python3.12 for all peers)
	$(BENCH)/bin/python -m pytest -q -s -m bench -p no:looptime_plugin tests/benchmarks $(PYTEST_ARGS)

validate: $(VENV)/.dev ## hold runs against recorded sessions (TRACES=FOLDER) and write VALIDATION.md
	$(BIN)/python tests/reality/validation.py $(TRACES)

docs: $(VENV)/.dev ## write the API reference, the pages of commands and frames, docs/
	$(BIN)/python tests/docs/api_pages.py
	$(BIN)/python tests/docs/command_page.py
	$(BIN)/python tests/docs/frames_page.py

figures: $(VENV)/.dev ## draw the pictures of the README and the guides, docs/figures/
	$(BIN)/interlock plot scenarios/library/three_calls_in_a_stream.yaml -o docs/figures/engines.svg
	$(BIN)/interlock plot docs/figures/turn.yaml --kind gantt -o docs/figures/turn.svg
	$(BIN)/interlock plot scenarios/samples/sub_agents_and_refusal.jsonl -o docs/figures/session.svg
	$(BIN)/interlock replay scenarios/samples/*.jsonl --html $(VENV)/report.html >/dev/null
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1180,1000 \
		--screenshot=docs/figures/report.png file://$(CURDIR)/$(VENV)/report.html

knownbad: $(VENV)/.dev ## search the known-bad executors' smallest scenarios anew and write KNOWN_BAD.md
	$(BIN)/python tests/knownbad/table.py

breaks: $(VENV)/.dev ## break every rule of the executor in a copy, and see a test that cites it fail
	$(BIN)/python tests/breaks/broken_rules.py $(RULES)

traces: $(VENV)/.dev ## read the recorded sessions beside the project and write TRACES.md
	$(BIN)/python tests/scenarios/traces/inventory.py

frameworks: $(FRAMES)/.ready ## examine agent frameworks as they are and write FRAMEWORKS.md
	$(FRAMES)/bin/python tests/frameworks/cards.py

notebook-runs: $(VENV)/.dev ## execute the notebooks and compare what comes out with what is kept
	$(BIN)/python -m pytest -q -n 2 tests/notebooks $(PYTEST_ARGS)
	@echo 'After a change: $(BIN)/python tests/notebooks/notebook_runs.py keeps what comes out.'

notebooks: $(VENV)/.lab ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

clean: ## remove what the goals made
	rm -rf $(VENV) $(BENCH) $(FRAMES) $(MUTANT) mutants .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v < (3, 11) and "Python 3.11 or later is needed, got %d.%d: make PYTHON=python3.12 ..." % v)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(VENV)/bin/python $(SETUP)
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python $(SETUP)
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.lab: $(VENV)/.core
	$(PIP) --editable '.[notebooks]'
	@touch $@

# An environment of its own: the peers bring much with them, and some need a later Python than the tests.
$(BENCH)/.ready: $(SETUP)
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt -e '.[testing,bench]'
	@touch $@

$(MUTANT)/.ready: $(SETUP)
	$(PYTHON) -m venv $(MUTANT)
	$(MUTANT)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt -e '.[mutants]'
	@touch $@

$(FRAMES)/.ready: $(SETUP)
	$(PYTHON) -m venv $(FRAMES)
	$(FRAMES)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt -e '.[testing,frameworks]'
	@touch $@
