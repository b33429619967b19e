/* fill.c - a store with many asks, of which every tenth is still open: fill STORE ASKS [PROJECTS].
 *
 * Goes through the desk like everybody else, so that the log, its chain and all counters
 * are right; only the syncs are left out. A task is reused: it asks, then settles its
 * ask. */
#include "base/mem.h"
#include "desk/desk.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { OUT = 1024, OPEN_EVERY = 10 };

static const char body[] =
	"\"title\":\"Release 4.2\",\"questions\":[{\"key\":\"env\",\"text\":\"Where "
	"shall I "
	"deploy?\",\"type\":\"choice\",\"options\":[{\"id\":\"staging\",\"label\":"
	"\"Staging\"},"
	"{\"id\":\"production\",\"label\":\"Production\"}]}]}";
static const char reply[] = "{\"answers\":{\"env\":\"staging\"}}";

struct filler {
	struct desk *desk;
	struct task *tasks[OUT];
	size_t projects; /* 0: in none */
	sem_t done;
};

static void filler_done(struct job *job)
{
	sem_post(job->ctx);
}

static void stop(const char *what, const struct fault *why)
{
	fprintf(stderr, "fill: %s: %s\n", what, why->detail);
	exit(1);
}

static struct str ask_body(const struct filler *f, size_t n, struct arena *arena)
{
	if (!f->projects) return arena_print(arena, "{%s", body);
	return arena_print(
		arena, "{\"project\":\"project-%zu\",%s", n % f->projects, body);
}

static void filler_put(struct filler *f, struct task *t, const struct use *use,
	struct str text, struct principal who)
{
	struct fault why = { 0 };

	t->job.who = who;
	t->job.ctx = &f->done;
	t->job.done = filler_done;
	if (json_read(text, NULL, &t->job.arena, &t->body, &why)) stop("body", &why);
	desk_put(f->desk, use, t);
}

/* Waits for `out` of the first `len` tasks; none may have failed. */
static void filler_await(struct filler *f, size_t out, size_t len)
{
	for (size_t i = 0; i < out; i++)
		while (sem_wait(&f->done) != 0)
			continue;
	for (size_t i = 0; i < len; i++)
		if (f->tasks[i]->job.err) stop("task", &f->tasks[i]->job.why);
}

/* Asks `len` questions, and answers all but every tenth. */
static void filler_round(struct filler *f, size_t len)
{
	const struct principal agent = { 1, ROLE_AGENT, STR("tok_fill"), STR_NONE,
		STR("filler"), STR("filler"), STR("api") };
	const struct principal person = { 1, ROLE_MEMBER, STR("tok_fill"),
		STR("usr_fill"), STR("Filler"), STR_NONE, STR("api") };
	size_t settled = 0;

	for (size_t i = 0; i < len; i++)
		filler_put(f, f->tasks[i], &use_ask,
			ask_body(f, i, &f->tasks[i]->job.arena), agent);
	filler_await(f, len, len);
	for (size_t i = 0; i < len; i++) {
		struct task *t = f->tasks[i];
		char id[ID_SIZE];

		snprintf(id, sizeof id, "%.*s", STR_ARGS(t->ask));
		task_empty(t);
		if (i % OPEN_EVERY == 0) continue;
		t->id = arena_str(&t->job.arena, str_of(id));
		filler_put(f, t, &use_answer, str_of(reply), person);
		settled++;
	}
	filler_await(f, settled, len);
	for (size_t i = 0; i < len; i++)
		task_empty(f->tasks[i]);
}

int main(int argc, char **argv)
{
	struct db_options options = { .weak_sync = true };
	struct desk_settings set = { .url = STR("http://127.0.0.1"), .db = &options };
	struct filler f = { 0 };
	struct fault why = { 0 };
	long left = argc >= 3 ? strtol(argv[2], NULL, 10) : 0;
	long projects = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

	if (left <= 0 || argc > 4 || projects < 0) {
		fprintf(stderr, "fill STORE ASKS [PROJECTS]\n");
		return 2;
	}
	f.projects = (size_t)projects;
	set.set.store = str_of(argv[1]);
	sem_init(&f.done, 0, 0);
	f.desk = desk_open(&set, &why);
	if (!f.desk) stop(argv[1], &why);
	for (size_t i = 0; i < OUT; i++) {
		f.tasks[i] = mem_alloc(sizeof *f.tasks[i]);
		if (!f.tasks[i]) stop("memory", &why);
	}
	for (; left > 0; left -= OUT)
		filler_round(&f, left < OUT ? (size_t)left : OUT);
	desk_close(f.desk);
	for (size_t i = 0; i < OUT; i++)
		mem_free(f.tasks[i]);
	return 0;
}
