/* actions.c - requests that hold several actions, each decided for itself.
 *
 * An action is a question of type approval, `decision` (of several: `decision1`, …).
 * Where a person may answer in its place, an optional text follows, `response`. Edited
 * arguments stand in the answer to the action's own question, or, of several, as
 * {"actions": [{"name", "arguments"}]} in any of them: the shape of the operation. */
#include "base/keep.h"
#include "dialect/inner.h"

static struct str key_of(struct arena *arena, const char *name, size_t i, size_t len)
{
	return len == 1 ? str_of(name) : arena_print(arena, "%s%zu", name, i + 1);
}

/* There is room for a text beside each. */
static bool response_asked(const struct action *a, size_t len)
{
	return a->may_respond && !a->text_only && len * 2 <= QUESTIONS_MAX;
}

static void action_put(struct inbound *in, const struct json_place *at,
	const struct action *a, size_t i, size_t len)
{
	struct json_place item = place_item(at, i);
	struct str text = arena_print(in->arena, "Approve %.*s?", STR_ARGS(a->name));

	if (text_blank(a->name)) wrong(&in->check, &item, "must name the action");
	if (a->text_only) text = text_blank(a->about) ? a->name : a->about;
	question_put(in, &item,
		&(struct asked){
			.key = key_of(in->arena, "decision", i, len),
			.text = text,
			.type = a->text_only ? "text" : "approval",
		});
	if (!response_asked(a, len)) return;
	question_put(in, &item,
		&(struct asked){
			.key = key_of(in->arena, "response", i, len),
			.text = arena_print(
				in->arena, "Answer in place of %.*s", STR_ARGS(a->name)),
			.type = "text",
			.optional = true,
		});
}

static void batch_write(struct json_writer *w, const struct action *actions, size_t len)
{
	JW(w, "{'actions':[");
	for (size_t i = 0; i < len; i++) {
		jw_object(w);
		jw_put_str(w, "name", actions[i].name);
		jw_put_json(w, "arguments", actions[i].arguments);
		jw_object_end(w);
	}
	JW(w, "]}");
}

static void batch_put(struct inbound *in, const struct json_place *at,
	const struct action *actions, size_t len)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };
	const struct json *batch = NULL;
	struct operation_asked operation = { .name = actions[0].name,
		.arguments = actions[0].arguments };

	if (len > 1) {
		batch_write(&w, actions, len);
		struct str text = buf_keep_done(w.out, in->arena);
		json_read(text, NULL, in->arena, &batch, NULL);
		operation.name = arena_print(in->arena, "%zu actions", len);
		operation.arguments = batch;
	}
	operation_put(in, at, &operation);
}

static struct str about_all(struct arena *arena, const struct action *actions, size_t len)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < len; i++) {
		if (text_blank(actions[i].about) || actions[i].text_only) continue;
		if (b.len) buf_add_text(&b, "\n\n");
		buf_add(&b, actions[i].about);
	}
	return buf_keep_done(&b, arena);
}

void actions_put(struct inbound *in, const struct json_place *at,
	const struct action *actions, size_t len)
{
	bool approval = false;

	if (len < 1 || len > QUESTIONS_MAX) {
		wrong(&in->check, at, "must be 1 to %d actions", QUESTIONS_MAX);
		return;
	}
	for (size_t i = 0; i < len; i++)
		approval |= !actions[i].text_only;
	in->kind = approval ? "approval" : "blocking";
	if (approval) batch_put(in, at, actions, len);
	for (size_t i = 0; i < len; i++)
		action_put(in, at, &actions[i], i, len);
	in->context_text = about_all(in->arena, actions, len);
}

static struct said said_named(const struct foreign_reply *o, struct str key)
{
	struct said s = { 0 };

	for (size_t i = 0; i < said_count(o); i++) {
		s = said_at(o, i);
		if (str_eq(json_text_of(s.question, "key"), key)) return s;
	}
	return (struct said){ 0 };
}

/* The arguments of one action among those of all, if they were edited as a whole. */
static const struct json *batch_arguments(
	const struct foreign_reply *o, size_t i, size_t len)
{
	for (size_t q = 0; q < said_count(o); q++) {
		const struct json *list = json_get(said_at(o, q).arguments, "actions");

		if (json_is(list, JSON_ARRAY) && list->count == len)
			return json_get(&list->items[i], "arguments");
	}
	return NULL;
}

struct operation_done action_done(
	const struct foreign_reply *o, size_t i, const struct action *actions, size_t len)
{
	struct said s = said_named(o, key_of(o->arena, "decision", i, len));
	struct said instead = said_named(o, key_of(o->arena, "response", i, len));
	const struct json *whole = len > 1 ? batch_arguments(o, i, len) : NULL;
	struct operation_done d = { .verdict = verdict_said(o, &s),
		.response = instead.text };

	if (actions[i].text_only) d.response = s.text;
	if (len > 1 && json_get(d.verdict.arguments, "actions"))
		d.verdict.arguments = NULL;
	if (d.verdict.allow && whole) d.verdict.arguments = whole;
	if (d.verdict.arguments && json_equal(d.verdict.arguments, actions[i].arguments))
		d.verdict.arguments = NULL;
	return d;
}
