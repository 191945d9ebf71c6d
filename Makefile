# The front door; the work is in CMakePresets.json and deps/.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
build = cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS)

.PHONY: demo engines test test-all check-format models tflite ncnn ir bench published devices install wheel local-wheel dist try-dist macos windows docs types format tidy coverage clean

demo:  ## build the program, and profile a real network; nothing is run, so no engine is fetched
	deps/install.sh build
	cmake --preset release -DSTRATA_FETCH=OFF
	cmake --build --preset release --parallel $(JOBS) --target strata_cli
	build/release/strata stat tests/models/mobilenet_v2.onnx

engines:  ## build the engines beside the program: bench, stat --time and whatever else runs a model
	deps/install.sh build engines
	-engines/openvino/install.sh build
	$(call build,release) --target strata_cli strata_engines

test: check-format  ## whole programs with g++; unit tests and fuzzers with clang and sanitizers
	deps/install.sh build engines test
	tests/pt2/install.sh build
	engines/openvino/install.sh build
	$(call build,test)
	$(call build,fuzz)
	tests/run_preset.sh fuzz $(JOBS)
	tests/run_preset.sh test $(JOBS)

test-all: test  ## also every file compiled alone, unit tests with g++, and whole programs with sanitizers
	cmake --preset fuzz -DSTRATA_FUZZ_SECONDS=1200
	ctest --preset fuzz --parallel $(JOBS) --tests-regex '_fuzz$$'
	cmake --preset fuzz -DSTRATA_FUZZ_SECONDS=60
	$(call build,dev)
	tests/run_preset.sh dev $(JOBS)
	$(call build,asan)
	tests/run_preset.sh asan $(JOBS)

models:  ## the whole way on every trained network; build/trained/report.md
	deps/install.sh build engines test models
	$(call build,release)
	tests/trained/fetch.sh build/trained
	/usr/bin/python3 -B tests/trained/run_models.py --strata build/release/strata --out build/trained

tflite:  ## 42 TensorFlow Lite models against LiteRT and TFLite Micro
	deps/install.sh build engines test models
	$(call build,release)
	tests/fetch_models.sh tflite build/tflite
	build/tflite/env/venv/bin/python -B tests/tflm/make_networks.py build/tflite/networks
	build/tflite/env/venv/bin/python -B tests/tflm/make_kernels.py build/tflite/networks
	build/tflite/env/venv/bin/python -B tests/tflm/make_operators.py build/tflite/networks
	build/tflite/env/venv/bin/python -B tests/tflm/make_offline.py build/tflite/networks
	build/tflite/env/venv/bin/python -B tests/tflite/check_models.py --strata build/release/strata \
	  --models build/tflite/models --networks build/tflite/networks

ncnn:  ## 20 networks of four packages against ncnn, blob by blob
	deps/install.sh build engines test models
	$(call build,release)
	tests/fetch_models.sh ncnn build/ncnn
	build/ncnn/env/venv/bin/python -B tests/ncnn/check_models.py --strata build/release/strata \
	  --models build/ncnn/models

ir:  ## networks that OpenVINO and NNCF convert from ONNX, TensorFlow Lite and SavedModel, against OpenVINO
	deps/install.sh build engines test models
	$(call build,release)
	tests/fetch_models.sh openvino build/ir
	tests/fetch_models.sh tflite build/tflite
	build/ir/env/venv/bin/python -B tests/openvino/check_ir.py --strata build/release/strata --zoo 45 \
	  --models build/ir/models build/tflite/models tests/models/digits tests/models/fashion tests/models/words \
	  --work build/ir/made

bench:  ## the figures of docs/speed.md
	deps/install.sh build engines bench
	$(call build,bench)
	set -e; for program in build/bench/bench_*; do $$program; done

