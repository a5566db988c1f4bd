# SPDX-License-Identifier: Apache-2.0
# A thin face over Meson.
#
#   make             set-up and build; the program is build/steptime
#   make demo        ... and look at a trace recorded with it
#   make check       ... and run every test
#   make install     program, library, man pages, completion (PREFIX, DESTDIR)
#   make sanitize    every test under the address and undefined-behaviour sanitizers
#   make clang       every test built by the second compiler, warnings as errors, zlib in the place of ISA-L, no SQLite
#   make fuzz        each fuzz target for FUZZ_SECONDS (60)
#   make mutants     every trace found and MUTANTS (1000) changed ones against the invariants, under sanitizers
#   make format      rewrite the sources as .clang-format says; make format-check only looks
#   make guard       does any command cost more than before? counts instructions and memory against bench/guard/baseline.json
#   make bench       measure; the figures go to build/bench.json
#   make bench-accuracy  how far predictions are from published measurements; build/accuracy.json
#   make models      fit data/models again from the public measurements beside the checkout
#   make clean
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
MUTANTS ?= 1000
# true: a warning fails the build, as in .ci/run.
WERROR ?= false

# make PREFIX=~/.local also finds programs and libraries there; not every shell expands that ~.
prefix := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
export PATH := $(prefix)/bin:$(PATH)
export PKG_CONFIG_PATH := $(prefix)/lib/pkgconfig:$(prefix)/lib64/pkgconfig:$(prefix)/share/pkgconfig:$(PKG_CONFIG_PATH)

sources = $(shell find include src tests bench -name '*.[ch]')
sanitizers = -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized -Dc_args=-fno-sanitize-recover=all

.PHONY: all demo check install sanitize clang fuzz fuzz-build mutants format format-check bench guard bench-accuracy models clean help
.NOTPARALLEL:

all:
	@tools/setup.sh build
	@tools/configure.sh build -Dprefix=$(prefix) -Dwerror=$(WERROR)
	@ninja -C build --quiet
	@ln -sfn src/steptime build/steptime

demo: all
	build/steptime summary tests/data/recorded/dlrm-cpu.json.gz

check:
	@tools/setup.sh check
	@$(MAKE) --no-print-directory all
	@tools/check.py build $(TALLY)

install: all
	DESTDIR=$(DESTDIR) meson install -C build --no-rebuild

sanitize:
	@tools/setup.sh check
	@tools/configure.sh build-sanitize $(sanitizers)
	@tools/check.py build-sanitize --label sanitize $(TALLY) --timeout-multiplier 4

clang:
	@tools/setup.sh ci
	@CC=clang tools/configure.sh build-clang -Dwerror=true -Disal=disabled -Dlzma=disabled -Dsqlite=disabled
	@tools/check.py build-clang --label clang $(TALLY)

fuzz-build:
	@tools/setup.sh ci
	@CC=clang tools/configure.sh build-fuzz $(sanitizers) -Dfuzz=true
	@ninja -C build-fuzz --quiet

fuzz: fuzz-build
	@tools/fuzz.py build-fuzz $(FUZZ_SECONDS) $(TALLY)

mutants:
	@tools/setup.sh check
	@tools/configure.sh build-sanitize $(sanitizers)
	@ninja -C build-sanitize --quiet src/steptime
	@ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		tests/mutants/run.py build-sanitize/src/steptime --whole --mutants $(MUTANTS)

format:
	clang-format -i $(sources)

format-check:
	@clang-format --dry-run --Werror $(sources)

bench: all
	python3 bench/run.py

guard: all
	@python3 bench/guard.py

bench-accuracy: all
	python3 bench/accuracy.py

models: all
	tools/fit_models.sh build/steptime data/models

clean:
	rm -rf build build-sanitize build-clang build-fuzz

help:
	@sed -n '3,/^PREFIX/{/^#/s/^# \{0,1\}//p}' Makefile
