/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts probes on the C library's allocator in a child of ours, which then calls it as
 * heap_script.h says, and compares what the collector tells of it. A line each:
 *
 *	script wrong=N …		every call, at a rate of 1 byte
 *	threads wrong=N …		the same of two threads at once
 *	renewed wrong=N …		with a filter of frees that knows one sample of two
 *	many told_samples=N …		at a rate of 1 KB
 *	size_N truth=N estimate=N sigma=N	of these, in bytes
 *	text changed=N restored=N descriptors=N
 */
#include "base/cleanup.h"
#include "base/procfs.h"
#include "collect/collector.h"
#include "collect/heap_probes.h"
#include "collect/perf_open.h"
#include "heap_script.h"
#include "native/probe_site.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define SESSION 3
#define TEXT_BYTES 16

/* --- what is told of it --- */

struct told {
	const struct account *account;
	struct thread_log thread[THREADS];
	uint64_t strange; /* records that are none of the child's threads', or of another session */
	double bytes[SIZES], variance[SIZES]; /* estimates, where there is no account */
	uint64_t pending;		      /* the sample that is freed next; 0: none */
	uint64_t samples, frees;
};

/* As the child's threads do, in the same order. */
static void take(struct told *t, uint32_t tid, uint64_t address, uint64_t size)
{
	for (int i = 0; i < THREADS; i++) {
		if (t->account->thread[i].tid != (pid_t)tid)
			continue;
		note(&t->thread[i], (void *)address, size);
		return;
	}
	t->strange++;
}

static void estimate(struct told *t, const struct sp_alloc *a)
{
	double p = -expm1(-(double)a->size / a->rate);
	int i = 0;

	while (i < SIZES && sizes[i] != a->size)
		i++;
	if (i == SIZES || a->rate != RATE || t->pending) {
		t->strange++;
		return;
	}
	t->bytes[i] += (double)a->size / p;
	t->variance[i] += (double)a->size * (double)a->size * (1 - p) / p / p;
	t->pending = a->address;
	t->samples++;
}

static void on_alloc(const struct sp_alloc *a, void *ctx)
{
	struct told *t = ctx;

	t->strange += a->session != SESSION || a->head.kind != SP_EVENT_ALLOC ||
		      a->domain != SP_DOMAIN_LIBC || a->sample.head.tid != a->head.tid;
	if (a->rate == 1)
		take(t, a->head.tid, a->address, a->size);
	else
		estimate(t, a);
}

static void on_free(const struct sp_free *f, void *ctx)
{
	struct told *t = ctx;

	t->strange += f->session != SESSION;
	if (!t->samples) {
		take(t, f->head.tid, f->address, 0);
		return;
	}
	t->frees++;
	if (f->address == t->pending)
		t->pending = 0;
}

static void on_sample(const struct sp_sample *sample, void *ctx)
{
	(void)sample;
	(void)ctx;
}

static void on_code(const struct sp_code *code, void *ctx)
{
	(void)code;
	(void)ctx;
}

static void on_process(const struct sp_process *process, void *ctx)
{
	(void)process;
	(void)ctx;
}

/* --- probes --- */

