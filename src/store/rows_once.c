/* rows_once.c - records that jobs of one batch ask for again: they are its copies already. */
#include "store/rows.h"

static bool vals_same(const struct val *a, const struct val *b, int len)
{
	for (int i = 0; i < len; i++)
		if (a[i].type != b[i].type || a[i].integer != b[i].integer ||
			!str_eq(a[i].text, b[i].text))
			return false;
	return true;
}

static bool was_fetched(
	const struct rows *rows, enum sql sql, const struct val *args, int len)
{
	for (const struct fetched_once *f = rows->once; f; f = f->next)
		if (f->sql == sql && f->len == len && vals_same(f->args, args, len))
			return true;
	return false;
}

/* Without memory for it, it is fetched again the next time. */
static void fetched_note(struct rows *rows, enum sql sql, const struct val *args, int len)
{
	struct fetched_once *f = ARENA_NEW(rows->arena, struct fetched_once);
	struct val *kept = ARENA_ARRAY(rows->arena, struct val, (size_t)len);

	if (!f || !kept) return;
	for (int i = 0; i < len; i++) {
		kept[i] = args[i];
		kept[i].text = arena_str(rows->arena, args[i].text);
	}
	*f = (struct fetched_once){ rows->once, sql, kept, len };
	rows->once = f;
}

void wants_once(struct wants *w, enum record_id id, const struct val *key)
{
	enum sql sql = SQL_OF(id, RECORD_GET);
	int len = records[id].keys_len;

	if (was_fetched(w->rows, sql, key, len)) return;
	wants_record(w, id, key);
	fetched_note(w->rows, sql, key, len);
}

enum err rows_fetch_once(struct rows *rows, enum record_id id, enum sql sql,
	const struct val *args, int len, struct fault *why)
{
	enum err e;

	if (was_fetched(rows, sql, args, len)) return OK;
	e = rows_fetch(rows, id, sql, args, len, why);
	if (!e) fetched_note(rows, sql, args, len);
	return e;
}
