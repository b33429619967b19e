#include "scene.h"

#include <stdio.h>

#define MAKE_BODY "{'question':'Made?','type':'boolean'}"
#define MORE_BODY "{'question':'More?','type':'boolean'}"

static const char *const names[DEEDS] = { "make", "answer", "skip", "delete", "make more",
	"list", "events" };

static int plays, told[ERR_INTERNAL + 1];

void scene_tell(const char *of)
{
	print_message("%s: %d stories; deeds done %d, refused %d + %d, unknown %d\n", of,
		plays, told[OK], told[ERR_UNAVAILABLE], told[ERR_MEMORY],
		told[ERR_UNKNOWN]);
	plays = 0;
	memset(told, 0, sizeof told);
}

void scene_begin(struct scene *s, struct rig *r)
{
	*s = (struct scene){ .r = r };
	s->a = rig_ask(r, NULL);
	s->b = rig_ask(r, NULL);
	s->c = rig_ask(r, NULL);
	assert_int_equal(s->a.err + s->b.err + s->c.err, OK);
	assert_int_equal(rig_settle(r, &use_answer, s->c.id, NULL), OK);
}

static enum err look(struct rig *r, const struct use *use, const char *query)
{
	struct outcome o;
	enum err e = rig_do(r, &(struct request){ use, r->ada, .query = query }, &o);

	outcome_done(&o);
	return e;
}

/* What was tried and not kept is not counted: an unknown outcome may go either way. */
static void scene_counted(const struct scene *s, const struct desk_counts *before)
{
	struct desk_counts after;

	desk_counts(s->r->desk, 0, &after);
	if (s->done[ANSWER] != ERR_UNKNOWN)
		assert_int_equal(after.answers - before->answers, !s->done[ANSWER]);
	if (s->done[SKIP] != ERR_UNKNOWN)
		assert_int_equal(after.skips - before->skips, !s->done[SKIP]);
}

void scene_play(struct scene *s)
{
	struct rig *r = s->r;
	struct desk_counts before;

	desk_counts(r->desk, 0, &before);
	s->done[MAKE] = rig_ask_body(r, MAKE_BODY, "make").err;
	s->done[ANSWER] = rig_settle(r, &use_answer, s->a.id, "answer");
	s->done[SKIP] = rig_settle(r, &use_skip, s->b.id, NULL);
	s->done[LIST] = look(r, &use_ask_list, "status=all");
	s->done[EVENTS] = look(r, &use_events, "after=0");
	s->done[DELETE] = rig_delete(r, s->c.session);
	s->done[MAKE_MORE] = rig_ask_body(r, MORE_BODY, "more").err;
	s->ready = desk_ready(r->desk);
	scene_counted(s, &before);
	plays++;
	for (int i = 0; i < DEEDS; i++)
		told[s->done[i]]++;
}

/* ---- judging ---- */

/* Asks whose question is this one; -1: not to be read. */
static int asks_of(struct rig *r, const char *question)
{
	struct outcome o;
	const struct json *items;
	int n = -1;

	rig_do(r, &(struct request){ &use_ask_list, r->ada, .query = "status=all" }, &o);
	items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
	if (items) n = 0;
	for (uint32_t i = 0; items && i < items->count; i++)
		n += str_is(text_at(&items->items[i], "questions.0.text"), question);
	outcome_done(&o);
	return n;
}

static bool was_refused(enum err e)
{
	return e == ERR_UNAVAILABLE || e == ERR_MEMORY;
}

/* `is` tells whether the deed is to be seen in the store. */
static void deed_judge(const struct scene *s, enum deed_name d, bool is, const char *what)
{
	enum err e = s->done[d];

	if (e && e != ERR_UNKNOWN && !was_refused(e))
		fail_msg("%s: %s ended with %s", what, names[d], err_name(e));
	if (!e && !is)
		fail_msg("%s: %s was acknowledged, and is not there", what, names[d]);
	if (was_refused(e) && is)
		fail_msg("%s: %s was refused (%s), and is there", what, names[d],
			err_name(e));
}

