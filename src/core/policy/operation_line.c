/* operation_line.c - an operation on one line. */
#include "core/policy/operation.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/policy/subject.h"

static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f) return true;
	return false;
}

/* Nobody can take it for two arguments, or for a number. */
static bool is_plain(struct str text)
{
	bool letter = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == ' ' || c == '"' || c == '=') return false;
		letter |= (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
	}
	return letter && !has_control(text) && !str_is(text, "true") &&
	       !str_is(text, "false") && !str_is(text, "null");
}

static void text_add(struct buf *out, struct str text)
{
	if (is_plain(text))
		buf_add(out, text);
	else
		json_write_str(out, text);
}

/* What the call is about, in its own words; false: its arguments say more than that. */
static bool subject_of(
	const struct json *operation, struct arena *arena, bool alone, struct str *out)
{
	struct str name = json_text(json_get(operation, "name"));
	const struct json *arguments = json_get(operation, "arguments");
	const struct json *argv = json_get(arguments, "argv");
	bool command = str_is(json_text(json_get(operation, "type")), "command") && argv;
	struct subject subjects[SUBJECTS_MAX];
	enum subject_kind kind;
	size_t n;

	if (!json_is(arguments, JSON_OBJECT)) return false;
	if (alone && arguments->count != 1) return false;
	if (!command && !subject_kind_of(name, &kind)) return false;
	n = command ? subject_read_command(argv, arena, subjects)
		    : subject_read(name, arguments, arena, subjects);
	/* Two may be meant: naming one would hide the other. */
	if (!n || !subjects[0].known || subjects[0].others) return false;
	*out = subjects[0].text;
	return true;
}

static int by_name(const void *left, const void *right)
{
	const struct json_member *const *a = left, *const *b = right;

	return str_cmp((*a)->name, (*b)->name);
}

static void members_add(
	struct buf *out, const struct json *arguments, const char *between)
{
	const struct json_member **sorted =
		mem_alloc((arguments->count + 1) * sizeof *sorted);

	if (!sorted) {
		out->failed = true;
		return;
	}
	for (uint32_t i = 0; i < arguments->count; i++)
		sorted[i] = &arguments->members[i];
	qsort(sorted, arguments->count, sizeof *sorted, by_name);
	for (uint32_t i = 0; i < arguments->count; i++) {
		const struct json *value = &sorted[i]->value;

		buf_add_text(out, between);
		text_add(out, sorted[i]->name);
		buf_add_char(out, '=');
		if (value->type == JSON_STRING)
			text_add(out, value->text);
		else
			json_canonical(out, value);
	}
	mem_free(sorted);
}

static void arguments_add(
	struct buf *out, const struct json *operation, const char *between)
{
	const struct json *arguments = json_get(operation, "arguments");

	if (json_is(arguments, JSON_OBJECT)) {
		members_add(out, arguments, between);
	} else if (arguments) {
		buf_add_text(out, between);
		json_canonical(out, arguments);
	}
}

void operation_line(struct buf *out, const struct json *operation, const char *between)
{
	struct arena arena = { 0 };
	struct str about;

	text_add(out, json_text(json_get(operation, "name")));
	if (subject_of(operation, &arena, true, &about) && !has_control(about)) {
		buf_add_text(out, between);
		buf_add(out, about);
	} else {
		arguments_add(out, operation, between);
	}
	arena_done(&arena);
}

/* Line ends and tabs become blanks. */
static void title_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool blank = (unsigned char)text.at[i] <= 0x20 || text.at[i] == 0x7f;

		if (!blank)
			buf_add_char(out, text.at[i]);
		else if (out->len && out->at[out->len - 1] != ' ')
			buf_add_char(out, ' ');
	}
}

struct str operation_title(const struct json *operation, size_t max, struct arena *arena)
{
	struct str name = json_text(json_get(operation, "name")), about, whole;
	struct buf text = { .max = 1 << 20 }, line = { .max = 1 << 20 };

	if (operation_own_title(name, json_get(operation, "arguments"), &line)) {
		about = buf_str(&line);
		name = STR_NONE;
	} else if (!subject_of(operation, arena, false, &about)) {
		arguments_add(&line, operation, " ");
		about = buf_str(&line);
	}
	title_add(&text, name);
	if (name.len && about.len) buf_add_text(&text, ": ");
	title_add(&text, utf8_first(about, max));
	whole = str_trim(buf_str(&text));
	whole = utf8_count(whole) <= max ? arena_str(arena, whole)
					 : arena_print(arena, "%.*s…",
						   STR_ARGS(utf8_first(whole, max - 1)));
	buf_done(&line);
	buf_done(&text);
	return whole;
}
