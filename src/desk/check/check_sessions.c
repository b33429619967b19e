/* check_sessions.c - the sessions of one workspace against their events, and their counts
 * against their asks. */
#include "desk/check/check.h"

#include "base/utf8.h"

enum { SESSIONS_PAGE = 2000 };

struct session_facts {
	struct str id;
	enum session_status status;
	char made[SHORT_DIGEST_SIZE], title[SHORT_DIGEST_SIZE],
		progress[SHORT_DIGEST_SIZE];
	char callback[SHORT_DIGEST_SIZE]; /* "": none */
	int64_t created_ms;
	int64_t open_blocking, open_input, open_approval, open_other, settled;
	bool search_fits;
	/* What the events said so far. */
	bool told, deleted, old, made_differs, title_differs, progress_differs,
		callback_differs, status_differs;
	int64_t created_n;
	bool unreadable;
};

/* The session without a row that events tell of, until another comes. */
struct session_gone {
	char id[64];
	size_t id_len;
	bool deleted;
};

/* What the pass knows beside its page. */
struct sessions_pass {
	struct session_gone gone;
	struct check_mandates mandates;
};

/* ---- rows ---- */

static bool search_fits(const struct session *s)
{
	struct buf b = { .max = 65536 };
	bool fits;

	utf8_fold(&b, s->title);
	fits = b.failed || str_eq(buf_str(&b), s->search);
	buf_done(&b);
	return fits;
}

static void facts_take(struct session_facts *f, const struct session *s)
{
	session_digest(s, f->made);
	digest_text(s->title, f->title);
	digest_text(s->progress, f->progress);
	if (s->on_settled.len) digest_text(s->on_settled, f->callback);
	f->status = s->status;
	f->created_ms = s->created_ms;
	f->open_blocking = s->open_blocking;
	f->open_input = s->open_input;
	f->open_approval = s->open_approval;
	f->open_other = s->open_other;
	f->settled = s->settled;
	f->search_fits = search_fits(s);
}

static enum err session_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct session_facts *f = &CHECK_FACTS(p, struct session_facts)[p->len];
	struct arena arena = { 0 };
	struct session s;
	enum err e = session_from_row(row, &arena, &s, why);

	p->rows++;
	p->c->sessions++;
	f->id = p->to = arena_str(&p->arena, row_text(row, 1));
	f->unreadable = check_unreadable(p, f->id, &e, why);
	if (!e && !f->unreadable) facts_take(f, &s);
	if (arena.failed) e = fail_memory(why);
	arena_done(&arena);
	return e ? e : check_keep(p, f->id, f, why);
}

/* Takes the asks of the session off its counts: nothing may be left. */
static enum err open_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct session_facts *f = table_get(&p->table, row_text(row, 0));
	int64_t count = row_int(row, 3);
	enum ask_kind kind;

	(void)why;
	if (!f) return OK; /* the pass over asks names them */
	if (!row_int(row, 2)) {
		f->settled -= count;
		return OK;
	}
	if (!ask_kind_read(row_text(row, 1), &kind)) return OK;
	if (kind == ASK_BLOCKING) f->open_blocking -= count;
	if (kind == ASK_BLOCKING || kind == ASK_ERROR_RECOVERY) f->open_input -= count;
	if (kind == ASK_APPROVAL) f->open_approval -= count;
	if (kind == ASK_NON_BLOCKING) f->open_other -= count;
	return OK;
}

/* ---- events ---- */

static bool differs(const char *row, const struct json *told)
{
	return !str_is(json_text(told), row);
}

static bool text_differs(const char *row, struct str text)
{
	char digest[SHORT_DIGEST_SIZE];

	digest_text(text, digest);
	return strcmp(digest, row) != 0;
}

static void told_created(struct check_pass *p, struct session_facts *f,
	const struct event *e, const struct json *data)
{
	f->told = true;
	f->created_n = e->n;
	f->old = check_is_old(p->c, e);
	f->made_differs = f->old ? f->created_ms != e->at_ms
				 : differs(f->made, json_get(data, "made"));
	f->title_differs =
		!f->old && text_differs(f->title, json_text(json_get(data, "title")));
	f->callback_differs = !f->old && differs(f->callback, json_get(data, "callback"));
	f->progress_differs = text_differs(f->progress, STR_NONE);
	f->status_differs = f->status != SESSION_IDLE;
}

/* The first ask of a session that was made for it sets its status, in the same breath. */
static void told_first_ask(
	struct session_facts *f, const struct event *e, const struct json *data)
{
	struct session s = { .status = SESSION_IDLE };
	enum ask_kind kind;

	if (e->n != f->created_n + 1) return;
	if (!ask_kind_read(json_text(json_get(data, "kind")), &kind)) return;
	session_opened(&s, kind, e->at_ms);
	f->status_differs = f->status != s.status;
}

