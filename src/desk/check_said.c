/* check_said.c - what was said and done in the runs of one workspace: that all of it can be read. */
#include "desk/check.h"

enum { SAID_PAGE = 500 };

struct said_pass {
	struct checking *c;
	const struct record *record;
	struct str session, id; /* the last of the page; the next starts behind it */
	struct arena keys;	/* of the page */
	int64_t rows;
};

static struct str column_of(
	const struct said_pass *p, const struct row *row, const char *name)
{
	int i = 0;

	while (strcmp(p->record->columns[i].name, name) != 0)
		i++;
	return row_text(row, i);
}

static enum err said_row(void *ctx, const struct row *row, struct fault *why)
{
	struct said_pass *p = ctx;
	struct arena arena = { 0 };
	union {
		struct run_message message;
		struct tool_call call;
	} read;
	enum err e = record_read(p->record, row, &arena, &read, why);

	arena_done(&arena);
	p->rows++;
	p->session = arena_str(&p->keys, column_of(p, row, "session"));
	p->id = arena_str(&p->keys, column_of(p, row, "id"));
	if (p->keys.failed) return fail(why, ERR_MEMORY, "out of memory");
	if (e != ERR_INTERNAL) return e;
	check_found(p->c, p->id, "%s", why ? why->detail : "it cannot be read");
	return OK;
}

static enum err table_read(
	struct checking *c, enum record_id id, enum sql sql, struct fault *why)
{
	struct said_pass p = { .c = c, .record = &records[id] };
	enum err e = OK;

	do {
		const struct val args[] = { val_int(c->ws), val_text(p.session),
			val_text(p.id), val_int(SAID_PAGE) };
		struct arena before = p.keys;

		p.keys = (struct arena){ 0 };
		p.rows = 0;
		e = db_one(c->db, sql, args, 4, said_row, &p, why);
		arena_done(&before);
	} while (!e && p.rows == SAID_PAGE);
	arena_done(&p.keys);
	return e;
}

enum err check_said(struct checking *c, struct fault *why)
{
	enum err e = table_read(c, RECORD_MESSAGES, SQL_CHECK_MESSAGES, why);

	return e ? e : table_read(c, RECORD_TOOL_CALLS, SQL_CHECK_TOOL_CALLS, why);
}
