/* user_name.c - is a name free in its workspace? Nobody gets one that looks like another's. */
#include "desk/people/people.h"

#include "core/shared/name.h"

/* Users whose names look alike, as they are stored. */
struct alike_users {
	struct rows *rows;
	struct str likeness;
	struct alike_user {
		struct alike_user *next;
		struct str id;
	} * first;
};

static bool looks_like(struct str likeness, struct str name)
{
	struct buf b = { 0 };
	bool like;

	name_likeness(&b, name);
	like = !b.failed && str_eq(buf_str(&b), likeness);
	buf_done(&b);
	return like;
}

static enum err name_row(void *ctx, const struct row *row, struct fault *why)
{
	struct alike_users *found = ctx;
	struct alike_user *u;

	if (!looks_like(found->likeness, row_text(row, 1))) return OK;
	u = ARENA_NEW(found->rows->arena, struct alike_user);
	if (!u) return fail_memory(why);
	u->id = arena_str(found->rows->arena, row_text(row, 0));
	u->next = found->first;
	found->first = u;
	return OK;
}

/* Loads the users whose names look like this one, without those that the batch has deleted. */
static enum err alike_fetch(
	struct rows *rows, int64_t ws, struct str likeness, struct fault *why)
{
	struct alike_users found = { .rows = rows, .likeness = likeness };
	enum err e = rows_query(rows, SQL_USER_NAMES, ARGS(ws), name_row, &found, why);

	for (const struct alike_user *at = found.first; !e && at; at = at->next) {
		const struct user *u;

		e = rows_get(rows, RECORD_USERS, KEY(ws, at->id), &u, why);
	}
	return e;
}

/* Older users may have names that look alike: prefer the one with exactly this name. */
enum err user_name_free(
	struct rows *rows, int64_t ws, struct str name, struct str but, struct fault *why)
{
	const struct user *u = NULL, *like = NULL;
	struct buf b = { 0 };
	enum err e;

	name_likeness(&b, name);
	e = b.failed ? fail_memory(why) : alike_fetch(rows, ws, buf_str(&b), why);
	while (!e && (u = rows_next(rows, RECORD_USERS, u))) {
		if (u->ws != ws || str_eq(u->id, but)) continue;
		if (str_eq(u->name, name))
			e = fail(why, ERR_CONFLICT, "user '%.*s' already exists",
				STR_ARGS(name));
		else if (!like && looks_like(buf_str(&b), u->name))
			like = u;
	}
	if (!e && like)
		e = fail(why, ERR_CONFLICT, "the name looks like that of user '%.*s'",
			STR_ARGS(like->name));
	buf_done(&b);
	return e;
}
