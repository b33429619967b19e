/* ask_detail.c - draws what a person has to read before they decide. */
#include "core/ask/ask.h"

#include "base/keep.h"
#include "base/safe.h"
#include "base/shell.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"

/* One line stands beside its name, several below it: what is indented belongs to that name. */
static void value_add(struct buf *out, struct str text)
{
	struct str line;

	if (str_find(text, STR("\n")) < 0) {
		buf_add_char(out, ' ');
		safe_block_add(out, text);
		return;
	}
	while (str_cut(&text, '\n', &line)) {
		buf_add_text(out, "\n  ");
		safe_block_add(out, line);
	}
}

/* An argv as a line of shell; false: it is none. */
static bool argv_add(struct buf *out, const struct json_member *m)
{
	const struct json *v = &m->value;

	if (!str_is(m->name, "argv") || v->type != JSON_ARRAY || !v->count) return false;
	for (uint32_t i = 0; i < v->count; i++)
		if (v->items[i].type != JSON_STRING) return false;
	for (uint32_t i = 0; i < v->count; i++)
		shell_word_add(out, v->items[i].text);
	return true;
}

static void argument_add(struct buf *out, const struct json_member *m)
{
	struct buf text = { 0 };

	buf_add_char(out, '\n');
	safe_line_add(out, m->name);
	buf_add_char(out, ':');
	if (m->value.type == JSON_STRING)
		buf_add(&text, m->value.text);
	else if (!argv_add(&text, m))
		json_write_pretty(&text, &m->value);
	value_add(out, buf_str(&text));
	out->failed |= text.failed;
	buf_done(&text);
}

struct str operation_draw(const struct json *operation, struct arena *arena)
{
	const struct json *arguments = json_get(operation, "arguments");
	struct buf out = { 0 };

	safe_line_add(&out, json_text(json_get(operation, "name")));
	if (json_is(arguments, JSON_OBJECT)) {
		for (uint32_t i = 0; i < arguments->count; i++)
			argument_add(&out, &arguments->members[i]);
	} else if (arguments && arguments->type != JSON_NULL) {
		struct buf text = { 0 };

		buf_add_char(&out, '\n');
		json_write_pretty(&text, arguments);
		safe_block_add(&out, buf_str(&text));
		out.failed |= text.failed;
		buf_done(&text);
	}
	return buf_keep_done(&out, arena);
}

static struct str block_draw(struct str text, struct arena *arena)
{
	struct buf out = { 0 };

	safe_block_add(&out, text);
	return buf_keep_done(&out, arena);
}

bool ask_detail_draw(
	const struct ask_parts *p, struct arena *arena, struct ask_detail *out)
{
	struct ask_detail d = { 0 };

	if (p->operation) d.parts[DETAIL_OPERATION] = operation_draw(p->operation, arena);
	d.parts[DETAIL_DIFF] = block_draw(json_text(json_get(p->around, "diff")), arena);
	d.parts[DETAIL_ERROR] =
		block_draw(json_text(json_get(p->around, "error_details")), arena);
	for (size_t i = 0; i < DETAIL_PARTS; i++)
		d.len += d.parts[i].len;
	for (size_t i = 0; !p->operation && i < p->questions_len; i++)
		if (question_decides(&p->questions[i]))
			d.len += block_draw(p->questions[i].text, arena).len;
	*out = d;
	return !arena->failed;
}
