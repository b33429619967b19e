/* mcp_program.c - programs that are MCP servers, each with a thread that starts it, writes what is sent and hands out
 * what it prints, line by line. What it prints is bounded: too long a line, or too many that are no messages, end it. */
#include "agent/mcp_program.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/delivery/resumer.h"
#include "mcp/lines.h"
#include "mcp/rpc.h"
#include "net/process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	IDLE_MS = 60 * 1000, /* after its last use */
	LOOK_MS = 500,
	QUEUED_MAX = 2 * REMOTE_MESSAGE_MAX,
	NOTES_MAX = 1 << 20, /* of what comes before a reply: it never keeps that out */
	ENV_MAX = 80,
	SAID_MAX = 300, /* bytes of its last words that are told */
	STACK_SIZE = 512 * 1024,
};

/* A thread that waits for what concerns its request. */
struct program_wait {
	struct program_wait *next;
	int64_t id;
	int fd;		   /* readable: there are lines, or it ended */
	struct buf queued; /* whole lines */
};

struct mcp_program {
	struct mcp_program *next;
	struct arena arena; /* of what follows */
	struct str key;
	char **argv, **envp;
	pthread_t thread;
	/* Under the lock. */
	size_t held;
	int64_t used_ms, id;
	atomic_bool stop; /* it is to end */
	bool ended,
		gone; /* nobody begins anything with it any more; its thread is done */
	bool over;    /* what it printed was too long */
	enum { PROGRAM_NEW, PROGRAM_BEGINNING, PROGRAM_READY } state;
	enum revision revision;
	struct str greeted;
	struct program_wait *waits;
	struct buf sends;
	char error[SAID_MAX + 200];
	int wake; /* an eventfd */
	/* Of its thread. */
	struct process process;
	struct mcp_lines lines;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct mcp_program *first;
	bool ending;
} programs = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void fd_tell(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
		continue;
}

static void fd_clear(int fd)
{
	uint64_t n;

	while (read(fd, &n, sizeof n) > 0)
		continue;
}

/* ---- its thread: what it prints ---- */

/* Of a message, whose it is; 0: nobody's in particular. *reply: it is an answer. */
static int64_t line_of(struct mcp_program *p, struct str line, bool *reply)
{
	struct arena scratch = { .max = MCP_LIST_MEMORY };
	const struct json *m;
	struct str of = STR_NONE;
	struct rpc rpc;
	int64_t id = 0;

	*reply = false;
	if (json_read(line, &mcp_list_limits, &scratch, &m, NULL) ||
		!rpc_read(m, &scratch, &rpc))
		p->lines.foreign++;
	else if (rpc.kind == RPC_RESPONSE)
		*reply = true, of = rpc.id;
	else if (str_is(rpc.method, "notifications/progress"))
		of = rpc_id(json_get(rpc.params, "progressToken"), &scratch);
	if (!str_to_int(of, 1, INT64_MAX, &id)) id = 0;
	if (of.len && !id) id = -1; /* never asked for */
	arena_done(&scratch);
	return id;
}

/* What is nobody's in particular is for who waits for longest. */
static void line_hand_out(void *ctx, struct str line)
{
	struct mcp_program *p = ctx;
	size_t foreign = p->lines.foreign;
	bool reply;
	int64_t id = line_of(p, line, &reply);
	struct program_wait *to = NULL;

	pthread_mutex_lock(&programs.lock);
	for (struct program_wait *w = p->waits; w; w = w->next)
		if (!id || w->id == id) to = w;
	if (to && foreign == p->lines.foreign) {
		if (to->queued.len + line.len < (reply ? QUEUED_MAX : NOTES_MAX)) {
			buf_add(&to->queued, line);
			buf_add_char(&to->queued, '\n');
		}
		fd_tell(to->fd);
	}
	pthread_mutex_unlock(&programs.lock);
}

static void program_fail(struct mcp_program *p, const char *words)
{
	pthread_mutex_lock(&programs.lock);
	if (!p->error[0]) snprintf(p->error, sizeof p->error, "%s", words);
	p->stop = true;
	pthread_mutex_unlock(&programs.lock);
}

static void printed_take(void *ctx, struct str bytes)
{
	struct mcp_program *p = ctx;
	const char *wrong = mcp_lines_take(&p->lines, bytes, line_hand_out, p);

	if (!wrong) return;
	p->over = p->lines.over; /* told with the error, under the lock */
	program_fail(p, wrong);
}

