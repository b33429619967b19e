/* own.c - translates the texts of questions that Parley itself writes. */
#include "text/own.h"

#include "text/msg.h"

static struct str decision_words(struct str text, struct arena *arena)
{
	struct str before = STR("Approve "), after = STR("?");

	if (str_is(text, "Approve?")) return MSG(arena, "web.own.approve");
	if (!str_starts(text, before.at) || !str_ends(text, after.at)) return text;
	return MSG(arena, "web.own.approve.what",
		{ "name", str_make(text.at + before.len,
				  text.len - before.len - after.len) });
}

struct str own_words(struct str key, struct str text, struct arena *arena)
{
	static const struct {
		const char *text, *id;
	} recovery[] = {
		{ "How shall I go on?", "web.own.recovery" },
		{ "Retry", "web.own.retry" },
		{ "Edit and retry", "web.own.edit" },
		{ "Skip", "web.own.skip" },
		{ "Abort", "web.own.abort" },
	};

	if (str_is(key, "decision")) return decision_words(text, arena);
	if (!str_is(key, "recovery")) return text;
	for (size_t i = 0; i < sizeof recovery / sizeof *recovery; i++)
		if (str_is(text, recovery[i].text)) return MSG(arena, recovery[i].id);
	return text;
}
