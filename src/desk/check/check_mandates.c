/* check_mandates.c - the mandates of a page of sessions against their events: what they are, and how
 * much of each line was drawn. The pass over sessions brings the events. */
#include "desk/check/check.h"

#include "core/policy/mandate.h"

struct line_told {
	int64_t used;
	struct str spent; /* as the event says it */
};

struct mandate_facts {
	struct str id;
	char digest[SHORT_DIGEST_SIZE];
	const struct json *lines, *counts; /* NULL: they cannot be read */
	/* What the events said so far. */
	bool told, old, differs;
	struct line_told drawn[MANDATE_LINES_MAX];
};

/* ---- rows ---- */

static const struct json *shape_read(
	const struct mandate_record *m, struct arena *arena, const struct json **counts)
{
	struct mandate_lines *lines = ARENA_NEW(arena, struct mandate_lines);
	struct mandate_count drawn[MANDATE_LINES_MAX];
	const struct json *out;

	if (!lines || !mandate_lines_load(m->lines, arena, lines) ||
		!mandate_counts_load(m->counts, lines->len, arena, drawn) ||
		json_read(m->counts, NULL, arena, counts, NULL) ||
		json_read(m->lines, NULL, arena, &out, NULL))
		return NULL;
	for (size_t i = 0; i < lines->len; i++)
		if (drawn[i].used > lines->at[i].uses ||
			(lines->at[i].sums && drawn[i].spent > lines->at[i].max))
			return NULL;
	return out;
}

static enum err mandate_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_mandates *p = ctx;
	struct mandate_record *m = ARENA_NEW(&p->arena, struct mandate_record);
	struct mandate_facts *f = ARENA_NEW(&p->arena, struct mandate_facts);
	enum err e =
		m && f ? record_read(&records[RECORD_MANDATES], row, &p->arena, m, why)
		       : fail_memory(why);

	if (e == ERR_INTERNAL) {
		check_found(p->c, row_text(row, 1), "%s", why->detail);
		return OK;
	}
	if (e) return e;
	*f = (struct mandate_facts){ .id = m->id };
	f->lines = shape_read(m, &p->arena, &f->counts);
	mandate_digest(m, f->digest);
	return !p->arena.failed && table_put(&p->table, f->id, f) ? OK : fail_memory(why);
}

enum err check_mandates_load(struct check_mandates *p, struct checking *c,
	struct str from, struct str to, struct fault *why)
{
	p->c = c;
	return rows_query(
		c->rows, SQL_CHECK_MANDATES, ARGS(c->ws, from, to), mandate_row, p, why);
}

/* ---- events ---- */

static void told_drawn(
	struct check_mandates *p, struct mandate_facts *f, const struct json *data)
{
	struct str key = json_text_of(data, "line");
	const struct json *used = json_get(data, "used"),
			  *spent = json_get(data, "spent");

	for (uint32_t i = 0; f->lines && i < f->lines->count; i++)
		if (str_eq(json_text_of(&f->lines->items[i], "key"), key))
			f->drawn[i] = (struct line_told){ used ? used->integer : -1,
				json_is(spent, JSON_NUMBER)
					? arena_str(&p->arena, spent->text)
					: STR_NONE };
}

void check_mandate_event(struct check_mandates *p, const struct event *e)
{
	struct arena arena = { 0 };
	const struct json *data =
		str_starts(str_of(e->type), "mandate.") ? check_data(e, &arena) : NULL;
	struct str id = json_text_of(data, "mandate");
	struct str digest = json_text_of(data, "record");
	struct mandate_facts *f = id.len ? table_get(&p->table, id) : NULL;

	if (f && strcmp(e->type, "mandate.drawn") == 0) {
		told_drawn(p, f, data);
	} else if (f) {
		f->told = true;
		f->old = !digest.len;
		f->differs = digest.len && !str_is(digest, f->digest);
	} else if (id.len && strcmp(e->type, "mandate.asked") == 0) {
		check_found(p->c, id, "its row is missing (event %lld)", (long long)e->n);
	}
	arena_done(&arena);
}

/* ---- what comes of it ---- */

static bool drawn_fits(const struct mandate_facts *f)
{
	for (uint32_t i = 0; i < f->lines->count; i++) {
		const struct json *used = json_get(&f->counts->items[i], "used");
		const struct json *spent = json_get(&f->counts->items[i], "spent");
		struct str none = json_is(spent, JSON_NUMBER) ? STR("0") : STR_NONE;
		struct str told = f->drawn[i].spent.len ? f->drawn[i].spent : none;

		if (used->integer != f->drawn[i].used ||
			!str_eq(json_is(spent, JSON_NUMBER) ? spent->text : STR_NONE,
				told))
			return false;
	}
	return true;
}

void check_mandates_judge(struct check_mandates *p)
{
	size_t at = 0;
	struct str id;
	void *value;

	while (table_next(&p->table, &at, &id, &value)) {
		const struct mandate_facts *f = value;

		p->c->old += f->old;
		if (!f->told)
			check_found(p->c, id, "no event tells of it");
		else if (f->differs)
			check_found(p->c, id, "it is not as its last event says");
		else if (!f->lines)
			check_found(p->c, id, "its lines and counts do not fit");
		else if (!drawn_fits(f))
			check_found(p->c, id, "used and spent are not as its events say");
	}
	table_done(&p->table);
	arena_done(&p->arena);
}
