/* preset.c - templates and lists: their bodies read, checked and shown. */
#include "core/ask/preset.h"

#include "base/keep.h"
#include "core/ask/draft.h"
#include "core/people/team.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

const char *preset_kind_name(enum preset_kind kind)
{
	return kind == PRESET_LIST ? "list" : "template";
}

bool preset_name_valid(struct str name)
{
	return team_name_valid(name);
}

_Static_assert((int)PRESET_NAME_MAX == (int)TEAM_NAME_MAX, "names of one shape");

/* ---- placeholders ---- */

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool preset_value_name_valid(struct str name)
{
	return text_plain_name(name, CAPITALS "_-", PRESET_NAME_MAX);
}

/* A name with blanks around it; not more, so that braces without end cost no time. */
enum { PLACEHOLDER_BYTES = 2 * PRESET_NAME_MAX };

bool preset_placeholder_next(struct str *rest, struct str *before, struct str *name)
{
	struct str text = *rest;
	long open, close;

	for (size_t from = 0; (open = str_find(str_from(text, from), STR("{{"))) >= 0;
		from += (size_t)open + 1) {
		size_t at = from + (size_t)open;
		struct str inner = str_from(text, at + 2);

		close = str_find(str_first(inner, PLACEHOLDER_BYTES), STR("}}"));
		if (close < 0) continue;
		*name = str_trim(str_first(inner, (size_t)close));
		if (!preset_value_name_valid(*name)) continue;
		*before = str_first(text, at);
		*rest = str_from(inner, (size_t)close + 2);
		return true;
	}
	*before = text;
	*rest = STR_NONE;
	return false;
}

/* ---- templates ---- */

enum { T_NAME, T_ASK, T_VALUES, T_VERSION, T_LEN };

static const struct str template_names[T_LEN] = {
	[T_NAME] = STR("name"),
	[T_ASK] = STR("ask"),
	[T_VALUES] = STR("values"),
	[T_VERSION] = STR("version"),
};
static const struct members template_members = { template_names, T_LEN };

struct value_terms {
	bool required;
	int64_t max;
};

static const struct shape_member value_members[] = {
	{ STR("required"), OF_BOOL, AT(value_terms, required) },
	{ STR("max"), OF_NUMBER, AT(value_terms, max), 1, TEMPLATE_EXPANDED_MAX },
};
/* As TemplateRequest.values in openapi.json. */
static const struct shape value_shape = { SHAPE(value_members, value_terms) };

static void read_values(
	struct check *c, const struct json_place *at, const struct json *values)
{
	if (!values) return;
	if (values->type != JSON_OBJECT || values->count > TEMPLATE_VALUES_MAX) {
		wrong(c, at, "must be an object of at most %d values",
			TEMPLATE_VALUES_MAX);
		return;
	}
	for (uint32_t i = 0; i < values->count; i++) {
		const struct json_member *v = &values->members[i];
		struct json_place spot = place_member(at, v->name);
		struct value_terms ignored;

		if (!preset_value_name_valid(v->name))
			wrong(c, &spot,
				"its name must be 1 to %d letters, digits, - or _",
				PRESET_NAME_MAX);
		shape_check(&value_shape, c, &spot, &v->value, NULL, NULL, &ignored);
	}
}

static void check_text(struct check *c, const struct json_place *at, struct str text,
	const struct json *values)
{
	struct str before, name;

	while (preset_placeholder_next(&text, &before, &name))
		if (!json_get_str(values, name))
			wrong(c, at, "{{%.*s}} is not among the values of the template",
				STR_ARGS(name));
}

/* Every placeholder has its value. */
static void check_texts(struct check *c, const struct json_place *at,
	const struct json *json, const struct json *values)
{
	if (json->type == JSON_STRING) check_text(c, at, json->text, values);
	for (uint32_t i = 0; json->type == JSON_ARRAY && i < json->count; i++) {
		struct json_place item = place_item(at, i);

		check_texts(c, &item, &json->items[i], values);
	}
	for (uint32_t i = 0; json->type == JSON_OBJECT && i < json->count; i++) {
		struct json_place member = place_member(at, json->members[i].name);

		check_texts(c, &member, &json->members[i].value, values);
	}
}

/* What is asked with it is checked like any ask, then. Here: can it ever be one? */
static void read_ask(struct check *c, const struct json_place *at, const struct json *ask,
	const struct json *values)
{
	if (!json_is(ask, JSON_OBJECT)) {
		wrong(c, at, "required: the members of an ask");
		return;
	}
	for (uint32_t i = 0; i < ask->count; i++) {
		struct str name = ask->members[i].name;

		if (str_is(name, "session"))
			wrong_member(c, at, name, "is given when it is asked");
		else if (members_find(&ask_members, name) < 0 &&
			 members_find(&flat_question_members, name) < 0)
			wrong_member(c, at, name, "no ask has such a member");
	}
	check_texts(c, at, ask, values);
}

