/* alert.c - the rules of alerts, and their JSON. */
#include "core/notify/alert.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/real.h"
#include "core/policy/policy.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#define DEFAULT_WINDOW_MS (24 * 3600 * 1000LL)
enum { DEFAULT_MIN = 10 };

/* How one clears. */
enum alert_end {
	END_AT_ONCE,   /* when a look does not find it */
	END_CALM,      /* when its rate was low for ALERT_CALM_MS */
	END_ELSEWHERE, /* a look does not find it, nor does it end it */
};

static const struct {
	const char *name;
	enum alert_end end;
} kinds[ALERT_KINDS] = {
	[ALERT_UNANSWERED] = { "unanswered", END_AT_ONCE },
	[ALERT_UNREACHABLE] = { "unreachable", END_AT_ONCE },
	[ALERT_TIMEOUTS] = { "timeouts", END_CALM },
	[ALERT_ERRORS] = { "errors", END_CALM },
	[ALERT_OVERDUE] = { "overdue", END_CALM },
	[ALERT_MODEL] = { "model", END_CALM },
	[ALERT_DEAD] = { "dead", END_AT_ONCE },
	[ALERT_UNREACHED] = { "unreached", END_AT_ONCE },
	[ALERT_CHANNEL] = { "channel", END_AT_ONCE },
	[ALERT_BUDGET] = { "budget", END_AT_ONCE },
	[ALERT_UNMEETABLE] = { "unmeetable", END_AT_ONCE },
	[ALERT_NODE] = { "node", END_AT_ONCE },
	[ALERT_LOST] = { "lost", END_ELSEWHERE },
};

const char *alert_kind_name(enum alert_kind kind)
{
	return kinds[kind].name;
}

bool alert_kind_read(struct str name, enum alert_kind *out)
{
	for (int i = 0; i < ALERT_KINDS; i++)
		if (str_is(name, kinds[i].name)) {
			*out = (enum alert_kind)i;
			return true;
		}
	return false;
}

bool alert_is_looked_for(enum alert_kind kind)
{
	return kinds[kind].end != END_ELSEWHERE;
}

/* ---- as JSON ---- */

void alert_write(struct json_writer *w, const struct alert *a)
{
	jw_object(w);
	jw_put_str(w, "id", a->id);
	jw_put_text(w, "kind", kinds[a->kind].name);
	show_text(w, "key", a->about);
	show_time(w, "since", a->since_ms);
	show_json(w, "value", a->value);
	show_json(w, "threshold", a->threshold);
	jw_put_raw(w, "asks", a->asks.len ? a->asks : STR("[]"));
	show_text(w, "detail", a->detail);
	show_json(w, "acked", a->acked);
	show_time(w, "cleared_at", a->cleared_ms);
	jw_object_end(w);
}

struct str alert_asks(const struct str *ids, size_t len, struct arena *arena)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_array(&w);
	for (size_t i = 0; i < len; i++)
		jw_str(&w, ids[i]);
	jw_array_end(&w);
	return buf_keep_done(w.out, arena);
}

struct str alert_number(double value, struct arena *arena)
{
	char text[REAL_SIZE];

	return arena_str(arena, str_make(text, real_write(value, text)));
}

/* ---- settings ---- */

static double real_of_member(
	const struct json *alerts, const struct json *usual, const char *name)
{
	const struct json *v = json_get(alerts, name);

	return json_real(v ? v : json_get(usual, name));
}

static int64_t span_of_member(
	const struct json *alerts, const struct json *usual, const char *name)
{
	const struct json *v = json_get(alerts, name);
	int64_t ms;

	if (!v) v = json_get(usual, name);
	if (v && v->is_int) return v->integer * 1000;
	return json_is(v, JSON_STRING) && duration_read(v->text, &ms) ? ms : 0;
}

enum err alert_settings_read(struct str policy, struct arena *arena,
	struct alert_settings *out, struct fault *why)
{
	const struct json *kept, *usual;
	enum err e = json_read(str_of(policy_default), NULL, arena, &usual, why);

	if (!e)
		e = json_read(policy.len ? policy : str_of(policy_default), NULL, arena,
			&kept, why);
	if (e) return e;
	kept = json_get(kept, "alerts");
	usual = json_get(usual, "alerts");
	*out = (struct alert_settings){
		.timeouts = real_of_member(kept, usual, "timeouts"),
		.errors = real_of_member(kept, usual, "errors"),
		.overdue = real_of_member(kept, usual, "overdue"),
		.model = real_of_member(kept, usual, "model"),
		.budget = real_of_member(kept, usual, "budget"),
		.window_ms = span_of_member(kept, usual, "window"),
		.min = (int64_t)real_of_member(kept, usual, "min"),
		.unanswered_ms = span_of_member(kept, usual, "unanswered"),
		.unreachable_ms = span_of_member(kept, usual, "unreachable"),
		.node_ms = span_of_member(kept, usual, "node"),
		.dead = (int64_t)real_of_member(kept, usual, "dead"),
	};
	if (!out->window_ms) out->window_ms = DEFAULT_WINDOW_MS;
	if (!out->min) out->min = DEFAULT_MIN;
	return OK;
}

/* ---- what becomes of one ---- */

double alert_share(int64_t bad, int64_t all, int64_t min)
{
	return all < min || all <= 0 ? 0 : (double)bad / (double)all;
}

enum alert_move alert_next(const struct alert *open, const struct alert_finding *found,
	int64_t looked_ms, int64_t now_ms)
{
	if (!open) return found && found->raised ? ALERT_RAISES : ALERT_STAYS;
	if (kinds[open->kind].end == END_ELSEWHERE) return ALERT_STAYS;
	/* Raised by what happened after the look, which cannot have found it. */
	if (open->since_ms >= looked_ms && open->since_ms <= now_ms) return ALERT_STAYS;
	if (found) return open->low_ms ? ALERT_STIRS : ALERT_STAYS;
	if (kinds[open->kind].end == END_AT_ONCE) return ALERT_CLEARS;
	if (!open->low_ms || now_ms < open->low_ms) return ALERT_CALMS;
	return now_ms - open->low_ms >= ALERT_CALM_MS ? ALERT_CLEARS : ALERT_STAYS;
}

void alert_as_ask(const struct alert *a, struct ask *out)
{
	*out = (struct ask){ .ws = a->ws,
		.id = a->id,
		.kind = (enum ask_kind)ROUTE_ALERT_BIT,
		.status = a->cleared_ms	 ? ASK_CANCELLED
			  : a->acked.len ? ASK_SKIPPED
					 : ASK_PENDING,
		.priority = PRIORITY_NORMAL,
		.created_ms = a->since_ms,
		.settled_ms = a->cleared_ms,
		.route = a->route };
}
