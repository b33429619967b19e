#include "kit.h"

#include <stdio.h>
#include <stdlib.h>

struct arena kit;

int kit_begin(void **state)
{
	(void)state;
	kit = (struct arena){ 0 };
	return 0;
}

int kit_end(void **state)
{
	(void)state;
	arena_done(&kit);
	return 0;
}

struct str kit_quote(const char *text)
{
	char *copy = arena_copy(&kit, str_of(text));

	for (char *c = copy; *c; c++)
		if (*c == '\'') *c = '"';
	return str_of(copy);
}

const struct json *kit_json(const char *text)
{
	const struct json *json = NULL;
	struct fault why = { 0 };

	if (json_read(kit_quote(text), NULL, &kit, &json, &why))
		fail_msg("%s: %s", why.detail, text);
	return json;
}

const char *kit_text(struct str s)
{
	return arena_copy(&kit, s);
}

char *kit_repeat(const char *piece, size_t times)
{
	size_t len = strlen(piece);
	char *out = arena_alloc(&kit, len * times + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(out + i * len, piece, len);
	return out;
}

char *kit_print(const char *format, ...)
{
	va_list args;
	char *out;

	va_start(args, format);
	int n = vasprintf(&out, format, args);
	va_end(args);
	assert_true(n >= 0);
	char *copy = arena_copy(&kit, str_make(out, (size_t)n));
	free(out);
	return copy;
}

char *kit_fill(const char *text, const char *gap)
{
	const char *at = strstr(text, "%s");

	assert_non_null(at);
	return kit_print("%.*s%s%s", (int)(at - text), text, gap, at + 2);
}

const char *kit_compact(const struct json *json)
{
	struct buf out = { 0 };

	if (!json) return "(none)";
	json_write(&out, json);
	const char *text = kit_text(buf_str(&out));
	buf_done(&out);
	return text;
}

const struct json *kit_at(const struct json *json, const char *path)
{
	struct str rest = str_of(path), name;
	int64_t i;

	while (json && str_cut(&rest, '.', &name)) {
		if (json->type == JSON_ARRAY &&
			str_to_int(name, 0, (int64_t)json->count - 1, &i))
			json = &json->items[i];
		else
			json = json_get_str(json, name);
	}
	return json;
}

void kit_same(const char *what, struct str json, const char *expected)
{
	const struct json *got = NULL, *want = kit_json(expected);

	if (json_read(json, NULL, &kit, &got, NULL) || !json_equal(got, want))
		fail_msg("%s: %.*s\nis not %s", what, STR_ARGS(json), expected);
}

void kit_item(
	const char *what, const struct fault *why, const char *pointer, const char *part)
{
	for (int i = 0; i < why->items_len; i++)
		if (!strcmp(why->items[i].pointer, pointer) &&
			strstr(why->items[i].detail, part))
			return;
	for (int i = 0; i < why->items_len; i++)
		print_error("  %s: %s\n", why->items[i].pointer, why->items[i].detail);
	fail_msg("%s: no item %s with \"%s\"", what, pointer, part);
}

enum err kit_draft(const char *body, struct draft *out, struct fault *why)
{
	static const struct draft_limits limits = { 1000, INT64_C(30) * 86400 * 1000 };

	*why = (struct fault){ 0 };
	return draft_read(kit_json(body), &limits, &kit, out, why);
}

struct draft kit_drafted(const char *body)
{
	struct draft d = { 0 };
	struct fault why;

	if (kit_draft(body, &d, &why))
		fail_msg("%s\nis wrong: %s %s", body, why.items[0].pointer, why.detail);
	return d;
}

const struct json *kit_fixed(const struct draft *d)
{
	const struct json *json = NULL;

	assert_int_equal(json_read(arena_print(&kit, "{%.*s}", STR_ARGS(d->fixed)), NULL,
				 &kit, &json, NULL),
		OK);
	return json;
}

struct answer kit_answered(const struct draft *d, const char *body)
{
	struct answer a = { 0 };
	struct fault why = { 0 };

	if (answer_check(d->questions, d->questions_len, kit_json(body), &kit, &a, &why))
		fail_msg("%s\nis wrong: %s %s", body, why.items[0].pointer, why.detail);
	return a;
}

struct ask kit_ask(const struct draft *d)
{
	return (struct ask){
		.ws = 1,
		.id = STR("ask_1"),
		.session = STR("ses_1"),
		.agent = STR("builder"),
		.token = STR("tok_agent"),
		.kind = d->kind,
		.priority = d->priority,
		.risk = d->risk,
		.fixed = d->fixed,
		.search = d->search,
		.version = 1,
		.created_ms = 1000,
	};
}

static const struct ask_view view = {
	.workspace = STR("main"),
	.session_title = STR("Release"),
	.url = STR("http://h"),
};

struct ask_json kit_whole(const struct ask *a)
{
	struct ask_json whole;
	struct fault why = { 0 };

	if (ask_json_read(a, &view, &kit, &whole, &why)) fail_msg("%s", why.detail);
	return whole;
}

const char *kit_shown(const struct ask *a, int64_t now_ms)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	ask_write(&w, a, &view, now_ms);
	const char *text = kit_text(buf_str(&out));
	buf_done(&out);
	return text;
}
