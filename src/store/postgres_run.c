/* postgres_run.c - lists of statements over libpq's pipeline: one round trip a list.
 *
 * 1. Everything is sent, then every reply is read, up to the end of the pipeline. The
 *    first failure is the list's; what follows it was skipped by the server.
 * 2. BEGIN is held back and goes out with the next list; nobody waits for the reply to
 *    ROLLBACK, which is read before the next list.
 * 3. A writing transaction takes its turn: advisory locks, held to its end. A shard's is
 *    one of 64, beside a share of the lock of all; who needs all has that lock alone. So
 *    batches of several nodes never meet half-way in a workspace, and a transaction whose
 *    connection was lost is over when the next turn of its shard begins.
 * 4. What must change a row and does not is an error to the server, too: the rest of its
 *    list is skipped, COMMIT included.
 * 5. When the connection is lost before COMMIT was sent, nothing is kept. After that the
 *    outcome is open. */
#include "store/postgres.h"

#include "store/record.h"

#include "base/buf.h"
#include "base/clock.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEND_STEP = 64, CLOCK_MS = 250 };
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25 };

/* The driver's own statements, prepared when a connection opens. The number of the lock of all
 * spells "parley"; those of shards are pairs. Columns are evaluated from left to right: every
 * node takes the share of all before the shard, or two could deadlock, and the time is read last. */
#define CLOCK "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
#define ALL   "123597253833081"
const char postgres_own[] =
	"PREPARE clock AS SELECT " CLOCK ";"
	"PREPARE turn_all AS SELECT pg_advisory_xact_lock(" ALL "), " CLOCK ";"
	"PREPARE turn (int) AS SELECT pg_advisory_xact_lock_shared(" ALL "),"
	" pg_advisory_xact_lock(1885434476, $1), " CLOCK ";"
	"PREPARE hint (text) AS SELECT pg_notify('parley', $1)";

/* ---- failures ---- */

static bool state_is(const char *state, const char *const *list)
{
	for (; *list; list++)
		if (strncmp(state, *list, strlen(*list)) == 0) return true;
	return false;
}

enum err postgres_fail(
	struct postgres *p, const PGresult *r, bool commit, struct fault *why)
{
	/* The session ends: connection failures, what an administrator or a crash of the
	 * server ends, one that may no longer write, or that stood still for too long. */
	static const char *const lost[] = { "08", "57P", "25006", "25P03", NULL };
	/* Met another transaction, or a condition of the schema. */
	static const char *const busy[] = { "40", "23", "55P03", "25P02", "22012", NULL };
	/* Out of space, memory or connections; cancelled; the system's errors. */
	static const char *const unable[] = { "53", "57", "58", NULL };
	const char *state = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
	const char *text = r ? PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;

	if (!text) text = PQerrorMessage(p->conn);
	if (PQstatus(p->conn) == CONNECTION_BAD || !state || state_is(state, lost)) {
		p->db.lost = true;
		return commit ? fail(why, ERR_UNKNOWN,
					"the store went away at the commit: %s", text)
			      : fail(why, ERR_UNAVAILABLE, "the store went away: %s",
					text);
	}
	if (state_is(state, busy))
		return fail(why, ERR_BUSY, "refused by the store: %s", text);
	if (state_is(state, unable))
		return fail(why, ERR_UNAVAILABLE, "the store is unable: %s", text);
	return fail(why, ERR_INTERNAL, "store: %s (%s)", text, state);
}

/* ---- sending ---- */

/* Reads while it writes: the server may wait for us to take its replies. */
static bool send_all(struct postgres *p)
{
	int left;

	while ((left = PQflush(p->conn)) > 0) {
		struct pollfd fd = { PQsocket(p->conn), POLLIN | POLLOUT, 0 };

		if (poll(&fd, 1, -1) < 0) continue;
		if ((fd.revents & POLLIN) && !PQconsumeInput(p->conn)) return false;
	}
	return left == 0;
}

static bool send_own(struct postgres *p, const char *name, const char *arg)
{
	return PQsendQueryPrepared(
		p->conn, name, arg ? 1 : 0, arg ? &arg : NULL, NULL, NULL, 1);
}

