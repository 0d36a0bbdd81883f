# `make demo` and `make test` do everything on a fresh Debian 12, installation of packages included.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help deps build deb demo docs pictures python test test-all bench figures soak fuzz test-threads format format-check tidy tidy-changed reference clean install
export JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Packages of library and tool; targets that need more say so, and run `deps` before what they depend on.
export deps_for = --user

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

deps:  ## install missing Debian packages (scripts/packages.txt); deps_for=--tests: also those of the tests
	@scripts/install-deps $(deps_for)

build: export DAEDALUS_USUAL ?= 7 to 9 minutes on two cores
build: deps  ## build library and tool: build/release, tool in bin/daedalus
	@scripts/build release daedalus_user

# A tool that is not there yet is built without the experiments of `reproduce`; `make build` adds them.
demo: export DAEDALUS_USUAL ?= up to 7 minutes on two cores
demo: deps  ## solve pendulum, Andrews' mechanism and heavy top; CSV, SVG and reports in build/demo
	@[ -x build/release/bin/daedalus ] || scripts/build release daedalus_user -DDAEDALUS_BUILD_EXPERIMENTS=OFF
	@scripts/demo build/release/bin/daedalus

docs: export deps_for = --docs
docs: build  ## documentation as a site with search and a gallery of all problems: build/docs/site
	@scripts/docs build/release/bin/daedalus build/docs

pictures: export deps_for = --docs
pictures: build  ## the picture of a report in docs/images, drawn by a browser
	@node scripts/pictures.mjs build/release/bin/daedalus docs/images

python: export deps_for = --python
python: deps  ## build the Python package (build/release/python) and run its tests
	@scripts/build release daedalus_python
	@scripts/run-tests release --label-regex '^python$$'

deb: export deps_for = --deb
deb: deps  ## Debian packages of library, tool and Python package: build/packages
	@scripts/deb

# Long runs: the sanitizers see the same steps in the other suites; test-all has them all.
long := ^nonlinear\.StiffnessJump\.(OnAGroup|InAnAlgebraic)|^adjoint\.GradientBackwards\.IsTheSameInLittle|^loop\.HiddenBetweenSteps\.MultipliersFollow|^loop\.Holds\.|^loop\.Drift\.Linear|^loop\.Invariants\.(EnergyOfAChain|EventsSetNewValues|DenseOutputAndErrorTest)|^loop\.Accumulation\.NeitherWhere|^sensitivity\.Forward\.ColumnsMeetTheirReferencesWithEvery|^loop\.StiffnessNotice\.Is|^formulations\.Formulations\.(HoldThe|AnErrorInterval)|^contact\.ContactTableTest\.OfTheDisc

test: deps format-check  ## format, release build and tests, sanitizer build and tests
	@scripts/build release
	@scripts/run-tests release --label-exclude '^slow$$'
	@scripts/build sanitize
	@scripts/run-tests sanitize --label-exclude '^slow$$' --exclude-regex '$(long)'

# The table of claims is shown; code 1 means that some deviate from their source, and the slow tests
# know which may.
test-all: test  ## also Clang release build, slow sets, all sanitizer tests, and every reproduced claim
	@scripts/build clang
	@cmake --build --preset clang --target daedalus_bench -- --quiet
	@scripts/run-tests clang
	@scripts/build sanitize-all
	@scripts/run-tests sanitize-all --label-exclude '^slow$$'
	@build/clang/bin/daedalus reproduce --all || [ $$? -eq 1 ]

bench: export deps_for = --bench
bench: build  ## run the benchmarks, then suite core against SUNDIALS, PETSc and SciPy where installed
	@cmake --build --preset release --target daedalus_bench daedalus_peers -- --quiet
	@scripts/bench build/release/bin/daedalus_bench $(BENCH_ARGS)
	@build/release/bin/daedalus_peers --list
	@build/release/bin/daedalus bench --peers --summary --csv build/bench/peers.csv --plot build/bench/peers.svg

figures: build  ## draw the sources' figures with our data and write docs/figures.md (needs gnuplot)
	@scripts/figures

SOAK_RUNS ?= 10000
SOAK_ARGS ?=
soak: build  ## random problems with known solutions against all methods (SOAK_RUNS=100000, docs/soak.md)
	@cmake --build --preset release --target daedalus_soak -- --quiet
	@build/release/bin/daedalus_soak --runs $(SOAK_RUNS) --threads $(JOBS) $(SOAK_ARGS)

SECONDS ?= 60
fuzz: deps  ## fuzz every reader under both sanitizers, SECONDS=60 in all (docs/reliability.md)
	@scripts/build fuzz daedalus_fuzz
	@scripts/fuzz build/fuzz/fuzz/daedalus_fuzz $(SECONDS)

test-threads: deps  ## the tests that use threads, under the thread sanitizer
	@scripts/build thread test_threads
	@scripts/run-tests thread --tests-regex '^threads\.'

format: deps  ## format all sources
	@scripts/format

format-check: deps  ## name the sources that are not formatted
	@scripts/format --check

tidy: deps  ## clang-tidy over library, catalogue and tool
	@cmake --preset release >/dev/null
	@scripts/tidy

tidy-changed: deps  ## the same over what differs from main, within a minute
	@cmake --preset release >/dev/null
	@scripts/tidy --changed

test test-all reference: export deps_for = --tests
fuzz test-threads format format-check tidy tidy-changed: export deps_for = --develop
reference: deps  ## API reference of the public headers: build/reference/html/index.html
	@doxygen docs/reference/Doxyfile

clean:  ## remove build/
	@rm -rf build

install: build  ## install below PREFIX (default /usr/local)
	@cmake --install build/release --prefix '$(PREFIX)'