static void template_check(struct check *c, const struct json_place *root,
	const struct json *const *m, struct json_writer *w)
{
	struct json_place ask = place_member(root, template_names[T_ASK]);
	struct json_place values = place_member(root, template_names[T_VALUES]);

	read_values(c, &values, m[T_VALUES]);
	read_ask(c, &ask, m[T_ASK], m[T_VALUES]);
	jw_put_json(w, "ask", m[T_ASK]);
	jw_key(w, "values");
	if (m[T_VALUES])
		jw_json(w, m[T_VALUES]);
	else
		jw_raw(w, STR("{}"));
}

/* ---- lists ---- */

enum { L_NAME, L_ITEMS, L_VERSION, L_LEN };

static const struct str list_names[L_LEN] = {
	[L_NAME] = STR("name"),
	[L_ITEMS] = STR("items"),
	[L_VERSION] = STR("version"),
};
static const struct members list_members = { list_names, L_LEN };

static void list_check(struct check *c, const struct json_place *root,
	const struct json *const *m, struct arena *arena, struct json_writer *w)
{
	struct json_place at = place_member(root, list_names[L_ITEMS]);
	struct question q = { 0 };

	options_check(c, &at, m[L_ITEMS], arena, &q);
	jw_key(w, "items");
	options_write(w, &q, c->failed ? NULL : m[L_ITEMS]);
}

/* ---- both ---- */

static int64_t read_head(struct check *c, const struct json_place *root, struct str name,
	const struct json *given, const struct json *version)
{
	if (given && !str_eq(json_text(given), name))
		wrong_member(c, root, STR("name"), "is not the name of this path");
	if (!version) return 0;
	return count_read(c, root, STR("version"), version, 0, INT64_MAX)
		       ? version->integer
		       : 0;
}

enum err preset_read(enum preset_kind kind, struct str name, const struct json *body,
	struct arena *arena, struct str *out, int64_t *version, struct fault *why)
{
	struct buf b = { .max = PRESET_BYTES_MAX };
	struct json_writer w = { .out = &b };
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *m[T_LEN] = { 0 };
	bool list = kind == PRESET_LIST;
	enum err e;

	if (!preset_name_valid(name))
		return fail_at(
			why, "/name", "1 to %d of a-z, 0-9 and -", PRESET_NAME_MAX);
	jw_object(&w);
	if (members_read(
		    &c, &root, body, list ? &list_members : &template_members, NULL, m)) {
		*version = read_head(&c, &root, name, m[list ? L_NAME : T_NAME],
			m[list ? L_VERSION : T_VERSION]);
		if (list)
			list_check(&c, &root, m, arena, &w);
		else
			template_check(&c, &root, m, &w);
	}
	jw_object_end(&w);
	e = check_end(&c, arena);
	if (!e && b.failed)
		e = fail_at(why, "", "must have at most %d bytes", PRESET_BYTES_MAX);
	if (!e) *out = buf_keep(&b, arena);
	buf_done(&b);
	return e || !arena->failed ? e : fail(why, ERR_MEMORY, "out of memory");
}

void preset_show(struct json_writer *w, const struct preset_record *p)
{
	jw_object(w);
	show_text(w, "name", p->name);
	show_members(w, p->body);
	show_json(w, "changed_by", p->changed_by);
	show_time(w, "changed_at", p->changed_ms);
	jw_put_int(w, "version", p->version);
	jw_object_end(w);
}

enum err preset_show_short(struct json_writer *w, const struct preset_record *p,
	struct arena *arena, struct fault *why)
{
	const struct json *body, *ask, *questions;
	struct str text;
	enum err e = json_read(p->body, NULL, arena, &body, why);

	if (e) return e;
	ask = json_get(body, "ask");
	questions = json_get(ask, "questions");
	text = json_text(json_get(ask, "title"));
	if (!text.len) text = json_text(json_get(ask, "question"));
	if (!text.len && json_is(questions, JSON_ARRAY) && questions->count)
		text = json_text(json_get(&questions->items[0], "text"));
	jw_object(w);
	show_text(w, "name", p->name);
	show_text(w, "description", text);
	jw_put_json(w, "values", json_get(body, "values"));
	jw_object_end(w);
	return OK;
}

void preset_digest(const struct preset_record *p, char out[SHORT_DIGEST_SIZE])
{
	char changed[NUMBER_SIZE];
	const struct str fields[] = { p->kind, p->name, p->body, p->changed_by,
		digest_number(p->changed_ms, changed) };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}
