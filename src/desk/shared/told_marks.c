/* told_marks.c - up to which event of each workspace somebody was told, and whether the store went back behind it. */
#include "desk/shared/told_marks.h"

#include "base/keep.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20 };

void told_marks_init(struct told_marks *m)
{
	pthread_mutex_init(&m->lock, NULL);
}

void told_marks_done(struct told_marks *m)
{
	pthread_mutex_destroy(&m->lock);
	mem_free(m->at);
	mem_free(m->file);
}

static struct told_mark *mark_find(struct told_marks *m, int64_t ws)
{
	for (size_t i = 0; i < m->len; i++)
		if (m->at[i].ws == ws) return &m->at[i];
	return NULL;
}

/* NULL: out of memory; the mark is not kept then. */
static struct told_mark *mark_of(struct told_marks *m, int64_t ws)
{
	struct told_mark *mark = mark_find(m, ws);

	if (mark) return mark;
	mark = mem_grow(m->at, (m->len + 1) * sizeof *mark);
	if (!mark) return NULL;
	m->at = mark;
	m->at[m->len] = (struct told_mark){ .ws = ws };
	return &m->at[m->len++];
}

void told_marks_back(struct told_marks *m, int64_t ws, int64_t lost, int64_t end)
{
	struct told_mark *mark;

	pthread_mutex_lock(&m->lock);
	mark = mark_of(m, ws);
	if (mark && !mark->lost) {
		mark->lost = lost;
		mark->end = end;
	}
	pthread_mutex_unlock(&m->lock);
}

/* ---- the file: "workspace made told" lines ---- */

static void line_take(struct told_marks *m, struct str line)
{
	struct told_mark *mark;
	struct str word;
	int64_t n[3];

	for (int i = 0; i < 3; i++)
		if (!str_cut(&line, ' ', &word) || !str_to_int(word, 0, INT64_MAX, &n[i]))
			return;
	mark = mark_of(m, n[0]);
	if (!mark) return;
	mark->made_ms = n[1];
	mark->told = n[2];
}

static void marks_read(struct told_marks *m)
{
	struct buf text = { .max = FILE_MAX };
	int fd = open(m->file, O_RDONLY | O_CLOEXEC);
	struct str rest, line;
	char part[4096];
	ssize_t len;

	while (fd >= 0 && (len = read(fd, part, sizeof part)) > 0)
		buf_add(&text, str_make(part, (size_t)len));
	if (fd >= 0) close(fd);
	rest = text.failed ? STR_NONE : buf_str(&text);
	while (str_cut(&rest, '\n', &line))
		line_take(m, line);
	buf_done(&text);
}

static enum err opened_row(void *ctx, const struct row *row, struct fault *why)
{
	struct told_mark *mark = mark_find(ctx, row_int(row, 0));

	(void)why;
	if (mark && mark->made_ms == row_int(row, 3) && row_int(row, 1) < mark->told) {
		mark->lost = mark->told;
		mark->end = row_int(row, 1);
	}
	return OK;
}

enum err told_marks_open(
	struct told_marks *m, struct str folder, struct db *db, struct fault *why)
{
	struct buf path = { .max = 4096 };

	if (!folder.len) return OK;
	buf_print(&path, "%.*s/told", STR_ARGS(folder));
	m->file = path.failed ? NULL : mem_copy(path.at, path.len);
	buf_done(&path);
	if (!m->file) return OK;
	marks_read(m);
	return db_one(db, SQL_WORKSPACE_NEWS, NULL, 0, opened_row, m, why);
}

/* Not synced: a mark that is a little old misses a little. */
static void marks_write(struct told_marks *m)
{
	struct buf text = { .max = FILE_MAX };
	char fresh[4100];
	int fd;

	for (size_t i = 0; i < m->len; i++)
		buf_print(&text, "%lld %lld %lld\n", (long long)m->at[i].ws,
			(long long)m->at[i].made_ms, (long long)m->at[i].told);
	snprintf(fresh, sizeof fresh, "%s.new", m->file);
	fd = text.failed ? -1
			 : open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0) {
		bool whole = write(fd, text.at, text.len) == (ssize_t)text.len;

		if (close(fd) == 0 && whole && rename(fresh, m->file) == 0)
			m->changed = false;
	}
	buf_done(&text);
}

/* ---- what the store says ---- */

struct ends_gathered {
	struct told_ends *ends;
	struct told_marks *marks;
	struct arena *arena;
};

static enum err end_row(void *ctx, const struct row *row, struct fault *why)
{
	struct ends_gathered *g = ctx;
	struct told_ends *e = g->ends;
	const struct told_mark *mark;
	struct told_end *at;

	if (!(e->len & (e->len - 1))) {
		at = ARENA_ARRAY(g->arena, struct told_end, e->len ? e->len * 2 : 1);
		if (!at) return fail_memory(why);
		if (e->len) memcpy(at, e->at, e->len * sizeof *at);
		e->at = at;
	}
	at = &e->at[e->len++];
	*at = (struct told_end){
		.ws = row_int(row, 0), .end = row_int(row, 1), .made_ms = row_int(row, 3)
	};
	mark = mark_find(g->marks, at->ws);
	if (mark) {
		at->lost = mark->lost;
		at->lost_end = mark->end;
	}
	return OK;
}

enum err told_ends_find(struct told_marks *m, struct rows *rows, struct arena *arena,
	struct told_ends *out, struct fault *why)
{
	struct ends_gathered g = { out, m, arena };
	enum err e;

	*out = (struct told_ends){ 0 };
	pthread_mutex_lock(&m->lock);
	e = rows_query(rows, SQL_WORKSPACE_NEWS, NULL, 0, end_row, &g, why);
	pthread_mutex_unlock(&m->lock);
	return e;
}

void told_marks_keep(struct told_marks *m, const struct told_ends *ends)
{
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < ends->len; i++) {
		const struct told_end *e = &ends->at[i];
		struct told_mark *mark = mark_of(m, e->ws);

		if (!mark) continue;
		m->changed |= mark->told != e->end || mark->made_ms != e->made_ms;
		mark->told = e->end;
		mark->made_ms = e->made_ms;
		if (mark->lost == e->lost) mark->lost = 0;
	}
	if (m->changed && m->file) marks_write(m);
	pthread_mutex_unlock(&m->lock);
}
