/* alert_words.c - an alert in a sentence. */
#include "text/alert_words.h"

#include <math.h>
#include <stdio.h>

struct str alert_span(int64_t ms, enum lang lang, struct arena *arena)
{
	static const struct {
		int64_t s;
		const char *id;
	} units[] = { { 86400, "web.span.short.day" }, { 3600, "web.span.short.hour" },
		{ 60, "web.span.short.minute" }, { 0, "web.span.short.second" } };
	int64_t s = ms / 1000;
	size_t i = 0;

	while (s < units[i].s)
		i++;
	if (units[i].s) s /= units[i].s;
	return MSG_IN(arena, lang, units[i].id,
		{ "n", arena_print(arena, "%lld", (long long)s) });
}

/* What it is about, as people call it. */
static struct str about(const struct alert_said *a, enum lang lang, struct arena *arena)
{
	static const struct {
		const char *kind, *family;
	} words[] = { { "timeouts", "web.kind" }, { "channel", "web.deliveries" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char id[128];

		if (!str_is(a->kind, words[i].kind)) continue;
		snprintf(id, sizeof id, "%s.%.*s", words[i].family,
			STR_ARGS(str_first(a->key, 40)));
		return msg_text_in(id, lang) ? MSG_IN(arena, lang, id) : a->key;
	}
	return str_is(a->kind, "node") || str_is(a->kind, "overdue") ? a->detail : a->key;
}

struct str alert_words(const struct alert_said *a, enum lang lang, struct arena *arena)
{
	char id[64];
	long long percent = llround(a->value * 100);

	snprintf(id, sizeof id, "web.alert.%.*s", STR_ARGS(str_first(a->kind, 32)));
	return MSG_IN(arena, lang, id,
		{ "age", alert_span((int64_t)(a->value * 1000), lang, arena) },
		{ "n", arena_print(arena, "%.6g", a->value) },
		{ "percent",
			arena_print(arena, lang == LANG_FR ? "%lld\u202f%%" : "%lld%%",
				percent) },
		{ "what", about(a, lang, arena) });
}
