# The front door; the work is in CMakePresets.json and deps/.
PREFIX ?= /usr/local
JOBS ?= 2
build = cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS)

.PHONY: demo test test-all check-format models bench published install wheel format tidy coverage clean

demo:  ## build the program and its engines, and profile a real network
	deps/install.sh build engines
	$(call build,release) --target strata_cli strata_engines
	build/release/strata stat tests/models/mobilenet_v2.onnx

test: check-format  ## whole programs with g++; unit tests and fuzzers with clang and sanitizers
	deps/install.sh build engines test
	tests/pt2/install.sh build
	$(call build,test)
	$(call build,fuzz)
	tests/run_preset.sh fuzz $(JOBS)
	tests/run_preset.sh test $(JOBS)

test-all: test  ## also every file compiled alone, unit tests with g++, and whole programs with sanitizers
	cmake --preset fuzz -DSTRATA_FUZZ_SECONDS=60
	ctest --preset fuzz --parallel $(JOBS) --tests-regex '_fuzz$$'
	cmake --preset fuzz -DSTRATA_FUZZ_SECONDS=10
	$(call build,dev)
	tests/run_preset.sh dev $(JOBS)
	$(call build,asan)
	tests/run_preset.sh asan $(JOBS)

models:  ## the whole way on every trained network; build/trained/report.md
	deps/install.sh build engines test models
	$(call build,release)
	tests/trained/fetch.sh build/trained
	/usr/bin/python3 -B tests/trained/run_models.py --strata build/release/strata --out build/trained

bench:  ## the figures of docs/speed.md
	deps/install.sh build engines bench
	$(call build,bench)
	set -e; for program in build/bench/bench_*; do $$program; done

# The program has an engine for each of the two PyTorches: 2.13 of pip, and Debian's.
published:  ## the published benchmark and study, redone; docs/published-benchmark.md, docs/faster-rcnn-study.md
	deps/install.sh build engines test
	tests/pt2/install.sh build
	cmake --preset release -B build/published/program \
	  -D "STRATA_TORCH_ROOTS=$(CURDIR)/build/torch/lib/python3.11/site-packages/torch;system"
	cmake --build build/published/program --parallel $(JOBS) --target strata_cli strata_engines
	/usr/bin/python3 -B bench/published/run.py --strata build/published/program/strata \
	  --torch build/torch/bin/python --out build/published
	/usr/bin/python3 -B bench/published/study.py --strata build/published/program/strata --out build/published

install:  ## make install PREFIX=/usr/local
	deps/install.sh build engines
	$(call build,release)
	cmake --install build/release --prefix $(PREFIX)

wheel:  ## build/wheel/dist/strata-….whl: the Python package
	deps/install.sh build engines wheel
	$(call build,release)
	tests/python/install.sh build/python
	tests/python/make_wheel.sh build/release build/wheel build/python/packages

sources = find include src engines tests bench examples -name '*.h' -o -name '*.cc'

format:
	deps/install.sh format
	$(sources) | xargs clang-format-14 -i

check-format:  ## fails on a file that make format would change
	deps/install.sh build format
	@$(sources) | xargs clang-format-14 --dry-run -Werror

tidy:  ## what clang-tidy finds, and an exit code of 1 if that is anything
	deps/install.sh build engines test bench tidy
	tests/pt2/install.sh build
	cmake --preset tidy
	python3 -B tests/run_tidy.py build/tidy $(JOBS)

coverage:  ## lines and branches the tests reach
	deps/install.sh build engines test dev
	$(call build,coverage)
	ctest --preset coverage --parallel $(JOBS)
	gcovr --root . --filter src --filter include --exclude '.*_test\.cc' build/coverage

clean:
	rm -rf build