/* ---- its thread: from its start to its end ---- */

/* True: not everything yet. */
static bool sends_write(struct mcp_program *p)
{
	ssize_t n = 1;
	bool more;

	pthread_mutex_lock(&programs.lock);
	while (p->sends.len && n > 0 && p->process.input >= 0) {
		n = write(p->process.input, p->sends.at, p->sends.len);
		if (n > 0) {
			memmove(p->sends.at, p->sends.at + n, p->sends.len - (size_t)n);
			p->sends.len -= (size_t)n;
		}
	}
	more = p->sends.len > 0;
	if (!more) buf_done(&p->sends);
	pthread_mutex_unlock(&programs.lock);
	return more;
}

/* "it ended: exit status 1: no such folder" */
static void program_last_words(struct mcp_program *p, const struct process_end *end)
{
	struct arena arena = { 0 };
	struct str said = str_trim(process_tail(&p->process, &arena));
	struct buf text = { .max = sizeof p->error - 1 };
	int64_t least = said.len > SAID_MAX ? (int64_t)(said.len - SAID_MAX) : 0;

	if (end->failure[0])
		buf_add_text(&text, end->failure);
	else if (end->signal)
		buf_print(&text, "it ended: signal %d", end->signal);
	else
		buf_print(&text, "it ended: exit status %d", end->exit);
	said = str_from(said, (size_t)least);
	if (said.len) buf_add_text(&text, ": ");
	for (int32_t c; text.len + 8 < text.max && (c = utf8_next(&said)) >= 0;)
		utf8_add(&text, c < ' ' ? ' ' : (uint32_t)c);
	program_fail(p, arena_copy(&arena, buf_str(&text)));
	buf_done(&text);
	arena_done(&arena);
}

/* Is it of no use any more? */
static bool program_over(struct mcp_program *p)
{
	bool over;

	pthread_mutex_lock(&programs.lock);
	over = p->stop || (!p->held && clock_person_ms() - p->used_ms >= IDLE_MS);
	/* From now on another is started. */
	if (over) p->ended = true;
	pthread_mutex_unlock(&programs.lock);
	return over;
}

static void program_watch(struct mcp_program *p)
{
	struct process_end end;
	bool more = false;

	while (!program_over(p)) {
		struct pollfd fds[] = { { p->wake, POLLIN, 0 },
			{ p->process.handle, POLLIN, 0 },
			{ p->process.output, POLLIN, 0 },
			{ p->process.result, POLLIN, 0 },
			{ more ? p->process.input : -1, POLLOUT, 0 } };

		poll(fds, sizeof fds / sizeof *fds, LOOK_MS);
		fd_clear(p->wake);
		more = sends_write(p);
		process_look(&p->process);
		if (!p->stop && process_ended(&p->process, &end))
			program_last_words(p, &end);
	}
}

static void *program_main(void *ctx)
{
	struct mcp_program *p = ctx;
	struct fault why = { 0 };
	enum err e = process_start(&p->process,
		&(struct process_setup){ .argv = p->argv,
			.envp = p->envp,
			.talks = true,
			.take = printed_take,
			.ctx = p },
		&why);

	if (e)
		program_fail(p, why.detail);
	else
		program_watch(p);
	pthread_mutex_lock(&programs.lock);
	p->ended = true;
	if (!p->error[0]) snprintf(p->error, sizeof p->error, "it was ended");
	for (struct program_wait *w = p->waits; w; w = w->next)
		fd_tell(w->fd);
	pthread_mutex_unlock(&programs.lock);
	if (!e) process_done(&p->process);
	pthread_mutex_lock(&programs.lock);
	p->gone = true;
	pthread_cond_broadcast(&programs.changed);
	pthread_mutex_unlock(&programs.lock);
	return NULL;
}

/* ---- which there are ---- */

static void program_free(struct mcp_program *p)
{
	pthread_join(p->thread, NULL);
	buf_done(&p->sends);
	buf_done(&p->lines.line);
	close(p->wake);
	arena_done(&p->arena);
	mem_free(p);
}

/* Those that are gone, and that nobody holds. Under the lock. */
static struct mcp_program *programs_reap(void)
{
	struct mcp_program *gone = NULL;

