/* vote.c - reads and writes votes. */
#include "core/approval/vote.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

static const char *const values[] = {
	[DECISION_APPROVE] = "approve",
	[DECISION_REJECT] = "reject",
};

static struct str raw_text(const struct json *json, struct arena *arena)
{
	struct buf b = { 0 };

	if (!json) return STR_NONE;
	json_write(&b, json);
	return buf_keep_done(&b, arena);
}

static bool vote_read(const struct json *json, struct arena *arena, struct vote *out)
{
	const struct json *by = json_get(json, "by");
	struct str value = json_text(json_get(json, "value"));

	*out = (struct vote){ .user = json_text(json_get(by, "user")),
		.name = json_text(json_get(by, "name")),
		.via = json_text(json_get(json, "via")),
		.value = str_is(value, "approve") ? DECISION_APPROVE : DECISION_REJECT,
		.digest = json_text(json_get(json, "digest")),
		.arguments = raw_text(json_get(json, "arguments"), arena),
		.reason = json_text(json_get(json, "reason")),
		.stands_for = json_text(json_get(json, "for")),
		.counts = json_is(json_get(json, "counts"), JSON_TRUE) };
	return role_read(json_text(json_get(json, "role")), &out->role) &&
	       time_read(json_text(json_get(json, "at")), &out->at_ms);
}

enum err votes_load(
	const struct ask *a, struct arena *arena, struct votes *out, struct fault *why)
{
	static const struct json_limits limits = { .depth = 80, .values = 400000 };
	const struct json *list = NULL;
	struct votes v = { 0 };
	bool good = true;

	if (a->votes.len && json_read(a->votes, &limits, arena, &list, NULL))
		good = false;
	if (good) v.at = ARENA_ARRAY(arena, struct vote, (list ? list->count : 0) + 1);
	for (uint32_t i = 0; good && v.at && list && i < list->count; i++)
		good = vote_read(&list->items[i], arena, &v.at[v.len++]);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (!good)
		return fail(why, ERR_INTERNAL, "the votes on %.*s are unreadable",
			STR_ARGS(a->id));
	*out = v;
	return OK;
}

const struct vote *votes_find(const struct votes *v, struct str user)
{
	for (size_t i = 0; user.len && i < v->len; i++)
		if (str_eq(v->at[i].user, user)) return &v->at[i];
	return NULL;
}

bool votes_drop(struct votes *v, struct str user)
{
	size_t n = 0;

	for (size_t i = 0; i < v->len; i++)
		if (!user.len || !str_eq(v->at[i].user, user)) v->at[n++] = v->at[i];
	if (n == v->len) return false;
	v->len = n;
	return true;
}

void votes_put(struct votes *v, const struct vote *vote)
{
	votes_drop(v, vote->user);
	v->at[v->len++] = *vote;
}

size_t votes_counting(const struct votes *v, struct str digest)
{
	size_t n = 0;

	for (size_t i = 0; i < v->len; i++)
		n += v->at[i].counts && v->at[i].value == DECISION_APPROVE &&
		     str_eq(v->at[i].digest, digest);
	return n;
}

void vote_write(struct json_writer *w, const struct vote *v)
{
	const struct principal by = { .user = v->user, .name = v->name, .via = v->via };

	jw_object(w);
	jw_key(w, "by");
	show_who(w, "human", &by);
	jw_put_text(w, "role", role_name(v->role));
	show_text(w, "for", v->stands_for);
	jw_put_text(w, "value", values[v->value]);
	show_text(w, "digest", v->digest);
	if (v->arguments.len) show_json(w, "arguments", v->arguments);
	show_text(w, "reason", v->reason);
	show_text(w, "via", v->via);
	show_time(w, "at", v->at_ms);
	jw_put_bool(w, "counts", v->counts);
	jw_object_end(w);
}

struct str votes_text(const struct votes *v, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (!v->len) return STR_NONE;
	jw_array(&w);
	for (size_t i = 0; i < v->len; i++)
		vote_write(&w, &v->at[i]);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

bool vote_approved(const struct ask *a, struct str user, struct arena *arena)
{
	const struct vote *vote;
	struct votes votes;

	if (!user.len) return false;
	if (str_eq(a->settled_user, user)) return true;
	if (!a->votes.len || votes_load(a, arena, &votes, NULL)) return false;
	vote = votes_find(&votes, user);
	return vote && vote->counts && str_eq(vote->digest, a->approved_digest);
}
