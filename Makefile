# make build     build the program to be tested, .build/release/matterctl
# make demo      commission and switch a simulated light on a private network, live; leaves nothing behind
# make demo-rainmaker   the same with the emulator of the RainMaker cloud as the issuer, and a second user
# make demo-new-device   the same with a light that is on no network: over Bluetooth, and to Wi-Fi
# make record    play the demo and the first hour of a new user, and keep both in docs
# make test      unit tests, then end-to-end tests of that program in a private network; CI=1: of the release binary, and more
# make check     formatting, lint, forbidden constructs, generated files, warnings as errors, the library's public names,
#                the examples
# make stress    kills, crowds, losses, hostile peers, in a private network; hours, adds up over runs (docs/reliability.md)
# make fuzz      ten million inputs for every decoder, hours too
# make outside   build the examples as another package, by path and by tag, and run them; ten minutes
# make bench     measure against the official Python controller, in one run with the same light
# make order     list the functions that a toggle runs, for the linker: Tests/Bench/order.txt
# make sizes     list how much of the release binary each module takes
# make format    format all Swift sources in place
# make install   a release binary with completion scripts and manual pages below PREFIX (default /usr/local)
# make deb       the Debian packages of this commit, in .build-packages/ (.packaging/README.md)
# make deb-test  install them in clean chroots of bookworm, trixie and sid, and run their tests there; root
# make arm64     the program for arm64, cross-compiled with Debian sid's Swift and tried by emulation; root
# make deb-same  build them twice, under different circumstances, and compare; half an hour
# make arm64-end-to-end   the end-to-end tests with that program, by emulation, after make arm64; root, two hours
# make tarball   the program for systems without dpkg; make image: an image for containers; make packages: all of these
# make release-check     the checklist of docs/releasing.md
# make clean     remove what was built
#
# make deps      install what the above need (Debian packages; with sudo unless root); the others do it first
# make peers     the Python peers of the end-to-end tests, in .peers/
#
# make test ONLY=Light       end-to-end tests whose name matches; TESTED=release: of the release binary
# make stress ONLY=kill-commission ROUNDS=20 SEED=7     some rounds of one test; CI=1: all of them, two minutes
# make stress ONLY=explore FAULTS=2      all runs with two faults each; ONLY=mutants: whether planted faults are found
# make fuzz ONLY=tlv RUNS=100000                        some inputs of one decoder
# make install PREFIX=/opt/matterctl DESTDIR=/tmp/package
SHELL = /bin/bash
.SHELLFLAGS = -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL = build
.PHONY: build demo demo-new-device record demo-rainmaker test stress fuzz check outside bench order sizes format install deb deb-test deb-same arm64 arm64-end-to-end tarball image packages release-check clean deps build-deps peers peers-controller release

PREFIX ?= /usr/local
DESTDIR ?=
ONLY ?= EndToEndTests
# The folder of vectors, trust, lab certificates and reference, for the tests and tools that read it.
MATTERCTL_SHARED ?=
SHARED = $(or $(MATTERCTL_SHARED),../shared)

# What the build needs, what the tests need, and what only the official controller's library needs.
BUILD_PACKAGES = binutils libssl-dev libavahi-client-dev libqrencode4 ca-certificates \
	$(if $(wildcard /usr/lib/*/libcurl.so.4 /usr/lib/*/libcurl-gnutls.so.4),,libcurl4)
LAB_PACKAGES = age avahi-daemon avahi-utils dbus libsqlite3-0 iproute2 util-linux python3-venv zsh fish gdb nftables faketime tcpdump tshark chromium graphviz
CONTROLLER_PACKAGES = libnl-3-200 libnl-route-3-200 libglib2.0-0
BENCH_PACKAGES = time hyperfine valgrind strace
STRESS_PACKAGES = faketime
# Rounds that were played add up here; outside of what `make clean` removes.
RESULTS ?= $(CURDIR)/.build-stress/results.jsonl

