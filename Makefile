# The environment, the pipeline and the checks.  `make help` lists the targets.

SHELL := /bin/bash
CORES ?= all

# make takes any variable, so `scale=small` or SEEDS=… would be ignored without a word.
KNOWN := SCALE MIRROR SEED CORES PYTHON TORCH UPGRADE SHELL HOME XDG_CACHE_HOME SSL_CERT_FILE PIP_% UV%
GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
$(foreach name,$(filter-out $(KNOWN),$(GIVEN)),$(error nothing reads $(name)=…; `make help` lists what can be set))

# Which build of torch is installed: the default one, with CUDA, where there is an NVIDIA GPU, otherwise the one for
# CPUs, which is a tenth as large.  If the latter cannot be had, the default one is installed, and a line says so.
TORCH ?= $(if $(shell command -v nvidia-smi),cuda,cpu)
TORCH_FOR_CPU := https://download.pytorch.org/whl/cpu
$(if $(filter cpu cuda,$(TORCH)),,$(error TORCH is '$(TORCH)'; it must be cpu or cuda))

# What it names would come before the packages of the environment.
unexport PYTHONPATH

# Snakemake keeps files in the home folder; where that cannot be written to, they go to this one.
ifeq ($(shell test -w "$$HOME" && echo yes),)
export XDG_CACHE_HOME ?= $(CURDIR)/.snakemake/cache
export HOME ?= $(CURDIR)/.snakemake
endif

# This file is written last, so an interrupted installation starts again.
READY := .venv/ready
# Put .venv/bin first on PATH, as an activated environment does.
IN_VENV := source .venv/bin/activate &&
CONFIG := $(if $(SCALE),'scale=$(SCALE)') $(if $(MIRROR),'mirror=$(MIRROR)') $(if $(SEED),seed=$(SEED))
SNAKEMAKE := $(IN_VENV) snakemake --cores $(CORES)
WITH_CONFIG := $(if $(strip $(CONFIG)),--config $(strip $(CONFIG)))

.PHONY: help all report export verify style lint check fast test test-full format lock clean FORCE
.DEFAULT_GOAL := help
# Two targets would be two Snakemakes at work on the same files, or one installation at work twice.
.NOTPARALLEL:
# Snakemake manages these files; an interrupted make must not delete them.
.PRECIOUS: results/%

help:
	@echo 'make results/table2.tex   make Table 2 (and its .csv and .md): set up the environment, train, translate, score'
	@echo 'make results/...          make any other file of results/'
	@echo 'make all                  make every table and every figure'
	@echo 'make report               make everything, and results/index.html, the page that shows it: at demo 40 minutes to 1.3 hours'
	@echo 'make export               write the models of Table 2 for Hugging Face (docs/export.md)'
	@echo 'make verify               check every number of the tables against the files behind it (docs/verification.md)'
	@echo '  SCALE=demo|small|...    the scale; by default the one in config/config.yaml (below)'
	@echo '  MIRROR=folder|address   where to look first for files to download'
	@echo '  SEED=number             the seed; another seed is another experiment'
	@echo '  CORES=number            how many cores to use; by default all'
	@echo 'make check                check style and types, run the fast tests: four minutes'
	@echo 'make test                 check style, types and the workflow, run the tests: five to seven minutes'
	@echo 'make test-full            run what make test leaves out, tests that take minutes each: twenty minutes'
	@echo 'make format               format the code'
	@echo 'make lock                 renew the lock files after a change of dependencies in pyproject.toml'
	@echo 'make clean                remove the environment and caches; data and results stay'
	@echo '  PYTHON=python3.12       the Python that makes the environment; by default the one that uv finds'
	@echo '  TORCH=cpu|cuda          the build of torch in it; by default cuda where nvidia-smi is, otherwise cpu'
	@echo
	@echo 'Scales: time and disk for Table 2, and for everything; the environment needs 1.4 GB, with CUDA 5.1'
	@echo '  demo    sentences from a grammar, no download    8 to 15 minutes on 2 cores, 1 GB;  40 minutes to 1.3 hours, 2 GB'
	@echo '  demo-long  as demo, three times as long          for claims: about 2 hours on 2 cores for each seed'
	@echo '  small   Multi30k, 29,000 captions, 2 MB          4.2 hours on 2 cores, 2 GB;   2 days (*), 5 GB'
	@echo '  small-table3  as small, for Table 3              Table 3: 2.3 hours on 2 cores, 2 GB (*)'
	@echo '  paper   WMT 2014, 40 million pairs, 7 GB         6 hours on 8 A100 (*), 80 GB;  14 hours (*), 160 GB'
	@echo '  (*) estimated; the other times were measured (README.md)'
	@echo 'Estimates of each step: snakemake --cores 1 results/plan.md --config scale=paper plan_device=A100  (docs/performance.md)'