static void facts_tell(struct check_pass *p, struct session_facts *f,
	const struct event *e, struct arena *arena)
{
	const struct json *data = check_data(e, arena);

	if (strcmp(e->type, "session.deleted") == 0) f->deleted = true;
	if (!data) return;
	if (strcmp(e->type, "session.created") == 0) {
		told_created(p, f, e, data);
	} else if (strcmp(e->type, "session.changed") == 0) {
		f->title_differs =
			text_differs(f->title, json_text(json_get(data, "title")));
		f->callback_differs = differs(f->callback, json_get(data, "callback"));
		if (json_get(data, "made"))
			f->made_differs = differs(f->made, json_get(data, "made"));
	} else if (strcmp(e->type, "session.status") == 0) {
		f->status_differs = !str_is(json_text(json_get(data, "status")),
			session_status_name(f->status));
	} else if (strcmp(e->type, "session.progress") == 0) {
		f->progress_differs = text_differs(f->progress, e->data);
	} else if (strcmp(e->type, "ask.created") == 0) {
		told_first_ask(f, e, data);
	}
}

static void gone_judge(struct checking *c, struct session_gone *gone)
{
	if (gone->id_len && !gone->deleted)
		check_found(c, str_make(gone->id, gone->id_len), "its row is missing");
	*gone = (struct session_gone){ 0 };
}

static void gone_tell(
	struct checking *c, struct session_gone *gone, const struct event *e)
{
	struct str id = str_first(e->session, sizeof gone->id);

	if (!str_eq(id, str_make(gone->id, gone->id_len))) {
		gone_judge(c, gone);
		memcpy(gone->id, id.at, id.len);
		gone->id_len = id.len;
	}
	if (strcmp(e->type, "session.deleted") == 0) gone->deleted = true;
}

static enum err session_event(void *ctx, const struct event *e, struct fault *why)
{
	struct check_pass *p = ctx;
	struct arena arena = { 0 };
	struct session_facts *f = table_get(&p->table, e->session);
	struct sessions_pass *own = p->own;
	enum err err = OK;

	if (f && !f->unreadable)
		facts_tell(p, f, e, &arena);
	else if (!f && e->session.len)
		gone_tell(p->c, &own->gone, e);
	check_mandate_event(&own->mandates, e);
	if (arena.failed || own->mandates.arena.failed) err = fail_memory(why);
	arena_done(&arena);
	return err;
}

/* ---- the pass ---- */

static void facts_judge(struct check_pass *p, const struct session_facts *f)
{
	const struct {
		bool differs;
		const char *what;
	} parts[] = {
		{ f->made_differs, "what it was made with (agent, token, project, "
				   "external_id, metadata)" },
		{ f->title_differs, "title" },
		{ !f->search_fits, "what it is found by" },
		{ f->callback_differs, "on_settled" },
		{ f->progress_differs, "progress" },
		{ f->status_differs, "status" },
	};

	if (f->unreadable) return;
	if (!f->told || f->deleted) {
		check_found(p->c, f->id, "%s",
			f->deleted ? "it was deleted, its row is still there"
				   : "no event tells of it");
		return;
	}
	p->c->old += f->old;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].differs)
			check_found(
				p->c, f->id, "%s: not as its events say", parts[i].what);
	if (f->open_blocking || f->open_input || f->open_approval || f->open_other ||
		f->settled)
		check_found(p->c, f->id, "its counts of asks are not those of its asks");
}

static enum err sessions_compare(struct check_pass *p, struct fault *why)
{
	struct sessions_pass *own = p->own;
	enum err e = rows_query(p->c->rows, SQL_CHECK_OPEN,
		ARGS(p->c->ws, p->from, p->to), open_row, p, why);

	own->mandates = (struct check_mandates){ 0 };
	if (!e) e = check_mandates_load(&own->mandates, p->c, p->from, p->to, why);
	if (!e) e = check_events(p->c, p->from, false, p->to, session_event, p, why);
	for (size_t i = 0; !e && i < p->len; i++)
		facts_judge(p, &CHECK_FACTS(p, struct session_facts)[i]);
	check_mandates_judge(&own->mandates);
	return e;
}

enum err check_sessions(struct checking *c, struct fault *why)
{
	struct sessions_pass own = { 0 };
	struct check_pass p = { .c = c,
		.own = &own,
		.sql = SQL_OF(RECORD_SESSIONS, RECORD_PAGE),
		.page = SESSIONS_PAGE,
		.facts = sizeof(struct session_facts),
		.row = session_row,
		.compare = sessions_compare };
	enum err e = check_pages(&p, why);

	if (!e) gone_judge(c, &own.gone);
	return e;
}
