/* preset_expand.c - what an ask with a template or a list means. Values are put into texts of
 * the finished tree, so that none can become a member, an item or another type. */
#include "base/keep.h"
#include "core/ask/preset.h"
#include "core/ask/question.h"

struct expanding {
	struct check check;
	struct json_place root;
	const struct json *body, *given, *declared;
	preset_find_fn *find;
	void *ctx;
	struct arena *arena;
	size_t bytes; /* of texts that were filled in so far */
	enum err e;
};

static bool given_value(const struct json *object, const char *name)
{
	const struct json *value = json_get(object, name);

	return value && value->type != JSON_NULL;
}

static const struct json *options_list(const struct json *question)
{
	const struct json *options = json_get(question, "options");

	return json_is(options, JSON_OBJECT) ? json_get(options, "list") : NULL;
}

bool preset_asked(const struct json *body)
{
	const struct json *questions = json_get(body, "questions");

	if (given_value(body, "template") || options_list(body)) return true;
	for (uint32_t i = 0; json_is(questions, JSON_ARRAY) && i < questions->count; i++)
		if (options_list(&questions->items[i])) return true;
	return false;
}

/* ---- values ---- */

/* Numbers and flags are taken as they are spelt: models mix these up. */
static bool value_text(const struct json *value, struct str *out)
{
	switch (value->type) {
	case JSON_STRING:
	case JSON_NUMBER: *out = value->text; return true;
	case JSON_TRUE: *out = STR("true"); return true;
	case JSON_FALSE: *out = STR("false"); return true;
	default: return false;
	}
}

static void check_value(struct expanding *x, const struct json_place *at,
	const struct json_member *declared)
{
	const struct json *given = json_get_str(x->given, declared->name);
	const struct json *max = json_get(&declared->value, "max");
	bool required = !json_is(json_get(&declared->value, "required"), JSON_FALSE);
	int64_t most = max && max->is_int ? max->integer : TEMPLATE_VALUE_MAX;
	struct str text = STR_NONE;

	if (given && given->type != JSON_NULL && !value_text(given, &text))
		wrong_member(&x->check, at, declared->name, "must be a text");
	else if (required && !text.len)
		wrong_member(&x->check, at, declared->name, "required");
	else if (text_longer(text, (size_t)most))
		wrong_member(&x->check, at, declared->name,
			"must have at most %lld characters", (long long)most);
}

static void check_values(struct expanding *x)
{
	struct json_place at = place_member(&x->root, STR("values"));

	if (x->given && x->given->type != JSON_OBJECT) {
		wrong(&x->check, &at, "must be an object of texts");
		return;
	}
	for (uint32_t i = 0; x->declared && i < x->declared->count; i++)
		check_value(x, &at, &x->declared->members[i]);
	for (uint32_t i = 0; x->given && i < x->given->count; i++)
		if (!json_get_str(x->declared, x->given->members[i].name))
			wrong_member(&x->check, &at, x->given->members[i].name,
				"the template has no such value");
}

static struct str text_fill(struct expanding *x, struct str text)
{
	struct buf b = { .max = TEMPLATE_EXPANDED_MAX };
	struct str rest = text, before, name;
	bool found = false;

	while (preset_placeholder_next(&rest, &before, &name)) {
		const struct json *value = json_get_str(x->given, name);
		struct str filled = STR_NONE;

		found = true;
		buf_add(&b, before);
		if (value && value_text(value, &filled)) buf_add(&b, filled);
	}
	if (!found) return text;
	buf_add(&b, before);
	x->bytes += b.len;
	if (b.len >= TEMPLATE_EXPANDED_MAX || x->bytes > TEMPLATE_EXPANDED_MAX) {
		wrong(&x->check, &(struct json_place){ .name = STR("/values") },
			"what they make of the template is longer than %d bytes",
			TEMPLATE_EXPANDED_MAX);
		buf_done(&b);
		return STR_NONE;
	}
	return buf_keep_done(&b, x->arena);
}

/* The same tree with its texts filled in. It is no deeper than what was kept. */
static struct json json_fill(struct expanding *x, const struct json *from)
{
	struct json to = *from;

	if (x->check.failed || x->arena->failed) return to;
	if (from->type == JSON_STRING) to.text = text_fill(x, from->text);
	if (from->type == JSON_ARRAY) {
		to.items = ARENA_ARRAY(x->arena, struct json, from->count + 1);
		for (uint32_t i = 0; to.items && i < from->count; i++)
			to.items[i] = json_fill(x, &from->items[i]);
	}
	if (from->type == JSON_OBJECT) {
		to.members = ARENA_ARRAY(x->arena, struct json_member, from->count + 1);
		for (uint32_t i = 0; to.members && i < from->count; i++)
			to.members[i] = (struct json_member){ from->members[i].name,
				json_fill(x, &from->members[i].value) };
	}
	return to;
}

/* ---- template ---- */

