# Names for what people do here; `make help` lists them. A step prints one line; a failing step shows its own output.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
PLATFORM ?= a2a3sim a5sim
# A ctest label expression (folders of tests/) that narrows asan and tsan, e.g. SUITE='graph|device'.
SUITE ?= .
PYTHON := .venv/bin/python
QUIET := tools/quiet
export CCACHE_BASEDIR := $(CURDIR)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

CTEST_LINES := tests? passed|tests passed|tests failed
PYTEST_LINES := ^=+ .*(passed|failed|skipped|error).* =+$$|^[0-9]+ (passed|failed)

# What asan and tsan build; narrowed together with SUITE.
TARGETS ?= all

# $(call configure-and-build,PRESET[,CMAKE ARGUMENTS[,TARGETS]])
configure-and-build = $(QUIET) build-$(1) $(SHELL) -c 'cmake --preset $(1) $(2) && \
  cmake --build build/$(1) -j $(JOBS) --target $(or $(3),all)'

# $(call run-ctest,STEP,PRESET,CTEST ARGUMENTS): every test program leaves a report in build/PRESET/gtest.
run-ctest = rm -rf build/$(2)/gtest; $(QUIET) $(1) --show '$(CTEST_LINES)' \
  ctest --test-dir build/$(2) -j $(JOBS) --output-on-failure --no-tests=error --timeout 900 $(3)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 14

# ---- What a user needs

.PHONY: demo
demo: ## a decoder layer of Qwen3-14B at its real size on simulated chips, checked against its reference
	@$(MAKE) package >&2  # standard output holds the result alone
	@mkdir -p build/demo
	@.venv/bin/taskmill run examples/qwen3_14b_decode $(addprefix --platform ,$(PLATFORM)) --kernels --trace build/demo/qwen3_14b_decode.json --json
	@echo "timelines: build/demo/*.json (open them at https://ui.perfetto.dev)" >&2

.PHONY: build
build: cpp package ## everything: C++ in build/release, the package and the command in .venv

.PHONY: test
test: build ## the whole suite: C++ (pool of 2, 1 and 8 threads), then Python
	@export TASKMILL_SIM_THREADS=2; $(call run-ctest,ctest,release,)
	@export TASKMILL_SIM_THREADS=1; $(call run-ctest,ctest-1-thread,release,-L $(POOL_LABELS))
	@export TASKMILL_SIM_THREADS=8; $(call run-ctest,ctest-8-threads,release,-L $(POOL_LABELS))
	@$(QUIET) pytest --show '$(PYTEST_LINES)' $(PYTHON) -m pytest -q -ra

# Folders of tests/ whose programs run kernels in the simulator's pool.
POOL_LABELS := '^(driver|variant|host)$$'

# ---- Builds

.PHONY: bootstrap-demo bootstrap-test bootstrap-develop bootstrap-docs
bootstrap-demo:
	@tools/bootstrap.sh demo
bootstrap-test:
	@tools/bootstrap.sh demo test
bootstrap-develop:
	@tools/bootstrap.sh demo test develop docs
bootstrap-docs:
	@tools/bootstrap.sh demo docs

.PHONY: cpp
cpp: bootstrap-test
	@$(call configure-and-build,release,)

# Installs again only when a file that goes into the package is newer than the last installation.
PACKAGE_SOURCES := CMakeLists.txt pyproject.toml README.md LICENSE cmake include python src
.PHONY: package
package: bootstrap-demo
	@if [ ! -x .venv/bin/taskmill ] || [ -n "$$(find $(PACKAGE_SOURCES) -name __pycache__ -prune -o -newer build/package.stamp -print -quit 2>&1)" ]; then \
	  mkdir -p build; touch build/package.next; \
	  $(QUIET) package $(PYTHON) -m pip install --disable-pip-version-check --no-build-isolation --no-deps --no-index \
	    --force-reinstall .; \
	  mv build/package.next build/package.stamp; \
	fi

