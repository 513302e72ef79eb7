# The environment, the pipeline and the checks.  `make help` lists the targets.

SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all

# Written last, so that an environment whose making was interrupted is made again.
READY := .venv/ready
# What stands in .venv/bin goes first, as in an activated environment.
IN_VENV := source .venv/bin/activate &&
CONFIG := $(if $(SCALE),scale=$(SCALE)) $(if $(MIRROR),mirror=$(MIRROR)) $(if $(SEED),seed=$(SEED))

.PHONY: help all report test format clean FORCE
.DEFAULT_GOAL := help
# Snakemake answers for these files; make must not delete them when it is interrupted.
.PRECIOUS: results/%

help:
	@echo 'make results/table2.tex   Table 2 (and its .csv and .md): makes the environment, trains, decodes, scores'
	@echo 'make results/...          any other file of results/'
	@echo 'make all                  every table, every figure, the report'
	@echo 'make report               results/report.pdf (needs LaTeX), results/report.html and results/README.md, an index'
	@echo '  SCALE=demo|small        which scale of config/; otherwise the one in config/config.yaml'
	@echo '  MIRROR=folder|address   where to look first for what is downloaded'
	@echo '  SEED=number             another experiment'
	@echo '  CORES=number            how many cores; otherwise all'
	@echo 'make test                 style, types, workflow and tests'
	@echo 'make format               format the code'
	@echo 'make clean                remove the environment and caches; data and results stay'
	@echo '  PYTHON=python3.12       which Python makes the environment; otherwise python3'

results/%: $(READY) FORCE
	$(IN_VENV) snakemake --cores $(CORES) $@$(if $(strip $(CONFIG)), --config $(strip $(CONFIG)))

all: $(READY)
	$(IN_VENV) snakemake --cores $(CORES)$(if $(strip $(CONFIG)), --config $(strip $(CONFIG)))

report: $(READY)
	$(IN_VENV) snakemake --cores $(CORES) results/report.pdf results/report.html results/README.md$(if $(strip $(CONFIG)), --config $(strip $(CONFIG)))

# Two processes of one thread each: tests that used two threads each would wait for one another.
test: $(READY)
	$(IN_VENV) ruff check .
	$(IN_VENV) ruff format --check .
	$(IN_VENV) mypy
	$(IN_VENV) snakefmt --check Snakefile workflow
	$(IN_VENV) snakemake --lint
	$(IN_VENV) snakemake --lint --config scale=paper   # and the rules for what is downloaded
	$(IN_VENV) OMP_NUM_THREADS=1 pytest -q -n 2 --dist loadfile

format: $(READY)
	$(IN_VENV) ruff check --fix .
	$(IN_VENV) ruff format .
	$(IN_VENV) snakefmt Snakefile workflow

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build src/*.egg-info
	find src tests workflow -name __pycache__ -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 4))' || \
		{ echo "error: Python 3.11.4 or newer is needed, and $(PYTHON) is $$($(PYTHON) --version 2>&1);" \
		"name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo 'Making .venv from requirements.lock: once, a few minutes (torch is large) ...'
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
	@echo 'Made .venv.'