static void log_judge(const struct scene *s, const char *what)
{
	char why[256] = "";
	static const char settling[] = "ask.answered,ask.skipped";

	if (rig_check(s->r, why) < 0) fail_msg("%s: %s", what, why);
	for (int i = 0; i < 2; i++) {
		const char *id = i ? s->b.id : s->a.id;
		bool settled = strcmp(rig_status(s->r, id), "pending") != 0;

		if (rig_count_events(s->r, id, settling) != settled)
			fail_msg("%s: the log does not tell it as it is", what);
	}
}

void scene_judge(const struct scene *s, const char *what)
{
	int made = asks_of(s->r, "Made?"), more = asks_of(s->r, "More?");

	if (made < 0 || made > 1 || more > 1)
		fail_msg("%s: made %d, %d", what, made, more);
	deed_judge(s, MAKE, made == 1, what);
	deed_judge(s, MAKE_MORE, more == 1, what);
	deed_judge(s, ANSWER, strcmp(rig_status(s->r, s->a.id), "answered") == 0, what);
	deed_judge(s, SKIP, strcmp(rig_status(s->r, s->b.id), "skipped") == 0, what);
	deed_judge(s, DELETE, strcmp(rig_status(s->r, s->c.id), "") == 0, what);
	log_judge(s, what);
}

void scene_repeat(struct scene *s, const char *what)
{
	struct rig *r = s->r;
	enum err skip, gone;

	s->done[MAKE] = rig_ask_body(r, MAKE_BODY, "make").err;
	s->done[MAKE_MORE] = rig_ask_body(r, MORE_BODY, "more").err;
	s->done[ANSWER] = rig_settle(r, &use_answer, s->a.id, "answer");
	skip = rig_settle(r, &use_skip, s->b.id, NULL);
	gone = rig_delete(r, s->c.session);
	if (skip && skip != ERR_CONFLICT)
		fail_msg("%s: skip again: %s", what, err_name(skip));
	if (gone && gone != ERR_NOT_FOUND)
		fail_msg("%s: delete again: %s", what, err_name(gone));
	if (s->done[MAKE] || s->done[MAKE_MORE] || s->done[ANSWER])
		fail_msg("%s: again: %s, %s, %s", what, err_name(s->done[MAKE]),
			err_name(s->done[MAKE_MORE]), err_name(s->done[ANSWER]));
	s->done[SKIP] = s->done[DELETE] = OK;
	if (!desk_ready(r->desk))
		fail_msg("%s: it works, and says that it does not", what);
	scene_judge(s, what);
}

/* ---- stages ---- */

void stage_set(struct stage *st, const struct rig_options *options)
{
	struct rig_options alone = *options;

	alone.alone = true;
	cut_reset();
	assert_true(rig_open(&st->rig, &alone));
	scene_begin(&st->scene, &st->rig);
	st->history = cut_power_off();
	rig_shut(&st->rig);
}

void stage_enter(const struct stage *st, const struct rig_options *options, struct rig *r,
	struct scene *s)
{
	cut_state(st->history, cut_history_length(st->history), CUT_ALL, 1);
	*r = st->rig;
	r->options = *options;
	*s = st->scene;
	s->r = r;
	if (!rig_reopen(r)) fail_msg("%s", r->why.detail);
}

void stage_done(struct stage *st)
{
	st->history = cut_history_free(st->history);
}

void scene_cut(struct scene *s, enum cut_choice choice, const char *what)
{
	struct cut_history *h = cut_power_off();

	rig_shut(s->r);
	cut_state(h, cut_history_length(h), choice, 7);
	cut_history_free(h);
	if (!rig_reopen(s->r)) fail_msg("%s: %s", what, s->r->why.detail);
}