static const struct {
	const char *name;
	struct sp_probe what;
} functions[] = {
	{ "malloc", { .kind = SP_PROBE_MALLOC, .size = 1 } },
	{ "calloc", { .kind = SP_PROBE_CALLOC, .size = 1 } },
	{ "realloc", { .kind = SP_PROBE_REALLOC, .size = 2 } },
	{ "posix_memalign", { .kind = SP_PROBE_POSIX_MEMALIGN, .size = 3 } },
	{ "aligned_alloc", { .kind = SP_PROBE_MALLOC, .size = 2 } },
	{ "free", { .kind = SP_PROBE_FREE, .size = 1 } },
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

struct probes {
	struct collector *collector;
	int opener;
	pid_t pid;
	struct heap_link *link[FUNCTIONS];
	const void *text[FUNCTIONS];
};

static int on_mapping(const struct proc_mapping *m, void *ctx)
{
	struct heap_probe *probe = ctx;

	if (probe->ip - m->start >= m->end - m->start)
		return 0;
	probe->offset = probe->ip - m->start + m->offset;
	return 1;
}

/* The child has the library where we have it. */
static int find_site(unsigned int i, struct heap_probe *probe, const void **text)
{
	unsigned int wanted = PROBE_SITE_ARGUMENT(functions[i].what.size);
	void *address = dlsym(RTLD_DEFAULT, functions[i].name);
	struct probe_site site;
	const ElfW(Sym) * symbol;
	Dl_info library;
	int err;

	if (!dladdr1(address, &library, (void **)&symbol, RTLD_DL_SYMENT))
		return -ENOENT;
	probe->has_return = functions[i].what.kind != SP_PROBE_FREE;
	if (probe->has_return)
		wanted |= PROBE_SITE_STACK | PROBE_SITE_ARGUMENT(1) | PROBE_SITE_ARGUMENT(2);
	err = probe_site_find(address, symbol->st_size, (uintptr_t)address, wanted, &site);
	if (err)
		return err;
	probe->ip = (uintptr_t)address + site.offset;
	proc_each_mapping(getpid(), on_mapping, probe);
	probe->file = open(library.dli_fname, O_PATH | O_CLOEXEC);
	probe->what = functions[i].what;
	probe->what.domain = SP_DOMAIN_LIBC;
	probe->what.is_stepped = !site.is_emulated;
	*text = address;
	return probe->file < 0 ? -errno : 0;
}

static int changed_bytes(const struct probes *p)
{
	int changed = 0;

	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		uint8_t there[TEXT_BYTES];
		struct iovec local = { there, TEXT_BYTES };
		struct iovec remote = { (void *)p->text[i], TEXT_BYTES };

		if (process_vm_readv(p->pid, &local, 1, &remote, 1, 0) != TEXT_BYTES)
			return -1;
		for (int at = 0; at < TEXT_BYTES; at++)
			changed += there[at] != ((const uint8_t *)p->text[i])[at];
	}
	return changed;
}

static int attach(struct probes *p)
{
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct heap_probe probe = { .pid = p->pid, .file = -1 };
		int err = find_site(i, &probe, &p->text[i]);

		if (!err)
			p->link[i] = heap_link_new(p->collector, p->opener, &probe, &err);
		if (probe.file >= 0)
			close(probe.file);
		if (err) {
			fprintf(stderr, "%s: %s\n", functions[i].name, strerror(-err));
			return err;
		}
	}
	return 0;
}

static void detach(struct probes *p)
{
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		heap_link_free(TAKE(p->link[i]));
}

/* Has the child do it, and takes in what is told meanwhile. */
static int have_done(struct probes *p, int child, char what, uint32_t rate)
{
	struct sp_heap_target target = { .session = SESSION, .rate = rate };
	ssize_t got;

	heap_probes_reset_counts(p->collector, SESSION);
	if (heap_probes_follow(p->collector, p->pid, &target) || write(child, &what, 1) != 1)
		return -EIO;
	do {
		collector_drain(p->collector);
		usleep(2000);
		got = recv(child, &what, 1, MSG_DONTWAIT);
	} while (got < 0 && errno == EAGAIN);
	collector_drain(p->collector);
	return got == 1 ? 0 : -EIO;
}

static void print_counts(struct collector *c)
{
#define X(name, label, help) label,
	static const char *const counters[] = { SP_HEAP_COUNTERS(X) };
	static const char *const losses[] = { SP_HEAP_LOSSES(X) };
#undef X
	struct sp_heap_counts counts;

	heap_probes_counts(c, SESSION, &counts);
	for (int i = 0; i < SP_HEAP_COUNT_MAX; i++)
		printf(" %s=%llu", counters[i], (unsigned long long)counts.count[i]);
	for (int i = 0; i < SP_HEAP_LOST_MAX; i++)
		printf(" lost_%s=%llu", losses[i], (unsigned long long)counts.lost[i]);
	printf("\n");
}