# How a suite must run stands beside it; this makes regular expressions of it.
SUITES = Tests/Tools/suites.py
LAB = Tests/Lab/lab.sh
GROUP = Tests/Tools/group.sh
# The program of all tests, as `swift test` starts it where its output is no terminal. `swift test` itself reads the package once more
# at each start, and where two did so at once, one of them now and then found no tests in it.
TESTS = env NO_COLOR=1 $(BUILT)/matterctlPackageTests.xctest --testing-library swift-testing
SOURCES = Sources Tests docs/Examples Package.swift
# Small, on disk and in memory, for every command is a fresh process: optimized for size; no table of symbols, as nothing
# loads the program as a library; relative relocations packed (glibc 2.36 and later can read those).
GLIBC = $(shell getconf GNU_LIBC_VERSION | cut -d' ' -f2)
PACKED = $(shell printf '%s\n' 2.36 $(GLIBC) | sort -V | head -n 1 | sed -n 's/^2.36$$/-Xlinker -z -Xlinker pack-relative-relocs/p')
SMALL = .build-release/small.ld
# The compiler's small helpers have no names, or numbers instead, which differ from build to build, so the list of functions
# cannot order them. Side by side they take a few pages; spread over the program, each would bring 64 KB into memory.
HELPERS = .text..L* .text.*Tm .text.*Tm.[0-9]* .text._swift_stdlib_gettid*
# Generic types are asked for by reference and not by name: the search for a name costs 50,000 instructions and more.
BY_REFERENCE = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# The linker generates the code, function by function: it leaves out those that are never called, keeps one of several that are
# equal, and puts those that a command runs side by side (decision 21). The compiler driver would optimize each file once more.
WHOLE = --experimental-lto-mode=full -Xlinker --icf=safe \
	-Xlinker --symbol-ordering-file=$(CURDIR)/Tests/Bench/order.txt -Xlinker --no-warn-symbol-ordering \
	$(foreach word,-Xclang -disable-llvm-passes,-Xswiftc -Xclang-linker -Xswiftc $(word))
# Names and lines of functions, for debuggers; they end in a file of their own (Tests/Tools/split_debug.sh).
LINES = -debug-info-format none -Xswiftc -gline-tables-only -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=matterctl \
	-Xcc -gline-tables-only -Xcc -ffile-prefix-map=$(CURDIR)=matterctl
# The C++ library of Swift's runtime is linked in where the system has it for that.
CXX = .build-release/static/libstdc++.a
RELEASE = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -Osize $(BY_REFERENCE) -Xswiftc -use-ld=lld $(WHOLE) \
	$(LINES) -Xlinker -L$(CURDIR)/$(dir $(CXX)) -Xlinker --no-export-dynamic $(PACKED) -Xlinker --build-id=sha1 \
	-Xlinker --script=$(CURDIR)/$(SMALL)

# The package manager names the traits to the compiler in the order of a hash. With another seed that is another command, and
# everything would be compiled again.
BUILD = env SWIFT_DETERMINISTIC_HASHING=1 swift build

# Apart from what is tested, so that both can be made at once.
RELEASE_BUILD = $(BUILD) $(RELEASE) --scratch-path .build-release
RELEASED = .build-release/release/matterctl
# The program as it is installed, and beside it the file for debuggers.
DIST = .build-release/dist

$(SMALL): Makefile
	mkdir -p $(@D) $(dir $(CXX))
	library=$$(clang -print-file-name=libstdc++.a)
	if [ -f "$$library" ]; then ln -sf "$$library" $(CXX); fi
	echo 'SECTIONS { .text.helpers : { $(foreach helper,$(HELPERS),*($(helper))) } } INSERT BEFORE .text;' > $@

# What is built to be tested: not optimized, file by file, with all that tests look into, and without the tables that only a debugger
# reads, which cost a fifth of the time (`make test TABLES=` keeps them). It is the package manager's release configuration with the flags
# of the debug one, but for one: where DEBUG is defined, the parser of command lines checks the declaration of a command at each
# parsing, and five times for each level of options within options. That was most of what tests did (decision 38).
TABLES = -debug-info-format none
UNOPTIMIZED = -c release $(TABLES) $(foreach flag,-Onone -enable-testing -no-whole-module-optimization -enable-batch-mode \
	-incremental,-Xswiftc $(flag))
