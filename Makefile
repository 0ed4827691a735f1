# make demo   from a fresh machine to a first picture
# make test   the same set-up, then every test
# Everything is built by CMake (CMakePresets.json); this file only strings the commands together.

jobs     := $(shell nproc)
command  := build/release/apps/hydrolith
demo     := runs/demo

.PHONY: demo test gallery build setup-build setup-test python docs format tidy bench bench-bullet validate asan tsan install clean web web-packages

demo: build
	@$(MAKE) --no-print-directory $(demo)/pictures/done
	@echo
	@echo "Pictures: $(demo)/pictures    Data: $(demo)    (docs/results.md tells what is what)"
	@echo "Next:     $(command) view $(demo)          look at it in the browser"
	@echo "          $(command) gallery                 what else there is to run"
	@echo "          $(command) check scenes/flood.yaml   what a scene amounts to"
	@echo "          open docs/first-steps.md           your own first scene"

# A finished demo is not run again unless the command or the scene has changed.
$(demo)/pictures/done: $(command) scenes/flood.yaml
	@rm -rf $(demo)
	$(command) run scenes/flood.yaml --output $(demo) --verify
	$(command) render $(demo)
	@touch $@

build: setup-build
	@test -f build/release/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(jobs) --target hydrolith

# What was configured without the test libraries is configured again once they are there.
test: setup-test
	@grep -qs test_core build/release/build.ninja && grep -qs hydrolith_python build/release/build.ninja || \
	  cmake --preset release
	@cmake --build --preset release --parallel $(jobs)
	@ctest --preset release --parallel $(jobs)

setup-build:
	@tools/setup.sh build
setup-test: web-packages
	@tools/setup.sh build test python

# The package for a Python: Debian's, or PYTHON=/path/to/env/bin/python.
PYTHON ?= /usr/bin/python3
python_path = $(abspath $(shell command -v $(PYTHON)))
python:
	@tools/setup.sh build python
	@test -n "$(python_path)" || { echo "PYTHON=$(PYTHON): there is no such program" >&2; exit 1; }
	@$(python_path) tools/python_package.py check
	@cmake --preset release -DHYDROLITH_PYTHON_EXECUTABLE=$(python_path) >/dev/null
	@cmake --build --preset release --parallel $(jobs) --target hydrolith_python_package
	@site=$$($(python_path) tools/python_package.py site) && \
	cmake --install build/release --component python --prefix "$$site" && \
	$(python_path) tools/python_package.py record $$(sed -n 's/.*VERSION \([0-9.]*\) LANG.*/\1/p' CMakeLists.txt) && \
	cd / && $(python_path) -c "import hydrolith; print('hydrolith', hydrolith.version(), 'in', hydrolith.__path__[0])"

# The viewer's page is committed as it is built; only those who change web/ need this.
web: web-packages
	cd web && npm run --silent build
web-packages: web/node_modules/.package-lock.json
web/node_modules/.package-lock.json: web/package-lock.json
	@tools/setup.sh web
	cd web && npm ci --silent --ignore-scripts
	@touch $@

docs: build                 ## writes the generated pages anew
	$(command) schema --format markdown > docs/scene-reference.md
	$(command) schema > docs/scene-schema.json

format:
	@tools/setup.sh develop
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

tidy: build
	@tools/setup.sh develop
	git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs clang-tidy -p build/release --quiet

bench: setup-test
	@grep -qs bench_sampling build/release/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(jobs)
	build/release/bench/bench_sampling
	build/release/bench/bench_render
	build/release/bench/bench_step pillar
	build/release/bench/bench_step bench/scenes/dam_break_100k.yaml 40 20

# Side by side with Bullet, each on one thread (bench/bullet.md); some minutes.
bullet := taskset -c 0 build/release/bench/bench_bullet
bench-bullet:
	@tools/setup.sh build bullet
	@grep -qs bench_bullet build/release/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(jobs) --target bench_bullet
	$(bullet) bench/scenes/drain.yaml --set parameters.columns=3 --set parameters.layers=3 --set duration=0.6 \
	  --steps 4 --within 20 --engines hull primitives parts hydrolith --overlap-every 0.2
	$(bullet) bench/scenes/bolt_in_nut.yaml --rest --within 1 --margin 0 --search --steps 20
	$(bullet) bench/scenes/bolt_in_nut.yaml --set parameters.scale=0.1 --rest --within 0.1 --margin 0 --search --steps 20
	$(bullet) scenes/tower_dry.yaml --rest --within 30 --steps 2 4

gallery: build              ## runs every scene with its expectations; about an hour on two cores
	@failed=0; for scene in scenes/*.yaml; do name=$$(basename $$scene .yaml); rm -rf runs/gallery/$$name; \
	$(command) run $$scene --output runs/gallery/$$name --quiet --verify || { echo "FAILED $$name"; failed=1; }; \
	done; exit $$failed

validate: build             ## runs the validation cases with both engines and writes docs/validation.md; some minutes
	python3 bench/validate.py

asan tsan: setup-test
	@test -f build/$@/build.ninja || cmake --preset $@
	@cmake --build --preset $@ --parallel $(jobs)
	@ctest --preset $@

install: build              ## PREFIX=/usr/local
	cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

clean:
	rm -rf build