/* The arguments of a call as the wire wants them. */
struct pg_wire {
	const char *at[ARGS_MAX];
	int len[ARGS_MAX], binary[ARGS_MAX];
	int64_t ints[ARGS_MAX];
	Oid types[ARGS_MAX];
};

static void wire_fill(struct pg_wire *w, const struct call *call)
{
	static const Oid oids[] = {
		[VAL_INT] = OID_INT8, [VAL_TEXT] = OID_TEXT, [VAL_BYTES] = OID_BYTEA
	};

	for (int i = 0; i < call->args_len; i++) {
		const struct val *v = &call->args[i];

		w->binary[i] = 1;
		w->types[i] = oids[v->type];
		w->at[i] = v->text.len ? v->text.at : "";
		w->len[i] = (int)v->text.len;
		if (v->type == VAL_NULL) w->at[i] = NULL;
		if (v->type != VAL_INT) continue;
		w->ints[i] = (int64_t)htobe64((uint64_t)v->integer);
		w->at[i] = (const char *)&w->ints[i];
		w->len[i] = sizeof w->ints[i];
	}
}

static void statement_name(const struct call *call, char name[8])
{
	snprintf(name, 8, "%c%d", call->must_change ? 'm' : 's', call->sql);
}

static uint8_t *call_prepared(struct postgres *p, const struct call *call)
{
	return call->must_change ? &p->guarded[call->sql] : &p->prepared[call->sql];
}

/* A guarded statement divides by zero when it changes no row: the error ends the
 * transaction. */
static bool prepare_send(struct postgres *p, const struct call *call)
{
	struct buf text = { 0 };
	struct pg_wire w;
	char name[8];
	bool sent;

	wire_fill(&w, call);
	statement_name(call, name);
	if (call->must_change) buf_add_text(&text, "WITH changed AS (");
	buf_add_text(&text, sql_text(call->sql));
	if (call->must_change)
		buf_add_text(&text, " RETURNING 1) SELECT 1 / count(*) FROM changed");
	buf_add_char(&text, '\0');
	sent = !text.failed &&
	       PQsendPrepare(p->conn, name, text.at, call->args_len, w.types);
	buf_done(&text);
	return sent;
}

/* `again`: the call before it had the same given text, which the server still knows. */
static bool send_call(struct postgres *p, const struct call *call, bool again)
{
	struct pg_wire w;
	char name[8] = "";

	wire_fill(&w, call);
	if (call->sql == SQL_GIVEN && !again)
		return PQsendQueryParams(p->conn, call->text, call->args_len, w.types,
			w.at, w.len, w.binary, 1);
	if (call->sql != SQL_GIVEN) statement_name(call, name);
	return PQsendQueryPrepared(
		p->conn, name, call->args_len, w.at, w.len, w.binary, 1);
}

/* ---- replies ---- */

/* The next result; NULL: the connection is gone. */
static PGresult *reply_next(struct postgres *p)
{
	PGresult *r = PQgetResult(p->conn), *end;

	if (r && PQresultStatus(r) != PGRES_PIPELINE_SYNC)
		while ((end = PQgetResult(p->conn)) != NULL)
			PQclear(end);
	return r;
}

static enum err reply_rows(
	struct postgres *p, struct call *call, PGresult *r, struct fault *why)
{
	struct postgres_row handle = { r, 0 };
	struct row row = { &p->db, &handle, PQnfields(r), 0 };
	enum err e = OK;

	call->changed = strtoll(PQcmdTuples(r), NULL, 10);
	for (; !e && call->row && handle.at < PQntuples(r); handle.at++)
		e = call->row(call->ctx, &row, why);
	return e;
}

/* The COMMIT of a transaction that failed before is a ROLLBACK, and no error. */
static bool reply_undone(const struct call *call, PGresult *r)
{
	return call->sql == SQL_COMMIT && strcmp(PQcmdStatus(r), "COMMIT") != 0;
}

