/* unmet.c - open approvals that nobody can give any more, as people are now. */
#include "desk/delivery.h"

#include "desk/people/roster.h"

enum { UNMET_LOOK = 1000 };

/* Does a part require more approvals than there are people who could count for it? */
static enum err is_unmet(const struct ask *a, const struct roster *r, struct arena *arena,
	bool *out, struct fault *why)
{
	struct require require;
	enum err e = require_load(a->require, arena, &require, why);

	*out = false;
	for (size_t i = 0; !e && i < require.len; i++)
		*out |= require_reach(a, &require.parts[i], r, arena) <
			require.parts[i].approvals;
	return e;
}

enum err unmet_find(
	struct rows *rows, int64_t ws, struct unmet_asks *out, struct fault *why)
{
	const struct ask *a = NULL;
	struct roster r = { 0 };
	bool loaded = false;
	enum err e =
		rows_fetch(rows, RECORD_ASKS, SQL_ASKS_VOTING, ARGS(ws, UNMET_LOOK), why);

	out->len = 0;
	while (!e && out->len < UNMET_MAX && (a = rows_next(rows, RECORD_ASKS, a))) {
		bool unmet = false;

		if (a->ws != ws || a->status != ASK_PENDING || !a->require.len) continue;
		if (!loaded) e = roster_everybody(rows, ws, &r, why);
		loaded = true;
		if (!e) e = is_unmet(a, &r, rows->arena, &unmet, why);
		if (!e && unmet)
			memcpy(out->ids[out->len++], a->id.at,
				a->id.len < ID_SIZE ? a->id.len : ID_SIZE - 1);
	}
	return e;
}
