/* model_list.c - lists of models: kept, searched, chosen from. */
#include "core/run/model_list.h"

#include "base/clock.h"
#include "base/keep.h"

#include <stdlib.h>

enum { DAY_MS = 24 * 3600 * 1000 };

const char *const model_life_names[LIVES] = { [LIFE_ACTIVE] = "active",
	[LIFE_DEPRECATED] = "deprecated",
	[LIFE_RETIRED] = "retired" };

/* ---- kept ---- */

static void tells_write(struct json_writer *w, const char *name, int tells)
{
	if (tells) jw_put_bool(w, name, tells == TELLS_YES);
}

void listed_write(struct json_writer *w, const struct listed_model *m)
{
	jw_object(w);
	jw_put_str(w, "id", m->known.id);
	if (m->known.context) jw_put_int(w, "context", m->known.context);
	if (m->known.output) jw_put_int(w, "output", m->known.output);
	if (m->known.priced) {
		jw_key(w, "price");
		price_write(w, &m->known.price);
	}
	if (m->line.len) jw_put_str(w, "line", m->line);
	if (m->life) jw_put_text(w, "life", model_life_names[m->life]);
	if (m->created_ms) jw_put_int(w, "created", m->created_ms);
	if (m->retires_ms) jw_put_int(w, "retires", m->retires_ms);
	if (m->effort.len) jw_put_str(w, "effort", m->effort);
	tells_write(w, "images", m->images);
	tells_write(w, "structured", m->structured);
	jw_object_end(w);
}

static int64_t number_in(const struct json *m, const char *name)
{
	const struct json *n = json_get(m, name);

	return n && n->is_int && n->integer > 0 ? n->integer : 0;
}

static int tells_in(const struct json *m, const char *name)
{
	const struct json *v = json_get(m, name);

	return !v ? TELLS_NOT : json_is(v, JSON_TRUE) ? TELLS_YES : TELLS_NO;
}

static void listed_read(const struct json *m, struct listed_model *out)
{
	struct str life = json_text_of(m, "life");

	*out = (struct listed_model){ .known = { .id = json_text_of(m, "id"),
					      .context = number_in(m, "context"),
					      .output = number_in(m, "output") },
		.line = json_text_of(m, "line"),
		.created_ms = number_in(m, "created"),
		.retires_ms = number_in(m, "retires"),
		.effort = json_text_of(m, "effort"),
		.images = tells_in(m, "images"),
		.structured = tells_in(m, "structured") };
	for (int i = LIFE_ACTIVE; i < LIVES; i++)
		if (str_is(life, model_life_names[i])) out->life = (enum model_life)i;
	out->known.priced = price_read(json_get(m, "price"), &out->known.price);
}

enum err model_list_parse(
	struct str body, struct arena *arena, struct model_list *out, struct fault *why)
{
	const struct json *json;
	enum err e;

	*out = (struct model_list){ 0 };
	if (!body.len) return OK;
	e = json_read(body, NULL, arena, &json, why);
	if (e) return e;
	if (!json_is(json, JSON_ARRAY))
		return fail(why, ERR_INTERNAL, "a list of models is unreadable");
	out->items = ARENA_ARRAY(arena, struct listed_model, json->count + 1);
	if (!out->items) return fail_memory(why);
	for (uint32_t i = 0; i < json->count; i++)
		listed_read(&json->items[i], &out->items[out->len++]);
	return OK;
}

const struct listed_model *model_list_find(const struct model_list *l, struct str id)
{
	for (size_t i = 0; i < l->len; i++)
		if (str_eq(l->items[i].known.id, id)) return &l->items[i];
	return NULL;
}

bool model_list_due(const struct model_list_record *r, int64_t now_ms)
{
	return !r || now_ms - r->tried_ms >= (int64_t)MODEL_LIST_HOURS * 3600 * 1000;
}

/* ---- chosen ---- */

bool model_gone(const struct listed_model *m, int64_t now_ms)
{
	return m->life == LIFE_RETIRED || (m->retires_ms && m->retires_ms <= now_ms);
}

bool model_retires(const struct listed_model *m, int64_t now_ms)
{
	return m->retires_ms && !model_gone(m, now_ms) &&
	       m->retires_ms - now_ms <= (int64_t)MODEL_RETIRES_DAYS * DAY_MS;
}

static bool stays(const struct listed_model *m, int64_t now_ms)
{
	return (m->life == LIFE_UNKNOWN || m->life == LIFE_ACTIVE) &&
	       !model_gone(m, now_ms) && !model_retires(m, now_ms);
}

