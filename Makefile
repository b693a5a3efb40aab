# SPDX-License-Identifier: Apache-2.0
# spprof: `make help` lists the targets. V=1 shows the commands, WARN= lifts -Werror.

OUT     := build
PREFIX  ?= /usr
SECS    ?= 60
CC      := gcc
CLANG   ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
WARN    := -Werror
SAN     :=
PYTHON  := /usr/bin/python3

# Only steps that need root ask for it, so that what is built belongs to who builds it.
SUDO    := $(if $(filter 0,$(shell id -u)),,sudo)

# Skeletons and protobuf code do not differ between a build and its sanitized twin.
GEN     := build

# A folder is a module: every .c in it is in the library. No file lists to maintain.
LIB_SRC := $(wildcard userspace/*/*.c)
PROTO   := $(wildcard userspace/*/*.proto)
BPF     := $(wildcard bpf/*.bpf.c)
PB_C    := $(patsubst %.proto,$(GEN)/proto/%.pb-c.c,$(notdir $(PROTO)))
SKEL    := $(GEN)/skel/spprof.skel.h $(GEN)/skel/heap.skel.h
LIB_OBJ := $(LIB_SRC:%.c=$(OUT)/obj/%.o) $(patsubst $(GEN)/%.c,$(OUT)/obj/%.o,$(PB_C))
LIB     := $(OUT)/libspprof.a
PROGS   := $(patsubst userspace/%.c,$(OUT)/%,$(wildcard userspace/*.c))
CASES   := $(OUT)/tests/transform-cases

# A test_NAME.c is a program of its own; the other files beside it serve them all: as a library,
# because each test is a process, and starts sooner without what it does not use. One replaces
# functions of a shared library: nobody asks for that.
UNIT_C    := $(wildcard tests/unit/test_*.c)
UNIT_OBJ  := $(patsubst %.c,$(OUT)/obj/%.o,$(filter-out $(UNIT_C),$(wildcard tests/unit/*.c)))
UNIT_OWN  := $(OUT)/obj/tests/unit/no_certificates.o
UNIT_LIB  := $(OUT)/unit/libunit.a
UNIT      := $(patsubst tests/unit/%.c,$(OUT)/unit/%,$(UNIT_C))
FUZZ_NAME := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAY    := $(FUZZ_NAME:%=$(OUT)/unit/replay_%)
SHELL_SCRIPTS = $(shell grep -rlE '^.!/.*[/ ](ba|da)?sh$$' .ci tests)

# Many threads at once. What they share is in a few folders: so it is built for ThreadSanitizer, too.
STRESS    := $(patsubst tests/%.c,$(OUT)/%,$(wildcard tests/stress/*.c))
SHARED    := $(patsubst %.c,$(OUT)/obj/%.o,$(wildcard userspace/base/*.c userspace/heap/*.c))

# Live suites: tests/integration/NAME is check-NAME. `make check` runs the unit tests and these.
LIVE    := $(patsubst tests/integration/%/,%,$(dir $(wildcard tests/integration/*/test_*.py)))
LIVE    := $(sort $(LIVE))
LIVE_C  := $(patsubst tests/%.c,$(OUT)/%,$(wildcard tests/integration/*.c))
BENCH_C := $(patsubst tests/%.c,$(OUT)/%,$(wildcard tests/bench/*.c))

CFLAGS  := $(if $(SAN),-O1,-O2) -g
FLAGS   := -std=gnu11 -D_GNU_SOURCE -fno-omit-frame-pointer -MMD -MP \
	   -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WARN) \
	   -Iinclude -Iuserspace -I$(GEN) -I$(GEN)/skel -I$(GEN)/proto
FLAGS   += $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
# Clang's way anyhow. LeakSanitizer reads the two shared ones' 12 MB at the end of each process.
LDFLAGS += $(if $(findstring clang,$(CC)),,$(if $(findstring address,$(SAN)),-static-libasan -static-libubsan))
LDLIBS  := -Wl,--as-needed -lbpf -lelf -lz -lsystemd -lmicrohttpd -lcurl -ljansson \
	   -lprotobuf-c -lcapstone -lcap-ng -lseccomp -lxxhash -lncursesw -lpcre2-8 -lzstd -liberty -lpthread -lm
BPFFLAGS := -target bpf -O2 -g -std=gnu11 -D__TARGET_ARCH_x86 -MMD -MP \
	   -Wall -Wextra -Wno-unused-parameter $(WARN) -Iinclude -Ivmlinux/x86_64 -Ibpf

ifneq ($(V),1)
.SILENT:
say = printf '  %-6s %s\n' $(1) $(@:$(GEN)/%=%)
else
say = :
endif

# One goal at a time may use every processor; `make clean all` must stay in order.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

all: $(PROGS) $(CASES)	## the programs, in build/ (this is what plain `make` does)

# --- programs ---

$(OUT)/obj/%.o: %.c
	$(call say,CC)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) -c $< -o $@

$(OUT)/obj/proto/%.o: $(GEN)/proto/%.c
	$(call say,CC)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) -w -c $< -o $@

$(GEN)/obj/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF)
	mkdir -p $(@D) && $(CLANG) $(BPFFLAGS) -c $< -o $@

# The programs share maps: bpftool makes one object of them, with one skeleton; and one of those
# that are loaded only when they are wanted.
$(GEN)/obj/heap.bpf.o: $(GEN)/obj/bpf/heap.bpf.o
$(GEN)/obj/spprof.bpf.o: $(filter-out %/heap.bpf.o,$(BPF:%.c=$(GEN)/obj/%.o))
$(GEN)/obj/heap.bpf.o $(GEN)/obj/spprof.bpf.o:
	$(call say,LINK)
	$(BPFTOOL) gen object $@ $^

$(SKEL): $(GEN)/skel/%.skel.h: $(GEN)/obj/%.bpf.o
	$(call say,SKEL)
	mkdir -p $(@D) && $(BPFTOOL) gen skeleton $< name $*_bpf > $@

define pb_rule
$(GEN)/proto/$(basename $(notdir $(1))).pb-c.c: $(1)
	$$(call say,PROTO)
	mkdir -p $$(@D) && protoc-c --proto_path=$$(<D) --c_out=$$(@D) $$<
endef
$(foreach p,$(PROTO),$(eval $(call pb_rule,$(p))))

# What is generated must be there before the compiler has told who includes it.
$(filter-out $(OUT)/obj/proto/%,$(LIB_OBJ)): | $(PB_C)
$(filter $(OUT)/obj/userspace/collect/%,$(LIB_OBJ)): | $(SKEL)

# The assembler takes these files in, which the compiler tells nobody.
$(OUT)/obj/userspace/export/html_files.o: $(wildcard userspace/export/flamegraph/*)

# Written only when it changes, so that a source that is gone leaves the library too.
$(OUT)/obj/list: .FORCE
	mkdir -p $(@D) && echo '$(LIB_OBJ) $(UNIT_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ) $(UNIT_OBJ)' > $@
.FORCE:

$(LIB): $(LIB_OBJ) $(OUT)/obj/list
	$(call say,AR)
	rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

$(PROGS): $(OUT)/%: $(OUT)/obj/userspace/%.o $(LIB)
	$(call say,LINK)
	$(CC) $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

# --- tests without root ---

$(CASES): $(addprefix $(OUT)/obj/tests/,transform_cases.o unit/transform_case.o unit/tree_lines.o) $(LIB)
	$(call say,LINK)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

$(OUT)/obj/tests/%.o: FLAGS += -I. -DSPPROF_SOURCE_DIR='"$(CURDIR)"' -Wno-missing-prototypes
$(OUT)/obj/tests/%.o: | $(PB_C)

$(UNIT_LIB): $(UNIT_OBJ) $(OUT)/obj/list
	$(call say,AR)
	mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(UNIT_OBJ)

$(UNIT): $(OUT)/unit/%: $(OUT)/obj/tests/unit/%.o $(UNIT_OWN) $(UNIT_LIB) $(LIB)
	$(call say,LINK)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) -lcriterion $(LDLIBS) -o $@

$(REPLAY): $(OUT)/unit/replay_%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(OUT)/obj/tests/fuzz/replay.o $(LIB)
	$(call say,LINK)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

unit-programs: $(UNIT) $(REPLAY)

asan-programs: | $(PB_C) $(SKEL)
	$(MAKE) --no-print-directory OUT=$(GEN)/asan SAN=address,undefined unit-programs

$(STRESS): $(OUT)/stress/%: $(OUT)/obj/tests/stress/%.o $(SHARED)
	$(call say,LINK)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

stress-programs: $(STRESS)

tsan-programs: | $(PB_C)
	$(MAKE) --no-print-directory OUT=$(GEN)/tsan SAN=thread stress-programs

fuzz-programs: | $(PB_C) $(SKEL)
	$(MAKE) --no-print-directory OUT=$(GEN)/fuzz CC=$(CLANG) SAN=fuzzer-no-link,address,undefined \
		fuzzers

fuzzers: $(FUZZ_NAME:%=$(OUT)/fuzz_%)
$(OUT)/fuzz_%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(LIB)
	$(call say,LINK)
	$(CC) -fsanitize=fuzzer $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

# Arguments of tests/run: each unit test and each fuzz corpus of the build in folder $(1).
unit_items = $(patsubst $(OUT)/%,--criterion $(1)/%,$(UNIT)) \
	$(foreach n,$(FUZZ_NAME),--script "$(1)/unit/replay_$(n) tests/fuzz/corpus/$(n)")

stress_items = $(patsubst $(OUT)/%,--script $(OUT)/%,$(STRESS)) \
	$(patsubst $(OUT)/%,--script $(GEN)/tsan/%,$(STRESS))

# The long ones come first, so that no processor waits for the last of them.
check-unit: unit-programs asan-programs stress-programs tsan-programs $(CASES)	## unit tests, plain and sanitized, and the tree's style; no root
	tests/run unit --pytest tests/tools --script tests/format $(stress_items) \
		$(call unit_items,$(GEN)/asan) $(call unit_items,$(OUT)) \
		--script tests/layers --script tests/style --script "shellcheck $(SHELL_SCRIPTS)"

check-san: asan-programs	## unit tests under ASan and UBSan only
	tests/run san $(call unit_items,$(GEN)/asan)

check-tsan: stress-programs tsan-programs	## many threads on the heap, plain and under ThreadSanitizer; LONG=1: minutes
	tests/run tsan $(stress_items)

check-layers:	## every #include against the table of ARCHITECTURE.md; licences and habits
	tests/layers && tests/style

check-format:	## clang-format finds nothing to change
	tests/format

fuzz: fuzz-programs	## each fuzz target for SECS seconds (60)
	for n in $(FUZZ_NAME); do mkdir -p $(GEN)/fuzz/corpus/$$n && \
		$(GEN)/fuzz/fuzz_$$n -max_total_time=$(SECS) -artifact_prefix=$(GEN)/fuzz/$$n- \
		-print_final_stats=1 $(GEN)/fuzz/corpus/$$n tests/fuzz/corpus/$$n || exit 1; done

# --- tests on a live machine ---

$(LIVE_C) $(BENCH_C): $(OUT)/%: $(OUT)/obj/tests/%.o $(LIB)
	$(call say,LINK)
	mkdir -p $(@D) && $(CC) $(FLAGS) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

$(LIVE:%=check-%): check-%: all $(LIVE_C) fetched-pythons speedscope
	tests/run $* --as-root "$(SUDO)" --pytest tests/integration/$*

check-service: debian-root

check: install-deps	## everything: the unit tests, then each live suite (check-cpu, …); LONG=1 takes long
	rm -rf $(GEN)/results
	for s in unit $(LIVE); do $(MAKE) --no-print-directory check-$$s; done; \
		tests/run --total unit $(LIVE)

demo: install-deps	## profile a small Python program and show what comes out
	$(MAKE) --no-print-directory all && tests/demo

bench: all $(BENCH_C)	## what profiling and call trees cost, alternating in one run
	$(SUDO) $(PYTHON) -B tests/bench/bench.py

# --- the rest ---

format:	## clang-format rewrites the tree
	tests/format --fix

golden: unit-programs	## rewrite the golden files; `git diff` is the review
	for t in $(UNIT); do SPPROF_GOLDEN=write $$t || exit 1; done

vmlinux:	## regenerate vmlinux/x86_64/vmlinux.h from the running kernel
	{ echo '/* SPDX-License-Identifier: GPL-2.0-only */' && \
	$(BPFTOOL) btf dump file /sys/kernel/btf/vmlinux format c; } > $(GEN)/vmlinux.h
	mv $(GEN)/vmlinux.h vmlinux/x86_64/vmlinux.h

pythons:	## fetch the CPython versions that Debian 12 lacks into the cache folder, build others
	tests/pythons --build

# Building takes minutes: in a short run those that are there do, and the others are named.
fetched-pythons:
	tests/pythons $(if $(LONG),--build,--fetch)

speedscope:	## fetch the real speedscope (npm) into the cache folder
	tests/fetch-speedscope >/dev/null

debian-root: all	## make the Debian that check-service boots, into the cache folder
	$(SUDO) env HOME="$$HOME" SPPROF_CACHE="$$SPPROF_CACHE" tests/debian-root $(PROGS) >/dev/null

install-deps:	## install what is missing, through apt (tests/deps says what for)
	tests/install-deps $(SUDO)

# Into a folder, anybody may; then nothing of this machine is touched, nor a configuration
# that is there already. Units name the programs by their full paths.
AS_ROOT  := $(if $(DESTDIR),,$(SUDO))
UNIT_DIR := $(DESTDIR)$(PREFIX)/lib
SERVICES := spprofd.service spprof-perf.socket spprof-perf.service
CONF     := $(DESTDIR)/etc/spprof/spprofd.conf
MAN_DIR  := $(DESTDIR)$(PREFIX)/share/man
MAN      := $(foreach f,$(wildcard man/*.[158]),man$(subst .,,$(suffix $(f)))/$(notdir $(f)))
define put_unit
sed 's|=/usr/|=$(PREFIX)/|' systemd/$(1) | $(AS_ROOT) install -D -m 644 /dev/stdin $(UNIT_DIR)/systemd/system/$(1)
endef
if_there = if command -v $(1) >/dev/null; then $(AS_ROOT) $(1) $(2); fi
if_booted = if [ -d /run/systemd/system ]; then $(AS_ROOT) systemctl $(1); fi

install: all	## into DESTDIR and PREFIX (/usr): programs, units, man pages; then `systemctl start spprofd`
	$(AS_ROOT) install -D -t $(DESTDIR)$(PREFIX)/bin $(filter %/spprofctl,$(PROGS))
	$(AS_ROOT) install -D -t $(DESTDIR)$(PREFIX)/sbin $(filter %/spprofd %/spprof-perf,$(PROGS))
	for f in $(MAN); do $(AS_ROOT) install -D -m 644 man/$${f#*/} $(MAN_DIR)/$$f || exit; done
	$(foreach u,$(SERVICES),$(call put_unit,$(u)) && ) true
	for d in sysusers.d tmpfiles.d; do \
		$(AS_ROOT) install -D -m 644 -t $(UNIT_DIR)/$$d systemd/$$d/spprof.conf || exit; done
	[ -e $(CONF) ] || $(AS_ROOT) install -D -m 644 systemd/spprofd.conf $(CONF)
ifeq ($(DESTDIR),)
	$(call if_there,systemd-sysusers,spprof.conf)
	$(call if_there,systemd-tmpfiles,--create spprof.conf)
	$(call if_booted,daemon-reload)
endif

uninstall:	## take away what install put there, but not a configuration that was changed
ifeq ($(DESTDIR),)
	$(call if_booted,disable --now $(SERVICES)) || true
endif
	$(AS_ROOT) rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/spprofctl sbin/spprofd sbin/spprof-perf) \
		$(addprefix $(UNIT_DIR)/,$(SERVICES:%=systemd/system/%) sysusers.d/spprof.conf \
		tmpfiles.d/spprof.conf) $(MAN:%=$(MAN_DIR)/%)
	! cmp -s systemd/spprofd.conf $(CONF) || $(AS_ROOT) rm $(CONF)
	[ ! -d $(dir $(CONF)) ] || $(AS_ROOT) rmdir --ignore-fail-on-non-empty $(dir $(CONF))
ifeq ($(DESTDIR),)
	$(call if_booted,daemon-reload)
endif

clean:	## remove build/
	rm -rf $(GEN)

help:	## this list
	awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s%s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: all unit-programs asan-programs stress-programs tsan-programs check-tsan fuzz-programs fuzzers check check-unit check-san \
	check-layers check-format $(LIVE:%=check-%) fuzz demo bench format golden vmlinux pythons fetched-pythons \
	speedscope debian-root install-deps install uninstall clean help
.DELETE_ON_ERROR:	# bpftool leaves half a skeleton behind when it fails
.SECONDARY:

-include $(shell find $(sort $(OUT)/obj $(GEN)/obj) -name '*.d' 2>/dev/null)
