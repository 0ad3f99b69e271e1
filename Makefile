# Everything a person needs: `make study` runs the sample study, `make test` the tests, `make check` the linters.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

# The tests start hundreds of interpreters: each would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: study test slow check format docs constraints oracles inspector clean

study: $(RUN)
	$(BIN)/corpusgraph run configs/studies/broad_street.yml

# A file stays with one worker: what its tests share is made once.
test: $(DEV)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder \
	  -m "not slow and not external and not orchestration and not faults and not peers"

slow: $(DEV)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder \
	  -m "slow and not external and not orchestration and not faults and not peers"

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DEV)
	$(BIN)/python -m corpusgraph.flows.docs

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "corpusgraph needs Python 3.11, 3.12 or 3.13; give one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml constraints.txt $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(DEV): pyproject.toml constraints.txt $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(RUN)

# Systems that our answers are compared with. Some may not be linked with ours (AGPL), others are heavy: none is
# ever imported by this package or installed in its environment.
oracles: .venv-oracles/.installed

.venv-oracles/.installed: tests/oracles.txt
	$(PYTHON) -m venv .venv-oracles
	.venv-oracles/bin/python -m pip install --quiet --disable-pip-version-check -r tests/oracles.txt
	@touch $@

# The official client that lists and calls every tool in tests/mcp/test_inspector.py, the reference memory server
# that tests/interop/test_reference_server.py runs beside ours, and the Node they need.
inspector: .inspector/.installed

.inspector/.installed: tests/inspector.txt
	@mkdir -p .inspector
	npm install --prefix .inspector --no-save --no-audit --no-fund --no-package-lock $$(cat tests/inspector.txt)
	@touch $@

# Microsoft GraphRAG itself, which reads what we write and writes what we read: the newest, and the last of each
# older shape of its tables.
graphrag-oracle: .venv-graphrag/.installed .venv-graphrag-2/.installed .venv-graphrag-1/.installed \
  .venv-graphrag-0/.installed

.venv-graphrag/.installed: GRAPHRAG = 3.3.0
.venv-graphrag-2/.installed: GRAPHRAG = 2.7.2
.venv-graphrag-1/.installed: GRAPHRAG = 1.2.4
.venv-graphrag-0/.installed: GRAPHRAG = 0.5.0

# pyarrow from 26 on does not load beside the NumPy 1 that some of them ask for, and does not say so.
.venv-graphrag/.installed .venv-graphrag-2/.installed .venv-graphrag-1/.installed:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check graphrag==$(GRAPHRAG) 'pyarrow<26'
	@touch $@

# It asks for lancedb 0.13, which cannot be installed any more: what its adapters import is listed instead.
.venv-graphrag-0/.installed: tests/graphrag_0_5.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps graphrag==$(GRAPHRAG)
	@touch $@

constraints: $(DEV)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
	  --extra dev pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV) .venv-oracles .venv-graphrag* .inspector .mypy_cache .ruff_cache .pytest_cache .hypothesis
