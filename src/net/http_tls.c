/* http_tls.c - between a connection and its TLS: text to records, records to text. */
#include "net/http_conn.h"

#include "base/mem.h"

enum { OUT_MAX = 512 * 1024, OUT_FULL = 3 * TLS_RECORD };

struct sealing *sealing_new(void)
{
	struct sealing *s = mem_alloc(sizeof *s);

	if (s) s->out.max = OUT_MAX;
	return s;
}

void sealing_free(struct sealing *s)
{
	if (!s) return;
	buf_done(&s->out);
	mem_free(s);
}

bool conn_secure(struct conn *c)
{
	c->phase = CONN_SHAKING;
	c->tls = tls_new(c->server->tls, &c->server->hub->sealing->out);
	if (!c->tls) return false;
	tick_set(c->server->loop, &c->tick, c->server->limits.send_ms);
	return true;
}

/* ---- text to records ---- */

/* Passes the records on. */
static bool conn_pass(struct conn *c)
{
	struct buf *out = &c->server->hub->sealing->out;
	struct str records = buf_str(out);
	bool ok = !out->failed && (records.len == 0 || conn_put(c, &records, 1));

	buf_clear(out);
	return ok;
}

static bool conn_seal_record(struct conn *c, size_t len)
{
	struct sealing *s = c->server->hub->sealing;

	if (len == 0) return true;
	return tls_write(c->tls, str_make(s->goes, len)) &&
	       (s->out.len < OUT_FULL || conn_pass(c));
}

/* The parts are gathered, so that a small reply is one record. */
bool conn_seal(struct conn *c, const struct str *parts, size_t n)
{
	char *goes = c->server->hub->sealing->goes;
	size_t len = 0;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		struct str part = parts[i];

		while (ok && part.len > 0) {
			struct str some = str_first(part, TLS_RECORD - len);

			memcpy(goes + len, some.at, some.len);
			len += some.len;
			part = str_from(part, some.len);
			if (len < TLS_RECORD) break;
			ok = conn_seal_record(c, len);
			len = 0;
		}
	}
	ok = ok && conn_seal_record(c, len);
	return conn_pass(c) && ok;
}

bool conn_bid_farewell(struct conn *c)
{
	bool said = tls_close(c->tls);

	if (conn_pass(c)) return said;
	conn_cut(c);
	return false;
}

/* ---- records to text ---- */

/* Who does not speak TLS as we want it is told why, if there is something to tell. */
static void conn_break(struct conn *c)
{
	if (c->phase > CONN_READING) {
		conn_cut(c);
		return;
	}
	c->keep_alive = false;
	conn_over(c);
}

/* What TLS itself has to say. After the handshake that is an answer to mischief, such as
 * a wish to negotiate again: who makes it talk and does not read is cut. */
static bool conn_pass_own(struct conn *c)
{
	bool idle_talk = c->server->hub->sealing->out.len > 0 &&
			 c->phase != CONN_SHAKING && c->out;

	if (conn_pass(c) && !idle_talk) return true;
	conn_cut(c);
	return false;
}

static void conn_answer_plainly(struct conn *c)
{
	c->tls = tls_free(c->tls);
	conn_refuse(c, 400, "this port speaks TLS: begin with https://");
}

void conn_unseal(struct conn *c, struct str bytes)
{
	char *came = c->server->hub->sealing->came;
	enum tls_step step = TLS_TEXT;
	size_t len;

	tls_feed(c->tls, bytes);
	while (step == TLS_TEXT && c->phase < CONN_LINGERING) {
		step = tls_read(c->tls, came, &len);
		if (!conn_pass_own(c)) return;
		if (c->phase == CONN_SHAKING && tls_ready(c->tls)) conn_ready(c);
		switch (step) {
		case TLS_TEXT: conn_got(c, str_make(came, len)); break;
		case TLS_MORE: break;
		case TLS_END: conn_ended(c); break;
		case TLS_HTTP: conn_answer_plainly(c); break;
		case TLS_BROKEN: conn_break(c); break;
		}
	}
}