# The driver says of each module that it leaves out one flag of the whole-module mode.
UNOPTIMIZED_BUILD = filtered() { grep -v 'cannot multithread batch mode' || true; }; MATTERCTL_WITH_EXAMPLES=1 $(BUILD) $(UNOPTIMIZED)
# Where it lies.
BUILT = $(CURDIR)/.build/release

build: deps
	$(UNOPTIMIZED_BUILD) --product matterctl | filtered

# The programs of docs/Examples, as others would build them, with one scratch path for all.
EXAMPLES = $(BUILD) $(TABLES) --package-path docs/Examples --scratch-path .build-examples

# What the end-to-end tests run: the program as users install it, which takes the longest to build, or what is built with the tests.
TESTED ?= $(if $(CI),release,built)
TESTED_BINARY = $(if $(filter release,$(TESTED)),$(CURDIR)/$(DIST)/matterctl)

# A release binary is built beside the unit tests. They run in a laboratory too: those of discovery need one. Without CI, tests that go
# through many inputs try a part of them (Tests/TestSupport/Effort.swift).
test: deps peers peers-controller
	$(UNOPTIMIZED_BUILD) --build-tests | filtered
	logs=$$(mktemp -d "$${TMPDIR:-/tmp}/matterctl-test.XXXXXX")
	export MATTERCTL_FAILURES="$$logs/failures"
	names() { names=$$($(SUITES) "$$1"); }
	failed=0
	others=()
	# Runs beside what follows; its output comes when all has ended.
	beside() {
		"$${@:2}" > "$$logs/$$1.out" 2>&1 &
		others+=("$$!" "$$1")
	}
	# They have until the end-to-end tests.
	release= examples=
	trap 'kill $$release $$examples 2> /dev/null || true' EXIT
	if [ "$(TESTED)" = release ]; then
		nice -n 19 $(MAKE) --no-print-directory release > "$$logs/release.out" 2>&1 &
		release=$$!
	fi
	# Waits for what runs beside, and ends if something failed.
	join() {
		set -- "$${others[@]}"
		others=()
		while [ $$# != 0 ]; do
			wait "$$1" || { failed=1; echo "== failed: $$2" >> "$$MATTERCTL_FAILURES"; }
			cat "$$logs/$$2.out"
			shift 2
		done
		if [ $$failed != 0 ]; then
			cat "$$MATTERCTL_FAILURES"
			exit 1
		fi
	}
	# The official controller mostly waits, and so do sockets and searches.
	names beside
	beside simulator $(GROUP) "the virtual device, which meets the official controller" \
		$(LAB) "$$logs/simulator" $(TESTS) --filter "$$names"
	# Commands that run in the test's process: those whose output is compared, and those whose devices run there, too.
	snapshots() {
		names oneByOne
		$(GROUP) "the output of commands, one by one" \
			$(LAB) "$$logs/snapshots" $(TESTS) --no-parallel --filter "$$names"
	}
	commands() {
		names fewAtATime
		$(GROUP) "commands with devices in the test's process, a few at a time" \
			$(LAB) "$$logs/commands" $(TESTS) --experimental-maximum-parallelization-width 6 --filter "$$names"
	}
	# The release build takes what the sockets leave.
	if [ -z "$$release" ]; then
		beside snapshots snapshots
		beside commands commands
	fi
	# The end-to-end tests run the examples, in CI as a package of their own.
	if [ -n "$(CI)" ]; then
		nice -n 19 $(EXAMPLES) > "$$logs/examples.out" 2>&1 &
		examples=$$!
	fi
	names timed
	$(GROUP) "unit tests with real sockets, one by one" \
		$(LAB) "$$logs/timed" $(TESTS) --no-parallel --filter "$$names" || failed=1
	names ownDaemons
	$(GROUP) "discovery and Bluetooth, on an Avahi and a bus of their own" \
		$(LAB) "$$logs/discovery" $(TESTS) --filter "$$names" || failed=1
	if [ -n "$$release" ]; then
		snapshots || failed=1
		commands || failed=1
	fi
	names --rest
	$(GROUP) "all other unit tests" \
		$(LAB) "$$logs/unit" $(TESTS) --experimental-maximum-parallelization-width 8 --skip "$$names" || failed=1
	join
	for program in examples release; do
		if [ -n "$${!program}" ] && ! wait "$${!program}"; then
			cat "$$logs/$$program.out"
			echo "not built: $$program" >&2
			exit 1
		fi
	done
	trap - EXIT
	export MATTERCTL_EXAMPLES="$(if $(CI),$(CURDIR)/.build-examples/debug,$(BUILT))"
	MATTERCTL_BINARY="$(TESTED_BINARY)" MATTERCTL_PEERS="$(CURDIR)/.peers" $(GROUP) "end-to-end tests; their logs stay in $$logs if one fails" \
		$(LAB) "$$logs/e2e" $(TESTS) --filter '$(ONLY)'
	rm -rf "$$logs"

outside: deps peers
	$(UNOPTIMIZED_BUILD) --build-tests | filtered
	MATTERCTL_PEERS="$(CURDIR)/.peers" Tests/Tools/outside_package.sh $(BUILT)/matterctl

# What is given on the command line, for the programs below; ONLY has a default of its own.
CHOICE = $(if $(filter-out EndToEndTests,$(ONLY)),--only '$(ONLY)') $(if $(SEED),--seed $(SEED)) --results '$(RESULTS)'

# The test build differs from others in one thing: its virtual devices can log digests of session keys. CI plays with
# the program that it has.
stress: deps
	@case "$(ONLY)" in
	explore) exec Tests/Stress/explore.py --results "$(RESULTS)" $(if $(FAULTS),--faults $(FAULTS)) \
		$(if $(STORY),--only '$(STORY)') ;;
	mutants) exec Tests/Stress/explore.py --mutants --results "$(RESULTS)" ;;
	esac
	Tests/Tools/install_packages.sh $(STRESS_PACKAGES)
	if [ -n "$(CI)" ]; then
		$(UNOPTIMIZED_BUILD) --product matterctl | filtered
		bin=$(BUILT)
	else
		MATTERCTL_FUZZ=1 $(BUILD) -c release --scratch-path .build-stress --product matterctl
		bin=$$(MATTERCTL_FUZZ=1 swift build -c release --scratch-path .build-stress --show-bin-path)
	fi
	logs=$$(mktemp -d "$${TMPDIR:-/tmp}/matterctl-stress.XXXXXX")
	MATTERCTL_BIN=$$bin/matterctl $(LAB) "$$logs" Tests/Stress/stress.py $(CHOICE) $(if $(CI),--ci) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(FIRST),--first $(FIRST))
	rm -rf "$$logs"