# ---- Checks

.PHONY: check
check: bootstrap-develop build ## format, layers, clones, symbols, function sizes, error codes, docs and docstrings
	@$(QUIET) clang-format tools/format.sh --check
	@for check in includes clones functions forbidden readmes error_codes device_symbols docs_snippets docstrings; do \
	  $(QUIET) check-$$check $(PYTHON) tools/check_$$check.py; \
	done
	@$(QUIET) check-self-tests --show '$(PYTEST_LINES)' $(PYTHON) -m pytest -q tests/tools

.PHONY: check-cost
check-cost: bootstrap-develop ## instructions per submit, dispatch and completion against the recorded figures
	@$(call configure-and-build,cost,)
	@$(QUIET) check-cost --show '.' $(PYTHON) tools/check_cost.py --build build/cost

.PHONY: asan
asan: bootstrap-develop cpp ## the C++ suite under the address and undefined-behaviour sanitizers
	@$(call configure-and-build,asan,,$(TARGETS))
	@$(call run-ctest,ctest-asan,asan,-L '$(SUITE)')
	@$(QUIET) counts-asan --show '.' $(PYTHON) tools/test_counts.py build/asan --against build/release --labels '$(SUITE)'

.PHONY: tsan
tsan: bootstrap-develop cpp ## the C++ suite under the thread sanitizer
	@$(call configure-and-build,tsan,,$(TARGETS))
	@$(call run-ctest,ctest-tsan,tsan,-L '$(SUITE)')
	@$(QUIET) counts-tsan --show '.' $(PYTHON) tools/test_counts.py build/tsan --against build/release --labels '$(SUITE)'

.PHONY: aarch64
aarch64: bootstrap-develop cpp ## device code and its tests for the AICPU's instruction set, under qemu
	@$(call configure-and-build,aarch64,)
	@$(call run-ctest,ctest-aarch64,aarch64,)
	@$(QUIET) counts-aarch64 --show '.' $(PYTHON) tools/test_counts.py build/aarch64 --against build/release --device-only
	@$(QUIET) check-device_symbols-aarch64 $(PYTHON) tools/check_device_symbols.py --build build/aarch64

# ---- Longer runs

.PHONY: bench
bench: bootstrap-develop package ## measurements (printed, never asserted)
	@$(call configure-and-build,release,$(if $(wildcard bench/CMakeLists.txt),-DTASKMILL_BENCH=ON))
	@tools/bench.sh build/release

SOAK_ROUNDS ?= 20
.PHONY: soak
soak: build ## 10,000 random graphs of each kind, then the threaded tests again and again, in shuffled order; many minutes
	@export TASKMILL_SEEDS=10000; $(call run-soak,soak-graphs,'^(graph|device)$$')
	@export GTEST_REPEAT=$(SOAK_ROUNDS) GTEST_SHUFFLE=1; $(call run-soak,soak-threads,$(POOL_LABELS))

# $(call run-soak,STEP,LABELS)
run-soak = $(QUIET) $(1) --show '$(CTEST_LINES)' \
  ctest --test-dir build/release -j $(JOBS) --output-on-failure --no-tests=error --timeout 3600 -L $(2)

.PHONY: docs
docs: bootstrap-test site ## the site in build/site; compiles or runs the snippets of the docs, full-size models too, and follows their links
	@$(QUIET) docs_snippets-heavy --show '.' $(PYTHON) tools/check_docs_snippets.py --heavy

.PHONY: site
site: bootstrap-docs package ## the site alone
	@NO_MKDOCS_2_WARNING=1 $(QUIET) site .venv/bin/mkdocs build --strict
	@echo "site: build/site/index.html"

.PHONY: fresh
fresh: ## both commands of the README in a new Debian 12 that holds only git and make (as root)
	@tools/bootstrap.sh fresh
	@tools/fresh.sh

.PHONY: clean
clean: ## removes what was built, .venv included
	@rm -rf build .venv
