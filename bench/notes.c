/* notes.c - how long a search of notes takes beside SQLite's FTS5 over the same notes, in turns: notes STORE FTS [NOTES].
 * Words come as often as in a language (the n-th one 1/n as often as the first); who searches has one to three words of
 * a note, and of every third search the last word is only begun. */
#include "base/clock.h"
#include "base/mem.h"
#include "desk/desk.h"

#include <math.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 20000, NOTE_WORDS = 46, OUT = 512, SEARCHES = 2000, SHOWN = 50 };

static const struct principal person = { 1, ROLE_MEMBER, STR("tok_fill"), STR("usr_fill"),
	STR("Filler"), STR_NONE, STR("api") };
static uint64_t seed = 20261118;

static double chance(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* Short ones are the usual ones. */
static void word_write(struct buf *b, int n)
{
	static const char *const parts[] = { "ka", "ro", "ti", "me", "lu", "so", "ne",
		"va", "di", "po", "ge", "fa", "chi", "ber", "son", "ter" };

	for (n += 1; n; n /= 16)
		buf_add_text(b, parts[n % 16]);
	buf_add_char(b, 'x'); /* none begins another one */
}

static int word_any(void)
{
	return (int)exp(chance() * log(WORDS)) - 1;
}

static void stop(const char *what)
{
	fprintf(stderr, "notes: %s\n", what);
	exit(1);
}

static void task_done(struct job *job)
{
	sem_post(job->ctx);
}

/* ---- filled ---- */

static void note_write(struct buf *b, int words[NOTE_WORDS])
{
	for (int i = 0; i < NOTE_WORDS; i++) {
		words[i] = word_any();
		if (i) buf_add_char(b, ' ');
		word_write(b, words[i]);
	}
}

static void fill(struct desk *desk, sqlite3 *fts, long notes, int (*kept)[NOTE_WORDS])
{
	struct task *tasks = mem_alloc(OUT * sizeof *tasks);
	sqlite3_stmt *add;
	sem_t done;

	sem_init(&done, 0, 0);
	memset(tasks, 0, OUT * sizeof *tasks);
	sqlite3_exec(fts, "BEGIN", NULL, NULL, NULL);
	sqlite3_prepare_v2(fts, "INSERT INTO notes (text) VALUES (?)", -1, &add, NULL);
	for (long at = 0; at < notes; at += OUT) {
		long len = notes - at < OUT ? notes - at : OUT;

		for (long i = 0; i < len; i++) {
			struct task *t = &tasks[i];
			struct buf text = { 0 }, body = { 0 };
			struct fault why = { 0 };

			note_write(&text, kept[at + i]);
			sqlite3_bind_text(
				add, 1, text.at, (int)text.len, SQLITE_TRANSIENT);
			sqlite3_step(add);
			sqlite3_reset(add);
			buf_print(&body, "{\"text\":\"%.*s\"}", STR_ARGS(buf_str(&text)));
			t->job.who = person;
			t->job.ctx = &done;
			t->job.done = task_done;
			if (json_read(arena_str(&t->job.arena, buf_str(&body)), NULL,
				    &t->job.arena, &t->body, &why))
				stop(why.detail);
			desk_put(desk, &use_memory_add, t);
			buf_done(&text);
			buf_done(&body);
		}
		for (long i = 0; i < len; i++)
			while (sem_wait(&done) != 0)
				continue;
		for (long i = 0; i < len; i++) {
			if (tasks[i].job.err) stop(tasks[i].job.why.detail);
			task_empty(&tasks[i]);
		}
	}
	sqlite3_finalize(add);
	sqlite3_exec(fts, "COMMIT", NULL, NULL, NULL);
	mem_free(tasks);
}

/* ---- searched ---- */

static void query_write(struct buf *ours, struct buf *theirs, const int words[NOTE_WORDS])
{
	int len = 1 + (int)(chance() * 3);
	bool begun = chance() < 1 / 3.0;

	buf_clear(ours);
	buf_clear(theirs);
	for (int i = 0; i < len; i++) {
		struct buf word = { 0 };
		size_t most;

		word_write(&word, words[(int)(chance() * NOTE_WORDS)]);
		most = begun && i + 1 == len && word.len > 4 ? word.len - 2 : word.len;
		buf_print(ours, "%s%.*s", i ? " " : "", (int)most, word.at);
		buf_print(theirs, "%s\"%.*s\"*", i ? " " : "", (int)most, word.at);
		buf_done(&word);
	}
}

static int64_t our_ns(struct desk *desk, struct str q, int *found)
{
	struct task t = { 0 };
	struct param params[] = { { STR("q"), q } };
	int64_t began = clock_mono_ns();
	sem_t done;

	sem_init(&done, 0, 0);
	t.params = params;
	t.params_len = 1;
	t.job.who = person;
	t.job.ctx = &done;
	t.job.done = task_done;
	desk_put(desk, &use_memory_list, &t);
	while (sem_wait(&done) != 0)
		continue;
	began = clock_mono_ns() - began;
	if (t.job.err) stop(t.job.why.detail);
	*found = 0;
	for (struct str rest = buf_str(&t.job.out); str_find(rest, STR("\"mem_")) >= 0;
		++*found)
		rest = str_from(rest, (size_t)str_find(rest, STR("\"mem_")) + 5);
	task_empty(&t);
	return began;
}

static int64_t their_ns(sqlite3_stmt *find, struct str q, int *found)
{
	int64_t began = clock_mono_ns(), bytes = 0;

	*found = 0;
	sqlite3_bind_text(find, 1, q.at, (int)q.len, SQLITE_TRANSIENT);
	for (; sqlite3_step(find) == SQLITE_ROW; ++*found)
		bytes += sqlite3_column_bytes(find, 0);
	sqlite3_reset(find);
	return clock_mono_ns() - began + (bytes < 0);
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void search(struct desk *desk, sqlite3 *fts, long notes, int (*kept)[NOTE_WORDS])
{
	static int64_t ours[SEARCHES], theirs[SEARCHES];
	struct buf q = { 0 }, match = { 0 };
	sqlite3_stmt *find;
	int differ = 0, mine, others;

	sqlite3_prepare_v2(fts,
		"SELECT text FROM notes WHERE notes MATCH ? ORDER BY rowid DESC LIMIT 50",
		-1, &find, NULL);
	for (int i = -SEARCHES / 10; i < SEARCHES; i++) {
		query_write(&q, &match, kept[(long)(chance() * (double)notes)]);
		ours[i < 0 ? 0 : i] = our_ns(desk, buf_str(&q), &mine);
		theirs[i < 0 ? 0 : i] = their_ns(find, buf_str(&match), &others);
		differ += mine != others;
	}
	qsort(ours, SEARCHES, sizeof *ours, compare);
	qsort(theirs, SEARCHES, sizeof *theirs, compare);
	printf("%ld notes, %d searches in turns, %d of them with another number of notes found: p50 %.2f ms, p95 %.2f ms; "
	       "FTS5 p50 %.2f ms, p95 %.2f ms; p95 %.2f x\n",
		notes, SEARCHES, differ, (double)ours[SEARCHES / 2] / 1e6,
		(double)ours[SEARCHES * 95 / 100] / 1e6,
		(double)theirs[SEARCHES / 2] / 1e6,
		(double)theirs[SEARCHES * 95 / 100] / 1e6,
		(double)ours[SEARCHES * 95 / 100] / (double)theirs[SEARCHES * 95 / 100]);
	sqlite3_finalize(find);
	buf_done(&q);
	buf_done(&match);
}

int main(int argc, char **argv)
{
	struct db_options options = { .weak_sync = true };
	struct desk_settings set = { .url = STR("http://127.0.0.1"), .db = &options };
	long notes = argc > 3 ? strtol(argv[3], NULL, 10) : 100000;
	int(*kept)[NOTE_WORDS] = mem_alloc((size_t)notes * sizeof *kept);
	struct fault why = { 0 };
	struct desk *desk;
	sqlite3 *fts;

	if (argc < 3 || !kept) stop("notes STORE FTS [NOTES]");
	set.set.store = str_of(argv[1]);
	desk = desk_open(&set, &why);
	if (!desk) stop(why.detail);
	if (sqlite3_open(argv[2], &fts) ||
		sqlite3_exec(fts, "CREATE VIRTUAL TABLE notes USING fts5(text)", NULL,
			NULL, NULL))
		stop(sqlite3_errmsg(fts));
	fill(desk, fts, notes, kept);
	search(desk, fts, notes, kept);
	desk_close(desk);
	sqlite3_close(fts);
	mem_free(kept);
	return 0;
}