# One scratch path for each sanitizer: a path that has seen another one may give a program that fuzzes nothing.
FUZZER = MATTERCTL_FUZZ=1 $(BUILD) -c release --scratch-path .build-fuzz --sanitize=fuzzer -Xswiftc -enable-testing
fuzz: deps
	$(FUZZER) --product matterctl-fuzz
	MATTERCTL_FUZZER="$$($(FUZZER) --show-bin-path)/matterctl-fuzz" Tests/Stress/fuzz.py $(CHOICE) \
		$(if $(RUNS),--runs $(RUNS))

check: deps
	Tests/Tools/check_sources.py
	Tests/Tools/check_imports.py
	Tests/Tools/check_tags.py
	Tests/Tools/schemas.py
	$(SUITES) --check
	Tests/Stress/explore.py --check
	Tests/Tools/outside_package.sh --resolve
	if flags=$$(pkg-config --cflags dbus-1 2>/dev/null); then
		clang -fsyntax-only -Wno-deprecated-declarations $$flags -I Sources/CDBus/include Sources/CDBus/abi-check.c
	fi
	swift format lint --strict --recursive $(SOURCES)
	python3 Tests/Tools/generate_catalogue.py --check
	python3 Tests/Tools/generate_memberwise.py --check
	python3 Tests/Tools/generate_options.py --check
	python3 Tests/Tools/generate_page.py --check
	Tests/Tools/check_dashboard.py
	if [ -d "$(SHARED)/reference" ]; then
		python3 Tests/Tools/generate_authorities.py "$(SHARED)/reference/trust/index.json" --check
	else
		echo "SKIPPED: no $(SHARED)/reference; the table of authorities is not compared with its source" >&2
	fi
	# Package.swift turns every warning in our targets into an error.
	$(UNOPTIMIZED_BUILD) --build-tests | filtered
	Tests/Tools/public_api.py
	$(EXAMPLES)

