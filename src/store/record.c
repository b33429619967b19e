/* record.c - records from result rows. The order of columns is that of sql.c. */
#include "store/rows.h"

static enum err spoiled(const char *what, struct str value, struct fault *why)
{
	return fail(why, ERR_INTERNAL, "the store holds an unknown %s \"%.*s\"", what,
		STR_ARGS(value));
}

static struct str text(const struct row *row, int column, struct arena *arena)
{
	return arena_str(arena, row_text(row, column));
}

enum err ask_from_row(
	const struct row *row, struct arena *arena, struct ask *out, struct fault *why)
{
	struct ask a = {
		.ws = row_int(row, 0),
		.id = text(row, 1, arena),
		.session = text(row, 2, arena),
		.run = text(row, 3, arena),
		.agent = text(row, 4, arena),
		.token = text(row, 5, arena),
		.project = text(row, 6, arena),
		.risk = (enum risk)row_int(row, 10),
		.exclusive = row_int(row, 11) != 0,
		.fixed = text(row, 12, arena),
		.search = text(row, 13, arena),
		.digest = text(row, 14, arena),
		.approved_digest = text(row, 15, arena),
		.assignees = text(row, 16, arena),
		.claimed_user = text(row, 17, arena),
		.claimed_name = text(row, 18, arena),
		.claimed_until_ms = row_int(row, 19),
		.version = row_int(row, 20),
		.created_ms = row_int(row, 21),
		.deadline_ms = row_int(row, 22),
		.settled_ms = row_int(row, 23),
		.used_ms = row_int(row, 24),
		.answer = text(row, 25, arena),
		.answered_by = text(row, 26, arena),
		.summary = text(row, 27, arena),
		.reason = text(row, 28, arena),
		.replies = text(row, 29, arena),
		.dedupe_key = text(row, 30, arena),
	};

	if (!ask_kind_read(row_text(row, 7), &a.kind))
		return spoiled("kind", row_text(row, 7), why);
	if (!ask_status_read(row_text(row, 8), &a.status))
		return spoiled("status", row_text(row, 8), why);
	if (!priority_read(row_text(row, 9), &a.priority))
		return spoiled("priority", row_text(row, 9), why);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = a;
	return OK;
}

enum err session_from_row(const struct row *row, struct arena *arena, struct session *out,
	struct fault *why)
{
	struct session s = {
		.ws = row_int(row, 0),
		.id = text(row, 1, arena),
		.title = text(row, 2, arena),
		.agent = text(row, 3, arena),
		.token = text(row, 4, arena),
		.project = text(row, 5, arena),
		.external_id = text(row, 6, arena),
		.metadata = text(row, 7, arena),
		.on_settled = text(row, 8, arena),
		.progress = text(row, 9, arena),
		.search = text(row, 10, arena),
		.parallel = row_int(row, 11) != 0,
		.open_blocking = row_int(row, 13),
		.open_input = row_int(row, 14),
		.open_approval = row_int(row, 15),
		.open_other = row_int(row, 16),
		.settled = row_int(row, 17),
		.version = row_int(row, 18),
		.created_ms = row_int(row, 19),
		.updated_ms = row_int(row, 20),
	};

	if (!session_status_read(row_text(row, 12), &s.status))
		return spoiled("session status", row_text(row, 12), why);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = s;
	return OK;
}

enum err event_from_row(
	const struct row *row, struct arena *arena, struct event *out, struct fault *why)
{
	struct str digest = row_text(row, 9), hash = row_text(row, 10);
	struct event e = {
		.ws = row_int(row, 0),
		.n = row_int(row, 1),
		.type = event_type_find(row_text(row, 2)),
		.at_ms = row_int(row, 3),
		.session = text(row, 4, arena),
		.ask = text(row, 5, arena),
		.run = text(row, 6, arena),
		.agent = text(row, 7, arena),
		.data = text(row, 8, arena),
	};

	if (!e.type) return spoiled("event type", row_text(row, 2), why);
	if (digest.len != SHA256_SIZE || hash.len != SHA256_SIZE)
		return fail(why, ERR_INTERNAL, "event %lld has no hash", (long long)e.n);
	memcpy(e.digest, digest.at, SHA256_SIZE);
	memcpy(e.hash, hash.at, SHA256_SIZE);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = e;
	return OK;
}

enum err delivery_from_row(const struct row *row, struct arena *arena,
	struct delivery *out, struct fault *why)
{
	struct delivery d = {
		.ws = row_int(row, 0),
		.id = text(row, 1, arena),
		.session = text(row, 2, arena),
		.ask = text(row, 3, arena),
		.target = text(row, 5, arena),
		.attempts = row_int(row, 7),
		.next_ms = row_int(row, 8),
		.lease_ms = row_int(row, 9),
		.lease_by = text(row, 10, arena),
		.last_error = text(row, 11, arena),
		.last_status = row_int(row, 12),
		.created_ms = row_int(row, 13),
		.done_ms = row_int(row, 14),
	};

	if (!delivery_kind_read(row_text(row, 4), &d.kind))
		return spoiled("kind of delivery", row_text(row, 4), why);
	if (!delivery_status_read(row_text(row, 6), &d.status))
		return spoiled("status of a delivery", row_text(row, 6), why);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = d;
	return OK;
}