/* Where a thread's account and what was told of it part, on stderr; the number of such threads. */
static int compare(const struct told *t)
{
	int wrong = 0;

	for (int i = 0; i < THREADS; i++) {
		const struct thread_log *due = &t->account->thread[i], *got = &t->thread[i];
		uint32_t at = 0;

		while (at < due->count && at < got->count &&
		       !memcmp(&due->event[at], &got->event[at], sizeof(struct event)))
			at++;
		if (at == due->count && at == got->count)
			continue;
		wrong++;
		fprintf(stderr, "thread %d: event %u of %u is another one, %u were told\n", i, at,
			due->count, got->count);
	}
	return wrong;
}

static void print_told(const struct told *t, const char *name)
{
	const struct account *a = t->account;

	printf("%s wrong=%d strange=%llu script_calls=%llu script_bytes=%llu script_failed=%llu",
	       name, compare(t), (unsigned long long)t->strange, (unsigned long long)a->calls,
	       (unsigned long long)a->bytes, (unsigned long long)a->failed);
}

static void print_sizes(const struct told *t)
{
	for (int i = 0; i < SIZES; i++)
		printf("size_%u truth=%llu estimate=%.0f sigma=%.0f\n", sizes[i],
		       (MANY + SIZES - 1ull - i) / SIZES * sizes[i], t->bytes[i],
		       sqrt(t->variance[i]));
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static int renew_filter(struct probes *p, const struct told *t, int child)
{
	const struct thread_log *log = &t->account->thread[0];
	int err = have_done(p, child, 'k', 1);

	if (!err)
		err = heap_probes_filter_begin(p->collector);
	if (err || log->count < 2)
		return err ? err : -EIO;
	collector_drain(p->collector);
	heap_probes_filter_keep(p->collector, p->pid, log->event[log->count - 2].address);
	heap_probes_filter_end(p->collector);
	return have_done(p, child, 'f', 1);
}

static int run_all(struct probes *p, struct told *t, int child)
{
	int err = have_done(p, child, 's', 1);

	print_told(t, "script");
	print_counts(p->collector);
	if (!err)
		err = have_done(p, child, 't', 1);
	print_told(t, "threads");
	print_counts(p->collector);
	if (!err)
		err = renew_filter(p, t, child);
	print_told(t, "renewed");
	print_counts(p->collector);
	if (!err)
		err = have_done(p, child, 'm', RATE);
	printf("many strange=%llu told_samples=%llu told_frees=%llu left=%d",
	       (unsigned long long)t->strange, (unsigned long long)t->samples,
	       (unsigned long long)t->frees, t->pending != 0);
	print_counts(p->collector);
	print_sizes(t);
	return err;
}

static int run(struct probes *p, struct told *t, int child)
{
	struct sp_heap_target target = { .session = SESSION };
	int err = heap_probes_follow(p->collector, p->pid, &target);
	int before = descriptors(), changed; /* the programs' stay */

	if (!err)
		err = attach(p);
	if (err)
		return err;
	changed = changed_bytes(p);
	err = run_all(p, t, child);
	detach(p);
	printf("text changed=%d restored=%d descriptors=%d\n", changed, changed_bytes(p),
	       descriptors() - before);
	return err;
}

int main(void)
{
	static struct told told;
	struct collector_sink sink = { .on_sample = on_sample,
				       .on_code = on_code,
				       .on_process = on_process,
				       .on_alloc = on_alloc,
				       .on_free = on_free,
				       .ctx = &told };
	struct account *account = mmap(NULL, sizeof(*account), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct child child = { .account = account };
	OWNS_FD int opener = perf_open_spawn();
	OWNS(collector) struct collector *collector = NULL;
	struct probes probes = { .opener = opener };
	int pair[2], err;

	if (opener < 0 || account == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	child.commands = pair[1];
	told.account = account;
	probes.pid = fork();
	if (!probes.pid)
		run_child(&child);
	collector = probes.collector = collector_new(opener, SP_FRAMES_USUAL, &sink, &err);
	if (collector)
		err = run(&probes, &told, pair[0]);
	kill(probes.pid, SIGKILL);
	waitpid(probes.pid, NULL, 0);
	if (err)
		fprintf(stderr, "%s\n", strerror(-err));
	return err != 0;
}