/* A commit whose wait for a synchronous standby was cancelled says so by a warning: it is kept here, and gone
 * if the standby takes over. */
static enum err commit_warned(struct postgres *p, struct fault *why)
{
	p->db.lost = true;
	return fail(why, ERR_UNKNOWN, "the store warned at the commit");
}

/* One statement's reply; `before`, an earlier failure, stays. */
static enum err reply_read(struct postgres *p, struct call *call, bool commit,
	enum err before, struct fault *why)
{
	PGresult *r = p->db.lost ? NULL : reply_next(p);
	ExecStatusType status = PQresultStatus(r);
	enum err e = OK;

	if (p->db.lost) return before;
	if (!r || (!before && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK))
		e = postgres_fail(p, r, commit, before ? NULL : why);
	else if (!before && reply_undone(call, r))
		e = fail(why, ERR_BUSY, "the transaction was void");
	else if (!before && call->sql == SQL_COMMIT && p->warned)
		e = commit_warned(p, why);
	else if (!before)
		e = reply_rows(p, call, r, why);
	PQclear(r);
	return before ? before : e;
}

static enum err reply_end(
	struct postgres *p, bool commit, enum err before, struct fault *why)
{
	PGresult *r = p->db.lost ? NULL : reply_next(p);
	bool sync = PQresultStatus(r) == PGRES_PIPELINE_SYNC;
	enum err e = OK;

	PQclear(r);
	if (!sync && !p->db.lost) e = postgres_fail(p, NULL, commit, before ? NULL : why);
	return before ? before : e;
}

static bool list_end(struct postgres *p)
{
	return PQpipelineSync(p->conn) && send_all(p);
}

static enum err hear_clock(void *ctx, const struct row *row, struct fault *why)
{
	struct postgres *p = ctx;

	(void)why;
	p->clock_ms = row_int(row, row->columns - 1);
	p->heard_ms = clock_mono_ms();
	return OK;
}

/* ---- statements, prepared at their first use ---- */

/* In the same trip. The types are those of the first call. */
static bool prepare_first(struct postgres *p, const struct call *call)
{
	uint8_t *state = call->sql == SQL_GIVEN ? NULL : call_prepared(p, call);

	if (!state || *state != STATEMENT_NEW) return true;
	*state = STATEMENT_SENT;
	return prepare_send(p, call);
}

/* It stays prepared even if the transaction does not stay. */
static enum err prepare_read(struct postgres *p, const struct call *call, bool commit,
	enum err before, struct fault *why)
{
	uint8_t *state = call->sql == SQL_GIVEN ? NULL : call_prepared(p, call);
	enum err e = OK;
	PGresult *r;

	if (!state || *state != STATEMENT_SENT || p->db.lost) return before;
	r = reply_next(p);
	*state = PQresultStatus(r) == PGRES_COMMAND_OK ? STATEMENT_READY : STATEMENT_NEW;
	if (!r || (!before && *state == STATEMENT_NEW))
		e = postgres_fail(p, r, commit, before ? NULL : why);
	PQclear(r);
	return before ? before : e;
}

/* ---- the turn ---- */

/* Readers listen to the clock now and then; writers with every turn. */
static bool begin_send(struct postgres *p)
{
	struct call begin = { .sql = SQL_BEGIN };

	p->begin = false;
	p->begun = true;
	p->hears = p->db.mode == DB_READ && clock_mono_ms() - p->heard_ms > CLOCK_MS;
	if (p->db.mode == DB_WRITE && !p->db.late) p->db.turn = TURN_ALL;
	return prepare_first(p, &begin) && send_call(p, &begin, false) &&
	       (!p->hears || send_own(p, "clock", NULL));
}

static bool turn_send(struct postgres *p)
{
	char shard[12];

	if (p->db.turn == TURN_NONE) return true;
	if (p->db.turn == TURN_ALL) return send_own(p, "turn_all", NULL);
	snprintf(shard, sizeof shard, "%d", p->db.turn);
	return send_own(p, "turn", shard);
}

static enum err clock_read(struct postgres *p, enum err before, struct fault *why)
{
	struct call clock = { .sql = SQL_GIVEN, .row = hear_clock, .ctx = p };