format:
	swift format --in-place --recursive $(SOURCES)

release: build-deps $(SMALL)
	$(RELEASE_BUILD) --product matterctl
	Tests/Tools/split_debug.sh $(RELEASED) $(DIST)
	Tests/Tools/stamp_commit.sh $(DIST)/matterctl

demo: build
	Tests/Lab/demo.sh $(BUILT)/matterctl

demo-new-device: build .peers/bluetooth
	Tests/Lab/demo-new-device.sh $(BUILT)/matterctl

record: build
	python3 Tests/Tools/record_demo.py $(BUILT)/matterctl docs

sizes: deps $(SMALL)
	$(RELEASE_BUILD) -Xlinker -Map=$(CURDIR)/.build-release/release.map --product matterctl
	Tests/Tools/binary_modules.py .build-release/release.map

# Not the release's flags: linked statically, the emulator's HTTP server would need more of the system's libraries.
demo-rainmaker: build
	$(UNOPTIMIZED_BUILD) --product rainmaker-emulator | filtered
	bin=$(BUILT)
	Tests/Lab/demo-rainmaker.sh "$$bin/matterctl" "$$bin/rainmaker-emulator"

# Benches of the library, optimized.
MEASURED = $(BUILD) -c release --scratch-path .build-measured
bench: release peers-controller
	@Tests/Tools/install_packages.sh $(BENCH_PACKAGES)
	$(BUILD) $(RELEASE) --package-path Tests/Bench/Empty --scratch-path .build-bench
	Tests/Bench/start.sh $(RELEASED) .build-bench/release/empty
	Tests/Bench/bench.sh $(RELEASED)
	Tests/Bench/nodes.sh $(RELEASED)
	Tests/Bench/list.sh $(RELEASED)
	Tests/Bench/house.sh $(RELEASED)
	Tests/Bench/serve.sh $(RELEASED)
	Tests/Bench/completion.sh $(RELEASED)
	for bench in engine reading attestation; do $(MEASURED) --product $$bench-bench; done
	Tests/Bench/engine.sh .build-measured/release/engine-bench
	.build-measured/release/reading-bench
	Tests/Bench/attestation.sh .build-measured/release/attestation-bench \
		$(RELEASED)

order: release
	@Tests/Tools/install_packages.sh $(BENCH_PACKAGES)
	Tests/Bench/order.sh $(RELEASED)

install: release
	Tests/Tools/install.sh $(DIST)/matterctl "$(DESTDIR)$(PREFIX)"

PACKAGES = .build-packages
# The time of what is packed: that of the commit.
MOMENT = SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct)
deb: build-deps
	@Tests/Tools/install_packages.sh debhelper lintian fakeroot
	.packaging/deb.sh $(PACKAGES)
	.packaging/lintian.sh $(PACKAGES)

deb-test:
	@Tests/Tools/install_packages.sh debootstrap
	.packaging/chroots.sh $(PACKAGES) $(SUITE)

deb-same: build-deps
	@Tests/Tools/install_packages.sh debhelper fakeroot cpio
	.packaging/same.sh $(PACKAGES)/same

arm64: build-deps
	@Tests/Tools/install_packages.sh debootstrap qemu-user-static
	.packaging/arm64.sh $(PACKAGES)
	.packaging/arm64_tests.sh $(PACKAGES)
	.packaging/arm64_deb.sh $(PACKAGES)
	$(MOMENT) .packaging/image.py "$$(ls $(PACKAGES)/matterctl_*_arm64.deb)" $(PACKAGES)/arm64
	.packaging/try_image.sh $(PACKAGES)/arm64/rootfs
	MATTERCTL_ARCHITECTURE=arm64 .packaging/chroots.sh $(PACKAGES)