	for (struct mcp_program **at = &programs.first; *at;) {
		struct mcp_program *p = *at;

		if (!p->gone || p->held) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->next = gone;
		gone = p;
	}
	return gone;
}

static void programs_free(struct mcp_program *all)
{
	for (struct mcp_program *next; all; all = next) {
		next = all->next;
		program_free(all);
	}
}

static bool words_make(
	struct mcp_program *p, const struct mcp_access *a, struct fault *why)
{
	struct resumer *words = ARENA_NEW(&p->arena, struct resumer);
	size_t len = 0;

	p->envp = ARENA_ARRAY(&p->arena, char *, ENV_MAX + 1);
	if (!words || !p->envp ||
		resumer_read(a->command, COMMAND_IS_TOOL, &p->arena, words, why) ||
		resumer_fill(
			words, &(struct resumer_values){ 0 }, &p->arena, &p->argv, why))
		return false;
	process_env_add(STR("PATH"), p->envp, &len, ENV_MAX, &p->arena);
	process_env_add(arena_str(&p->arena, a->env), p->envp, &len, ENV_MAX, &p->arena);
	return !p->arena.failed;
}

static struct mcp_program *program_new(
	const struct mcp_access *a, struct str key, struct fault *why)
{
	struct mcp_program *p = mem_alloc(sizeof *p);
	pthread_attr_t attr;
	bool done;

	if (!p) return NULL;
	*p = (struct mcp_program){ .used_ms = clock_person_ms(),
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	p->process.input = -1;
	p->key = arena_str(&p->arena, key);
	p->sends.max = QUEUED_MAX;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	done = p->wake >= 0 && words_make(p, a, why) &&
	       !pthread_create(&p->thread, &attr, program_main, p);
	pthread_attr_destroy(&attr);
	if (done) return p;
	if (p->wake >= 0) close(p->wake);
	arena_done(&p->arena);
	mem_free(p);
	return NULL;
}

struct mcp_program *mcp_program_take(
	const struct mcp_access *a, struct arena *arena, struct str *wrong)
{
	struct str key = arena_print(arena, "%lld\n%.*s\n%.*s\n%.*s\n%.*s",
		(long long)a->ws, STR_ARGS(a->name), STR_ARGS(a->agent),
		STR_ARGS(a->command), STR_ARGS(a->env));
	struct mcp_program *p, *gone;
	struct fault why = { .detail = "out of memory" };

	pthread_mutex_lock(&programs.lock);
	gone = programs_reap();
	for (p = programs.first; p && (p->ended || !str_eq(p->key, key));)
		p = p->next;
	if (!p && programs.ending)
		snprintf(why.detail, sizeof why.detail, "the server stops");
	else if (!p)
		p = arena->failed ? NULL : program_new(a, key, &why);
	if (p && !p->held && !p->id) {
		p->next = programs.first;
		programs.first = p;
		p->id = 1;
	}
	if (p) p->held++;
	pthread_mutex_unlock(&programs.lock);
	programs_free(gone);
	if (!p) *wrong = arena_str(arena, str_of(why.detail));
	return p;
}

void mcp_program_give(struct mcp_program *p)
{
	pthread_mutex_lock(&programs.lock);
	p->held--;
	p->used_ms = clock_person_ms();
	pthread_cond_broadcast(&programs.changed);
	pthread_mutex_unlock(&programs.lock);
}

bool mcp_program_begin(struct mcp_program *p, struct arena *arena, enum revision *out,
	struct str *greeted)
{
	bool ready;

	pthread_mutex_lock(&programs.lock);
	while (p->state == PROGRAM_BEGINNING)
		pthread_cond_wait(&programs.changed, &programs.lock);
	ready = p->state == PROGRAM_READY;
	if (ready) {
		*out = p->revision;
		*greeted = arena_str(arena, p->greeted);
	} else {
		p->state = PROGRAM_BEGINNING;
	}
	pthread_mutex_unlock(&programs.lock);
	return ready;
}

void mcp_program_begun(
	struct mcp_program *p, bool done, enum revision revision, struct str greeted)
{
	pthread_mutex_lock(&programs.lock);
	p->state = done ? PROGRAM_READY : PROGRAM_NEW;
	p->revision = revision;
	p->greeted = done ? arena_str(&p->arena, greeted) : STR_NONE;
	pthread_cond_broadcast(&programs.changed);
	pthread_mutex_unlock(&programs.lock);
}

int64_t mcp_program_next_id(struct mcp_program *p)
{
	int64_t id;

	pthread_mutex_lock(&programs.lock);
	id = p->id++;
	pthread_mutex_unlock(&programs.lock);
	return id;
}

void mcp_programs_end(void)
{
	struct mcp_program *gone;

	pthread_mutex_lock(&programs.lock);
	programs.ending = true;
	for (struct mcp_program *p = programs.first; p; p = p->next) {
		p->stop = true;
		fd_tell(p->wake);
	}
	for (;;) {
		gone = programs_reap();
		pthread_mutex_unlock(&programs.lock);
		programs_free(gone);
		pthread_mutex_lock(&programs.lock);
		if (!programs.first) break;
		pthread_cond_wait(&programs.changed, &programs.lock);
	}
	programs.ending = false;
	pthread_mutex_unlock(&programs.lock);
}

/* ---- a request ---- */

/* Under the lock. */
static bool program_send(struct mcp_program *p, struct str message)
{
	if (p->ended || p->sends.len + message.len >= QUEUED_MAX) return false;
	p->sends.max = 2 * QUEUED_MAX;
	buf_add(&p->sends, message);
	buf_add_char(&p->sends, '\n');
	fd_tell(p->wake);
	return !p->sends.failed;
}

/* The lines that came for it. True: it has ended. */
static bool wait_take(struct mcp_program *p, struct program_wait *w, struct buf *lines)
{
	bool ended;

	fd_clear(w->fd);
	pthread_mutex_lock(&programs.lock);
	*lines = w->queued;
	w->queued = (struct buf){ 0 };
	ended = p->ended;
	pthread_mutex_unlock(&programs.lock);
	return ended;
}

static enum program_ending wait_for(
	struct mcp_program *p, struct program_wait *w, const struct program_request *r)
{
	int64_t began = clock_mono_ms(), heard = began;

	for (;;) {
		struct pollfd fds[] = { { w->fd, POLLIN, 0 }, { r->stop_fd, POLLIN, 0 } };
		struct buf lines;
		struct str rest, line;
		int64_t now;
		bool ended;

		poll(fds, 2, LOOK_MS);
		ended = wait_take(p, w, &lines);
		rest = buf_str(&lines);
		while (!r->reads->done && str_cut(&rest, '\n', &line)) {
			if (line.len) remote_take(r->reads, line);
			if (r->alive && *r->alive) heard = clock_mono_ms();
		}
		buf_done(&lines);
		now = clock_mono_ms();
		if (r->reads->reply) return PROGRAM_ANSWERED;
		if (ended || r->reads->done) return PROGRAM_ENDED;
		if (fds[1].revents) return PROGRAM_STOPPED;
		if (now - began >= r->timeout_ms) return PROGRAM_LATE;
		if (r->idle_ms && now - heard >= r->idle_ms) return PROGRAM_LATE;
	}
}

enum program_ending mcp_program_run(struct mcp_program *p,
	const struct program_request *r, struct arena *arena, struct str *wrong)
{
	struct program_wait w = { .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	enum program_ending end = PROGRAM_ENDED;
	bool sent;

	*wrong = STR("out of memory");
	if (w.fd < 0) return end;
	pthread_mutex_lock(&programs.lock);
	if (r->reads) {
		w.id = r->reads->id;
		w.next = p->waits;
		p->waits = &w;
	}
	sent = program_send(p, r->message);
	pthread_mutex_unlock(&programs.lock);
	if (sent) end = r->reads ? wait_for(p, &w, r) : PROGRAM_ANSWERED;
	pthread_mutex_lock(&programs.lock);
	for (struct program_wait **at = &p->waits; *at; at = &(*at)->next)
		if (*at == &w) {
			*at = w.next;
			break;
		}
	if (end == PROGRAM_ENDED && r->reads) r->reads->over |= p->over;
	*wrong = end == PROGRAM_LATE
			 ? STR("it took too long")
			 : arena_str(arena, str_of(p->error[0] ? p->error : "no answer"));
	pthread_mutex_unlock(&programs.lock);
	buf_done(&w.queued);
	close(w.fd);
	return end;
}
