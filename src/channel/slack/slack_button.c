/* slack_button.c - values of buttons written and read. */
#include "channel/slack/slack_button.h"

#include "base/id.h"
#include "base/json_pattern.h"
#include "core/shared/body.h"

static const char *const verbs[] = {
	[PRESS_APPROVE] = "approve",
	[PRESS_HOUR] = "hour",
	[PRESS_REJECT] = "reject",
	[PRESS_YES] = "yes",
	[PRESS_NO] = "no",
	[PRESS_OPTION] = "option",
	[PRESS_SKIP] = "skip",
	[PRESS_FORM] = "form",
};
enum { VERBS = sizeof verbs / sizeof *verbs };

struct str slack_button_action(const struct slack_button *p, struct arena *arena)
{
	return p->verb == PRESS_OPTION
		       ? arena_print(arena, "%s%zu", verbs[p->verb], p->option)
		       : str_of(verbs[p->verb]);
}

struct str slack_button_write(const struct slack_button *p, struct arena *arena)
{
	return arena_print(arena, "%.*s.%.*s.%.*s", STR_ARGS(p->ask), STR_ARGS(p->digest),
		STR_ARGS(slack_button_action(p, arena)));
}

static bool digest_valid(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!((text.at[i] >= '0' && text.at[i] <= '9') ||
			    (text.at[i] >= 'a' && text.at[i] <= 'f')))
			return false;
	return !text.len || text.len == ASK_SHORT_DIGEST;
}

static bool verb_read(struct str text, struct slack_button *out)
{
	int64_t option;

	for (int i = PRESS_APPROVE; i < VERBS; i++)
		if (i != PRESS_OPTION && str_is(text, verbs[i])) {
			out->verb = (enum slack_button_verb)i;
			return true;
		}
	if (!str_starts(text, verbs[PRESS_OPTION]) ||
		!str_to_int(str_from(text, strlen(verbs[PRESS_OPTION])), 0,
			OPTIONS_MAX - 1, &option))
		return false;
	out->verb = PRESS_OPTION;
	out->option = (size_t)option;
	return true;
}

bool slack_button_read(struct str value, struct slack_button *out)
{
	struct slack_button p = { 0 };
	struct str rest = value;

	if (!str_cut(&rest, '.', &p.ask) || !str_cut(&rest, '.', &p.digest) ||
		!id_valid(p.ask, "ask") || !digest_valid(p.digest) ||
		!verb_read(rest, &p))
		return false;
	*out = p;
	return true;
}

struct str slack_button_answer(
	const struct slack_button *p, const struct ask_parts *parts, struct arena *arena)
{
	const struct question *q = parts->questions;
	bool one = parts->questions_len == 1;

	switch (p->verb) {
	case PRESS_APPROVE: return STR("{\"answer\":\"approve\"}");
	case PRESS_HOUR:
		return STR("{\"answer\":\"approve\","
			   "\"scope\":{\"for\":\"1h\",\"what\":\"same\"}}");
	case PRESS_REJECT: return STR("{\"answer\":\"reject\"}");
	case PRESS_YES: return STR("{\"answer\":true}");
	case PRESS_NO: return STR("{\"answer\":false}");
	case PRESS_OPTION: break;
	default: return STR_NONE;
	}
	if (!one || p->option >= q->options_len) return STR_NONE;
	return JSON_TEXT(arena, "{'answer':%s}", q->options[p->option].id);
}