# The program has an engine for each of the two PyTorches: 2.13 of pip, and Debian's.
PREDICT = build/predict
devices:  ## the constants and errors of docs/predict.md, from published measurements; needs timm, transformers, numpy
	$(call build,release) --target strata_cli
	PYTHONPATH=python:$$PYTHONPATH python3 bench/predict/record.py --out $(PREDICT)/recordings
	python3 bench/predict/kernels.py --strata build/release/strata --recordings $(PREDICT)/recordings \
	  --out $(PREDICT)/kernels
	python3 bench/predict/fit.py --kernels $(PREDICT)/kernels --results $(PREDICT)/results
	PYTHONPATH=python:$$PYTHONPATH python3 bench/predict/record.py --train --share 0.3 --out $(PREDICT)/steps
	python3 bench/predict/kernels.py --strata build/release/strata --recordings $(PREDICT)/steps \
	  --out $(PREDICT)/train --runtime eager
	python3 bench/predict/training.py --kernels $(PREDICT)/train --results $(PREDICT)/results
	PYTHONPATH=python:$$PYTHONPATH python3 bench/predict/record_transformers.py --out $(PREDICT)/transformers
	python3 bench/predict/operators.py --strata build/release/strata --recordings $(PREDICT)/transformers \
	  --results $(PREDICT)/results
	python3 -m pip download --quiet --no-deps --require-hashes --dest $(PREDICT) --requirement bench/predict/requirements.txt
	python3 bench/predict/gemm.py --wheel $(PREDICT)/aiconfigurator-0.8.0-py3-none-any.whl --results $(PREDICT)/results
	python3 bench/predict/tables.py $(PREDICT)/results
	python3 bench/predict/published.py --strata build/release/strata --page docs/predict.md

published:  ## the published benchmark and study, redone; docs/published-benchmark.md, docs/faster-rcnn-study.md
	deps/install.sh build engines test
	tests/pt2/install.sh build
	engines/openvino/install.sh build
	tests/python/install.sh build/python
	cmake --preset release -B build/published/program \
	  -D "STRATA_TORCH_ROOTS=$(CURDIR)/build/torch/lib/python3.11/site-packages/torch;system"
	cmake --build build/published/program --parallel $(JOBS) --target strata_cli strata_engines strata_c strata_guard
	/usr/bin/python3 -B bench/published/run.py --strata build/published/program/strata \
	  --torch build/torch/bin/python --out build/published \
	  --packages python:build/python/packages:build/openvino/packages
	/usr/bin/python3 -B bench/published/study.py --strata build/published/program/strata --out build/published

install:  ## make install PREFIX=/usr/local
	deps/install.sh build engines
	$(call build,release)
	cmake --install build/release --prefix $(PREFIX)

local-wheel:  ## build/wheel/dist/strata-….whl: the Python package with this system's libraries, for systems like it
	deps/install.sh build engines wheel
	$(call build,release)
	tests/python/install.sh build/python
	tests/python/make_wheel.sh build/release build/wheel build/python/packages

# zig from pip compiles for an older glibc than this system's, and for another machine. On two cores a
# machine takes about ten minutes of processor time; it is compiled once for both targets. For another one:
# make wheel MACHINES="x86_64 aarch64"
MACHINES ?= $(shell uname -m)
dist:  ## build/portable/dist: a tarball and a .deb for each of MACHINES, which need glibc 2.28 and nothing else
	deps/install.sh portable engines
	JOBS=$(JOBS) packaging/dist.sh build/portable $(MACHINES)

wheel: dist  ## build/portable/wheels: the Python package, manylinux_2_28, checked by auditwheel
	tests/python/install.sh build/python
	set -e; for machine in $(MACHINES); do \
	  packaging/make_wheel.sh $$machine build/portable build/portable/$$machine/tree build/python/packages; done

try-dist:  ## installs what dist and wheel made into bare Debian systems; as root
	deps/install.sh try
	packaging/try.sh build/portable

macos:  ## build/portable/x86_64-macos/build/strata: compiled and linked for macOS, without engines; never run
	deps/install.sh build portable
	JOBS=$(JOBS) packaging/elsewhere.sh macos x86_64 build/portable

windows:  ## the same for Windows: build/portable/x86_64-windows/build/strata.exe
	deps/install.sh build portable
	JOBS=$(JOBS) packaging/elsewhere.sh windows x86_64 build/portable

docs:  ## build/website/site: the documentation as a site, with a gallery of pages, and every link followed; EARLIER=SITE keeps its versions
	deps/install.sh build website
	cmake --preset release -DSTRATA_FETCH=OFF
	cmake --build --preset release --parallel $(JOBS) --target strata_cli
	website/build.sh build/release/strata build/website $(EARLIER)

types:  ## the Python package's types, in the judgement of mypy and pyright
	deps/install.sh types
	tests/python/types/run.sh build/types

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