# A table also on a page; and the first model of Table 2 before the others are trained.
results/%: $(READY) FORCE
	$(SNAKEMAKE) $@ $(if $(filter table2.%,$*),results/first.html) $(if $(filter table%,$*),results/$(basename $*).html) $(WITH_CONFIG)

all: $(READY)
	$(SNAKEMAKE) $(WITH_CONFIG)

report: $(READY)
	$(SNAKEMAKE) results/index.html $(WITH_CONFIG)

export: $(READY)
	$(SNAKEMAKE) export $(WITH_CONFIG)

verify: $(READY)
	$(IN_VENV) python src/transformer/verification/verify.py$(if $(SCALE), --scale '$(SCALE)')

# tests/conftest.py puts the files in order; xdist would put those with few tests, the slow ones, last.
PYTEST := pytest -q --dist loadfile --no-loadscope-reorder

style: $(READY)
	$(IN_VENV) ruff check .
	$(IN_VENV) ruff format --check .
	$(IN_VENV) snakefmt --check Snakefile workflow
	$(IN_VENV) mypy

# All rules share one environment, so the linter's wish for one in each is left out.  It fails when it says anything else,
# or nothing that it says by itself.  `--lint json` prints the same text (Snakemake 9.27).
LINT := awk '/^Lints for/ {of = $$0; read = 1} /Congratulations/ {read = 1} /^    \* / && !/Specify a conda/ {print of; print; bad = 1} \
	{all = all $$0 "\n"} END {if (!read) printf "%s", all; exit bad || !read}'
lint: $(READY)
	$(IN_VENV) snakemake --lint 2>&1 | $(LINT)
	$(IN_VENV) snakemake --lint --config scale=paper 2>&1 | $(LINT)   # lints the download rules as well

check: style fast

fast: $(READY)
	$(IN_VENV) $(PYTEST) -n 2 --ignore=tests/pipeline

test: style lint
	$(IN_VENV) $(PYTEST) -n 2

# What `test` leaves out: tests that take minutes each, and those that `test` skips without LaTeX, node or an extra.
# Three processes for two cores, since many of these tests wait.
test-full: $(READY)
	$(IN_VENV) $(PYTEST) -n 3 -o 'norecursedirs=.*' tests/full tests/export tests/training/test_tracking.py
	$(IN_VENV) $(PYTEST) -n 2 -m skipif tests/page tests/report tests/tables

format: $(READY)
	$(IN_VENV) ruff check --fix .
	$(IN_VENV) ruff format .
	$(IN_VENV) snakefmt Snakefile workflow