arm64-end-to-end: deps peers peers-controller
	$(UNOPTIMIZED_BUILD) --build-tests | filtered
	$(EXAMPLES)
	.packaging/arm64_end_to_end.sh $(PACKAGES)

tarball: release
	$(MOMENT) .packaging/tarball.py $(DIST)/matterctl $(PACKAGES)

image:
	package=$$(ls $(PACKAGES)/matterctl_*_$$(dpkg --print-architecture).deb)
	$(MOMENT) .packaging/image.py "$$package" $(PACKAGES)
	.packaging/try_image.sh $(PACKAGES)/rootfs

# One after another: each takes all cores, and memory for a program of its own.
packages:
	$(MAKE) deb
	$(MAKE) deb-test
	$(MAKE) tarball
	$(MAKE) image
	$(MAKE) arm64

release-check:
	.packaging/release_check.sh $(PACKAGES)

clean:
	rm -rf .build .build-bench .build-examples .build-measured .build-packages .build-release .peers

deps: build-deps
	@Tests/Tools/install_packages.sh $(LAB_PACKAGES)

# What a build alone needs: packages are built from it.
build-deps:
	@Tests/Tools/install_packages.sh $(BUILD_PACKAGES)

# circuitmatter is a light; zeroconf and psutil let it live on a host without avahi-daemon; openapi-core and PyYAML compare
# what the cloud's emulator says with the description of the interface; bluezoo plays BlueZ with several adapters and no
# radio, and dbus-fast carries our own stand-in for BlueZ's failures.
peers: .peers/device .peers/bluetooth

.peers/device:
	python3 -m venv .peers
	.peers/bin/pip install --quiet --disable-pip-version-check circuitmatter==0.4.1 zeroconf==0.154.0 psutil==7.2.2 \
		openapi-core==0.23.1 PyYAML==6.0.3
	touch $@

.peers/bluetooth: .peers/device
	.peers/bin/pip install --quiet --disable-pip-version-check bluezoo==1.0.2 dbus-fast==5.2.0
	touch $@

# Home Assistant's own clients, the oldest and the newest that are in use. Their packages have the same name inside, so each has a
# folder of its own. The newer ones ask for Python 3.12.
HA_CLIENTS = ha7 ha8 ha15
ha7_CLIENT = python-matter-server==7.0.1
ha8_CLIENT = python-matter-server==8.1.2
ha15_CLIENT = matter-python-client==1.5.5

peers-controller: .peers/controller .peers/server $(HA_CLIENTS:%=.peers/%/done)
	@Tests/Tools/install_packages.sh $(CONTROLLER_PACKAGES)

.peers/controller: .peers/device
	.peers/bin/pip install --quiet --disable-pip-version-check \
		home-assistant-chip-core==2025.7.0 home-assistant-chip-clusters==2025.7.0
	.peers/bin/python Tests/Bench/relocate_chip.py
	touch $@

# Home Assistant's controller, over the library of the official one. Its newest version asks for Python 3.12 and runs on 3.11;
# what else it asks for is there in other versions.
.peers/server: .peers/controller
	.peers/bin/pip install --quiet --disable-pip-version-check --no-deps --ignore-requires-python \
		python-matter-server==8.1.2
	.peers/bin/pip install --quiet --disable-pip-version-check \
		aiohttp==3.13.2 aiorun==2025.1.1 orjson==3.11.5 atomicwrites==1.4.1
	touch $@

$(HA_CLIENTS:%=.peers/%/done): .peers/%/done:
	python=$(if $(filter ha7,$*),python3,$$(Tests/Tools/python312.sh))
	"$$python" -m venv .peers/$*
	.peers/$*/bin/pip install --quiet --disable-pip-version-check $($*_CLIENT) aiohttp==3.14.5 orjson==3.13.0
	touch $@