/* One question and several are two ways to say the same. */
static bool is_replaced(const struct json *body, struct str name)
{
	const struct json *own = json_get_str(body, name);

	if (own && own->type != JSON_NULL) return true;
	return (str_is(name, "questions") && given_value(body, "question")) ||
	       (str_is(name, "question") && given_value(body, "questions"));
}

static struct json *template_merge(struct expanding *x, const struct json *ask)
{
	struct json *out = ARENA_NEW(x->arena, struct json);
	struct json_member *room = ARENA_ARRAY(
		x->arena, struct json_member, ask->count + x->body->count + 1);
	uint32_t n = 0;

	if (!out || !room) return NULL;
	for (uint32_t i = 0; i < ask->count; i++)
		if (!is_replaced(x->body, ask->members[i].name))
			room[n++] = (struct json_member){ ask->members[i].name,
				json_fill(x, &ask->members[i].value) };
	for (uint32_t i = 0; i < x->body->count; i++) {
		const struct json_member *m = &x->body->members[i];

		if (m->value.type != JSON_NULL && !str_is(m->name, "template") &&
			!str_is(m->name, "values"))
			room[n++] = *m;
	}
	*out = (struct json){ .type = JSON_OBJECT, .count = n, .members = room };
	return out;
}

static struct json *expand_template(struct expanding *x)
{
	struct json_place at = place_member(&x->root, STR("template"));
	struct str name = json_text(json_get(x->body, "template"));
	const struct json *kept = NULL;

	if (preset_name_valid(name))
		x->e = x->find(x->ctx, PRESET_TEMPLATE, name, &kept, x->check.why);
	if (x->e) return NULL;
	if (!kept) {
		wrong(&x->check, &at, "there is no such template");
		return NULL;
	}
	x->given = json_get(x->body, "values");
	if (json_is(x->given, JSON_NULL)) x->given = NULL;
	x->declared = json_get(kept, "values");
	check_values(x);
	return x->check.failed ? NULL : template_merge(x, json_get(kept, "ask"));
}

/* ---- lists ---- */

/* The question with the list's items as its options; as it is when it names none. */
static struct json question_fill(
	struct expanding *x, const struct json_place *at, const struct json *question)
{
	struct json_place options = place_member(at, STR("options"));
	const struct json *list = options_list(question), *kept = NULL, *items;
	struct json out = *question;

	if (!list) return out;
	if (preset_name_valid(json_text(list)))
		x->e = x->find(x->ctx, PRESET_LIST, list->text, &kept, x->check.why);
	items = json_get(kept, "items");
	if (x->e) return out;
	if (!items || json_get(question, "options")->count != 1) {
		wrong_member(&x->check, &options, STR("list"),
			items ? "must stand alone" : "no list has this name");
		return out;
	}
	out.members = ARENA_ARRAY(x->arena, struct json_member, question->count);
	for (uint32_t i = 0; out.members && i < question->count; i++) {
		out.members[i] = question->members[i];
		if (str_is(out.members[i].name, "options")) out.members[i].value = *items;
	}
	return out;
}

static void expand_lists(struct expanding *x, struct json *ask)
{
	*ask = question_fill(x, &x->root, ask);
	for (uint32_t i = 0; !x->arena->failed && i < ask->count; i++) {
		struct json *list = &ask->members[i].value;
		struct json_place at = place_member(&x->root, STR("questions"));
		struct json *items;

		if (!str_is(ask->members[i].name, "questions") ||
			list->type != JSON_ARRAY)
			continue;
		items = ARENA_ARRAY(x->arena, struct json, list->count + 1);
		for (uint32_t k = 0; items && !x->e && k < list->count; k++) {
			struct json_place item = place_item(&at, k);

			items[k] = question_fill(x, &item, &list->items[k]);
		}
		if (items) list->items = items;
	}
}

/* A copy whose own members may be changed. */
static struct json *body_copy(struct expanding *x)
{
	struct json *out = ARENA_NEW(x->arena, struct json);
	struct json_member *room =
		ARENA_ARRAY(x->arena, struct json_member, x->body->count + 1);

	if (!out || !room) return NULL;
	memcpy(room, x->body->members, x->body->count * sizeof *room);
	*out = *x->body;
	out->members = room;
	return out;
}

enum err preset_expand(const struct json *body, preset_find_fn *find, void *ctx,
	struct arena *arena, const struct json **out, struct fault *why)
{
	struct expanding x = { .check = { .why = why },
		.root = place_root(""),
		.body = body,
		.find = find,
		.ctx = ctx,
		.arena = arena };
	struct json *ask =
		given_value(body, "template") ? expand_template(&x) : body_copy(&x);

	if (ask && !x.e && !x.check.failed) expand_lists(&x, ask);
	if (x.e) return x.e;
	enum err e = check_end(&x.check, arena);
	if (!e) *out = ask;
	return e;
}