clean:
	rm -rf .venv .venv.new .uv .mypy_cache .ruff_cache .pytest_cache .hypothesis build src/*.egg-info
	find src tests workflow -name __pycache__ -prune -exec rm -rf {} +

# uv installs the environment: the user's own, if it has the options below, else one that pip puts into .uv.  Nothing is
# installed whose sha256 is not in a lock file, nor are packages built with a setuptools other than that of the lock.
UV := $(if $(shell uv pip install --help 2>/dev/null | grep -e --torch-backend),uv,.uv/bin/uv)
# Where pip's variables tell it to look for packages, uv looks, too, and it trusts the certificates that they name.
ifdef PIP_CERT
export SSL_CERT_FILE ?= $(PIP_CERT)
endif
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
ifdef PIP_FIND_LINKS
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
endif
NEW := .venv.new
INSTALL := $(UV) pip install --quiet --python $(NEW)/bin/python --no-deps
LOCKED := $(INSTALL) --require-hashes --build-constraint requirements.lock --requirement
# torch's builds for CPUs are looked for in their own index first, and then where the user's settings of uv point.
CPU := UV_HTTP_RETRIES=1 $(LOCKED) requirements-cpu.lock --torch-backend cpu 2> $(NEW)/cpu.log || \
	$(LOCKED) requirements-cpu.lock 2>> $(NEW)/cpu.log || \
	{ echo 'torch for CPUs could not be had (.venv/cpu.log); taking the default build, on Linux with CUDA' >&2; \
	grep -i -A9 'hash mismatch' $(NEW)/cpu.log >&2; false; } ||

# Parts of Python's own library that a build of it lacks where the headers of a library of the system were missing.
# Snakemake, DVC and pandas import them, hours later perhaps.
PARTS := _bz2 _ctypes _lzma _multiprocessing _sqlite3 _ssl pyexpat zlib
define check_parts
	@lacking=$$(for part in $(PARTS); do $(1) -c "import $$part" 2> /dev/null || echo $$part; done | xargs); \
		test -z "$$lacking" || { echo "error: the Python at $$($(1) -c 'import sys; print(sys.base_prefix)') was built" \
		"without $$lacking of its own library; name another one with PYTHON=..., or build it again with the headers of" \
		"these libraries installed" >&2; exit 1; }
endef

.uv/bin/uv: requirements-extras.lock
	$(call check_parts,$(or $(PYTHON),python3))
	@rm -rf .uv
	@$(or $(PYTHON),python3) -m venv .uv
	@grep '^uv==' requirements-extras.lock > .uv/pin
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement .uv/pin \
		> .uv/pip.log 2>&1 || { grep -qiE 'connection|resol|timed out|unreachable' .uv/pip.log && \
		echo 'error: no network: pip reaches no index (.uv/pip.log); set PIP_INDEX_URL or PIP_FIND_LINKS' >&2 || \
		cat .uv/pip.log >&2; exit 1; }
	@touch $@

# The new environment takes the place of the old one when it is complete; --relocatable lets it be renamed.  A .pth file
# names src/ from where it lies, where an editable installation would name this folder: so a clone that is moved works, and
# one that is copied runs its own code.
$(READY): requirements.lock requirements-cpu.lock requirements-cuda.lock
	@echo 'Installing requirements.lock into .venv; this is needed once, and takes 1.4 GB of disk, with CUDA 5.1 ...'
	$(if $(filter .uv/bin/uv,$(UV)),@$(MAKE) --no-print-directory $(UV))
	@rm -rf $(NEW)
	@$(UV) venv --quiet --relocatable $(if $(PYTHON),--python '$(PYTHON)') $(NEW)
	@$(NEW)/bin/python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || \
		{ echo "error: $(PYTHON) is $$($(NEW)/bin/python --version), but Python 3.11 to 3.14 is needed" >&2; exit 1; }
	$(call check_parts,$(NEW)/bin/python)
	@$(if $(filter cpu,$(TORCH)),$(CPU)) $(LOCKED) requirements-cuda.lock
	@$(LOCKED) requirements.lock
	@echo ../../../../src > $$(echo $(NEW)/lib/python3.*/site-packages)/src.pth
	@touch $(NEW)/ready
	@rm -rf .venv
	@mv $(NEW) .venv
	@echo 'Installed .venv.'

# After a change of the dependencies in pyproject.toml.  UPGRADE=--upgrade renews every version.
lock: $(READY)
	$(IN_VENV) python docs/write_locks.py --uv $(UV) $(UPGRADE)