	return reply_read(p, &clock, false, before, why);
}

static enum err begin_read(struct postgres *p, struct fault *why)
{
	struct call begin = { .sql = SQL_BEGIN };
	enum err e = prepare_read(p, &begin, false, OK, why);

	e = reply_read(p, &begin, false, e, why);
	return p->hears ? clock_read(p, e, why) : e;
}

/* ---- lists ---- */

static enum err owed_read(struct postgres *p)
{
	struct call rollback = { .sql = SQL_ROLLBACK };

	if (!p->owed) return OK;
	p->owed = false;
	return reply_end(p, false, reply_read(p, &rollback, false, OK, NULL), NULL);
}

static enum err list_run(
	struct postgres *p, struct call *calls, size_t len, struct fault *why)
{
	bool begin = p->begin, commit = len && calls[len - 1].sql == SQL_COMMIT;
	bool sent = (!begin || begin_send(p)) && turn_send(p);
	int turn = p->db.turn;
	enum err e = OK;

	p->db.turn = TURN_NONE;
	p->warned = false;
	for (size_t i = 0; sent && i < len; i++) {
		sent = prepare_first(p, &calls[i]) &&
		       send_call(p, &calls[i],
			       i && calls[i - 1].text &&
				       calls[i - 1].text == calls[i].text);
		if (i % SEND_STEP == SEND_STEP - 1)
			sent = sent && PQflush(p->conn) >= 0 && PQconsumeInput(p->conn);
	}
	if (!sent || !list_end(p)) return postgres_fail(p, NULL, commit, why);
	if (begin) e = begin_read(p, why);
	if (turn != TURN_NONE) e = clock_read(p, e, why);
	for (size_t i = 0; i < len; i++) {
		e = prepare_read(p, &calls[i], commit, e, why);
		e = reply_read(p, &calls[i], commit, e, why);
	}
	e = reply_end(p, commit, e, why);
	if (commit && !e) p->begun = false;
	return e;
}

static enum err list_rollback(struct postgres *p)
{
	p->begin = false;
	p->db.turn = TURN_NONE;
	if (!p->begun || p->db.lost) return OK;
	p->begun = false;
	if (owed_read(p) ||
		!PQsendQueryParams(p->conn, "ROLLBACK", 0, NULL, NULL, NULL, NULL, 1) ||
		!list_end(p))
		p->db.lost = true;
	p->owed = !p->db.lost;
	return OK;
}

enum err postgres_run(struct db *db, struct call *calls, size_t len, struct fault *why)
{
	struct postgres *p = postgres_of(db);

	if (len && calls[0].sql == SQL_ROLLBACK) return list_rollback(p);
	if (p->db.lost) return fail(why, ERR_UNAVAILABLE, "the store is not connected");
	if (len && calls[0].sql == SQL_BEGIN) {
		p->begin = true;
		calls++, len--;
	}
	if (!len) return OK;
	if (owed_read(p)) return postgres_fail(p, NULL, false, why);
	return list_run(p, calls, len, why);
}

enum err postgres_settle(struct postgres *p, struct fault *why)
{
	if (p->db.lost) return fail(why, ERR_UNAVAILABLE, "the store is not connected");
	if (owed_read(p)) return postgres_fail(p, NULL, false, why);
	return p->begin ? list_run(p, NULL, 0, why) : OK;
}

enum err postgres_say(struct postgres *p, const char *name, const char *arg, row_fn *hear,
	void *ctx, struct fault *why)
{
	struct call call = { .sql = SQL_GIVEN, .row = hear, .ctx = ctx };
	enum err e = postgres_settle(p, why);

	if (e) return e;
	if (!send_own(p, name, arg) || !list_end(p))
		return postgres_fail(p, NULL, false, why);
	return reply_end(p, false, reply_read(p, &call, false, OK, why), why);
}

enum err postgres_hear(struct postgres *p, struct fault *why)
{
	return postgres_say(p, "clock", NULL, hear_clock, p, why);
}
