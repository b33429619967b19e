/* script.c - entries of a script: read, found and filled in. */
#include "core/run/script.h"

#include "base/keep.h"
#include "core/shared/shape.h"

enum {
	TEXT_MOST = 100000,
	NAME_MOST = 200,
	TURNS_MOST = 1000000,
	TOKENS_MOST = 1000000000
};

const char *const script_stops[] = { "end", "max_tokens", "refusal" };

static const struct shape_member when_members[] = {
	{ STR("text"), OF_TEXT, AT(script_when, text), 0, TEXT_MOST },
	{ STR("agent"), OF_TEXT, AT(script_when, agent), 0, NAME_MOST, TEXT_LINE },
	{ STR("turn"), OF_NUMBER, AT(script_when, turn), 0, TURNS_MOST, .otherwise = -1 },
	{ STR("attempt"), OF_NUMBER, AT(script_when, attempt), 0, TURNS_MOST,
		.otherwise = -1 },
	{ STR("tool"), OF_TEXT, AT(script_when, tool), 0, NAME_MOST, TEXT_LINE },
};
static const struct shape when_shape = { SHAPE(when_members, script_when) };

static void object_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	if (v && v->type != JSON_OBJECT)
		wrong_member(r->check, r->at, m->name, "must be an object");
	else
		*(const struct json **)(void *)((char *)r->out + m->at) = v;
}

static const struct shape_member call_members[] = {
	{ STR("name"), OF_TEXT, AT(script_call, name), 1, NAME_MOST,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED },
	{ STR("arguments"), OF_OWN, AT(script_call, arguments), .read = object_read },
};
static const struct shape call_shape = { SHAPE(call_members, script_call) };

static const struct shape_member error_members[] = {
	{ STR("status"), OF_NUMBER, AT(script_error, status), 400, 599, TEXT_NEEDED },
	{ STR("message"), OF_TEXT, AT(script_error, message), 0, TEXT_MOST },
};
static const struct shape error_shape = { SHAPE(error_members, script_error) };

static const struct shape_member usage_members[] = {
	{ STR("input"), OF_NUMBER, AT(usage, input), 0, TOKENS_MOST },
	{ STR("cache_read"), OF_NUMBER, AT(usage, cache_read), 0, TOKENS_MOST },
	{ STR("cache_write"), OF_NUMBER, AT(usage, cache_write), 0, TOKENS_MOST },
	{ STR("cache_write_1h"), OF_NUMBER, AT(usage, cache_write_1h), 0, TOKENS_MOST },
	{ STR("output"), OF_NUMBER, AT(usage, output), 0, TOKENS_MOST },
	{ STR("reasoning"), OF_NUMBER, AT(usage, reasoning), 0, TOKENS_MOST },
};
static const struct shape usage_shape = { SHAPE(usage_members, usage) };

static const struct shape_member entry_members[] = {
	{ STR("when"), OF_OBJECT, AT(script_entry, when), .of = &when_shape },
	{ STR("say"), OF_TEXT, AT(script_entry, say), 0, TEXT_MOST },
	{ STR("think"), OF_TEXT, AT(script_entry, think), 0, TEXT_MOST },
	{ STR("calls"), OF_LIST, ALL(script_entry, calls), .most = SCRIPT_CALLS_MAX,
		.of = &call_shape },
	{ STR("usage"), OF_OBJECT, AT(script_entry, usage), .of = &usage_shape,
		.has_at = AT(script_entry, counts) },
	{ STR("stop"), OF_WORD, AT(script_entry, stop), WORDS(script_stops),
		.must = "must be end, max_tokens or refusal" },
	{ STR("delay"), OF_SPAN, AT(script_entry, delay_ms), 0, SCRIPT_DELAY_MAX },
	{ STR("error"), OF_OBJECT, AT(script_entry, error), .of = &error_shape,
		.has_at = AT(script_entry, fails) },
};
/* As ScriptEntry in openapi.json. */
static const struct shape entry_shape = { SHAPE(entry_members, script_entry) };

void script_check(struct check *c, const struct json_place *up, const struct json *json,
	struct arena *arena, struct script *out)
{
	struct json_place at = place_member(up, STR("script"));

	*out = (struct script){ 0 };
	if (!json_is(json, JSON_ARRAY) || !json->count ||
		json->count > SCRIPT_ENTRIES_MAX) {
		wrong(c, &at, "must be an array of 1 to %d entries", SCRIPT_ENTRIES_MAX);
		return;
	}
	out->entries = ARENA_ARRAY(arena, struct script_entry, json->count);
	out->len = out->entries ? json->count : 0;
	for (size_t i = 0; i < out->len; i++) {
		struct json_place item = place_item(&at, i);

		shape_check(&entry_shape, c, &item, &json->items[i], NULL, arena,
			&out->entries[i]);
	}
}

void script_read(const struct json *json, struct arena *arena, struct script *out)
{
	struct fault why = { 0 };
	struct check c = { .why = &why };

	*out = (struct script){ 0 };
	if (json) script_check(&c, &(struct json_place){ 0 }, json, arena, out);
}

/* ---- what is said ---- */

static bool text_fits(struct str wanted, struct str given)
{
	return !wanted.len || str_eq(wanted, given);
}

static bool number_fits(int64_t wanted, int64_t given)
{
	return wanted < 0 || wanted == given;
}

static bool entry_fits(const struct script_when *w, const struct script_scene *s)
{
	return (!w->text.len || str_find(s->text, w->text) >= 0) &&
	       text_fits(w->agent, s->agent) && text_fits(w->tool, s->tool) &&
	       number_fits(w->turn, s->turn) && number_fits(w->attempt, s->attempt);
}

const struct script_entry *script_find(
	const struct script *s, const struct script_scene *scene)
{
	for (size_t i = 0; i < s->len; i++)
		if (entry_fits(&s->entries[i].when, scene)) return &s->entries[i];
	return NULL;
}

struct str script_fill(struct str text, const struct script_scene *s, struct arena *arena)
{
	struct buf out = { .max = 1 << 20 };

	while (text.len) {
		if (str_starts(text, "{{text}}")) {
			buf_add(&out, s->text);
			text = str_from(text, 8);
		} else if (str_starts(text, "{{result}}")) {
			buf_add(&out, s->result);
			text = str_from(text, 10);
		} else if (str_starts(text, "{{turn}}")) {
			buf_print(&out, "%lld", (long long)s->turn);
			text = str_from(text, 8);
		} else {
			buf_add_char(&out, text.at[0]);
			text = str_from(text, 1);
		}
	}
	return buf_keep_done(&out, arena);
}