/* What is looked for, in turn: a line, or what stands before and behind a number. */
static const struct auto_pattern {
	enum model_wire wire;
	const char *line, *before, *behind;
} patterns[] = {
	{ WIRE_ANTHROPIC, "sonnet", "claude-sonnet-", "" },
	{ WIRE_OPENAI, NULL, "gpt-", "-sol" },
	{ WIRE_OPENAI, NULL, "gpt-", "" },
	{ WIRE_OPENAI_RESPONSES, NULL, "gpt-", "-sol" },
	{ WIRE_OPENAI_RESPONSES, NULL, "gpt-", "" },
	{ WIRE_GEMINI, NULL, "gemini-", NULL },
};

enum { PATTERNS = sizeof patterns / sizeof *patterns };

static bool pattern_fits(
	const struct auto_pattern *p, const struct listed_model *m, int number[2])
{
	number[0] = number[1] = 0;
	if (p->line && m->line.len) {
		known_model_number(m->known.id, p->before, p->behind, number);
		return str_is(m->line, p->line);
	}
	return known_model_number(m->known.id, p->before, p->behind, number);
}

static bool is_newer(const struct listed_model *a, const int na[2],
	const struct listed_model *b, const int nb[2])
{
	if (a->created_ms && b->created_ms && a->created_ms != b->created_ms)
		return a->created_ms > b->created_ms;
	return na[0] != nb[0] ? na[0] > nb[0] : na[1] > nb[1];
}

struct str model_auto(enum model_wire wire, const struct model_list *l, int64_t now_ms)
{
	const struct listed_model *best = NULL;
	int number[2], best_number[2] = { 0 };

	for (size_t p = 0; p < PATTERNS && !best; p++) {
		if (patterns[p].wire != wire) continue;
		if (!l->len) {
			struct str known = known_model_newest(
				patterns[p].before, patterns[p].behind);

			if (known.len) return known;
		}
		for (size_t i = 0; i < l->len; i++) {
			const struct listed_model *m = &l->items[i];

			if (!stays(m, now_ms) || !pattern_fits(&patterns[p], m, number) ||
				(best && !is_newer(m, number, best, best_number)))
				continue;
			best = m;
			memcpy(best_number, number, sizeof number);
		}
	}
	for (size_t i = 0; i < l->len && !best; i++)
		if (stays(&l->items[i], now_ms)) best = &l->items[i];
	return best ? best->known.id : STR_NONE;
}

/* ---- in words ---- */

static int newest_first(const void *a, const void *b)
{
	const struct listed_model *x = *(const struct listed_model *const *)a,
				  *y = *(const struct listed_model *const *)b;

	return x->created_ms != y->created_ms ? (x->created_ms < y->created_ms ? 1 : -1)
	       : x < y			      ? -1
					      : x > y;
}

static void others_add(struct buf *b, const struct model_list *l, struct str model,
	int64_t now_ms, struct arena *arena)
{
	const struct listed_model **all =
		ARENA_ARRAY(arena, const struct listed_model *, l->len + 1);
	size_t len = 0;

	for (size_t i = 0; all && i < l->len; i++)
		if (!model_gone(&l->items[i], now_ms) &&
			!str_eq(l->items[i].known.id, model))
			all[len++] = &l->items[i];
	if (!len) return;
	qsort(all, len, sizeof *all, newest_first);
	buf_add_text(b, " It offers ");
	for (size_t i = 0; i < len && i < MODEL_OTHERS_MAX; i++)
		buf_print(b, "%s%.*s", i ? ", " : "",
			STR_ARGS(str_first(all[i]->known.id, 80)));
	buf_add_char(b, '.');
}

static struct str day_of(int64_t ms, struct arena *arena)
{
	char text[TIME_SIZE];

	time_write(ms, text);
	return arena_str(arena, str_first(str_of(text), 10));
}

struct str model_gone_words(struct str provider, struct str model,
	const struct model_list *l, int64_t now_ms, struct arena *arena)
{
	const struct listed_model *m = model_list_find(l, model);
	struct buf b = { .max = 2048 };

	model = str_first(model, 200);
	if (m && m->retires_ms)
		buf_print(&b, "%.*s was retired by %.*s on %.*s.", STR_ARGS(model),
			STR_ARGS(provider), STR_ARGS(day_of(m->retires_ms, arena)));
	else
		buf_print(&b, "%.*s does not offer %.*s.", STR_ARGS(provider),
			STR_ARGS(model));
	others_add(&b, l, model, now_ms, arena);
	return buf_keep_done(&b, arena);
}

struct str model_retires_words(const struct listed_model *m, struct arena *arena)
{
	return arena_print(
		arena, "retires on %.*s", STR_ARGS(day_of(m->retires_ms, arena)));
}
