/* mail_route.c - POST /v1/in/mail: a message that the mail server of this machine hands over, by way
 * of `parley mail-in`. Taking it waits for the store, so it is done in the pool. */
#include "channel/mail/mail.h"

#include "base/hash.h"
#include "base/json_pattern.h"
#include "base/log.h"
#include "base/mem.h"
#include "desk/mail_in.h"
#include "serve/pool_work.h"

enum { MAILS_AT_ONCE = 2 };

struct mail_receiving {
	int mails; /* in the pool */
};

struct mail_taking {
	struct pool_work work; /* first */
	struct request *request;
	struct buf message;
	struct str recipient;
	enum mail_outcome outcome;
	enum err err;
	struct fault why;
};

static struct mail_receiving *mail_receiving(const struct request *r)
{
	return serve_state(r->serve, &mail_receiver);
}

static void mail_take(struct pool_work *work)
{
	struct mail_taking *m = (struct mail_taking *)work;

	m->err = mail_in_receive(m->request->serve->desk, buf_str(&m->message),
		m->recipient, &m->outcome, &m->why);
}

static void mail_reply(struct mail_taking *m)
{
	struct request *r = m->request;
	struct json_writer w = { .out = &r->task.job.out };

	if (m->err) {
		request_refuse(r, m->err, "%s", m->why.detail);
		return;
	}
	buf_clear(&r->task.job.out);
	JW(&w, "{'outcome':%s}", str_of(mail_outcome_name(m->outcome)));
	request_reply(r, STR_NONE);
}

static void mail_taken(struct pool_work *work, bool ran)
{
	struct mail_taking *m = (struct mail_taking *)work;

	if (!ran) m->err = fail(&m->why, ERR_UNAVAILABLE, "no thread");
	mail_receiving(m->request)->mails--;
	if (!m->err) log_line(LOG_INFO, "mail: %s", mail_outcome_name(m->outcome));
	if (m->request->x)
		mail_reply(m);
	else
		request_free(m->request);
	buf_done(&m->message);
	mem_free(m);
}

static void mail_begin(struct request *r)
{
	struct mail_taking *m;

	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	if (mail_receiving(r)->mails >= MAILS_AT_ONCE) {
		r->task.job.why.retry_after_s = 1;
		request_refuse(r, ERR_RATE, "too many mails at once");
		return;
	}
	m = mem_alloc(sizeof *m);
	if (!m) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	m->work.run = mail_take;
	m->work.back = mail_taken;
	m->request = r;
	m->recipient = json_text(json_get(r->task.body, "recipient"));
	if (!base64_read(json_text(json_get(r->task.body, "message")), &m->message)) {
		buf_done(&m->message);
		mem_free(m);
		request_refuse(r, ERR_INVALID, "message must be base64");
		return;
	}
	mail_receiving(r)->mails++;
	pool_work_start(r->serve, &m->work);
}

static void mail_run(struct request *r)
{
	request_put(r, r->route->use, mail_begin);
}

static bool mail_open(struct serve *s, void **state)
{
	(void)s;
	*state = mem_alloc(sizeof(struct mail_receiving));
	return *state;
}

static const struct route mail_routes[] = {
	{ "POST", "/v1/in/mail", &use_mail_in, mail_run, BODY_JSON, "" },
	{ "GET", "/u/{id}", &use_mute_find, mail_mute, ROUTE_OPEN | ROUTE_ANYWHERE,
		NULL },
	{ "POST", "/u/{id}", &use_mute_find, mail_mute, ROUTE_OPEN | ROUTE_ANYWHERE,
		NULL },
	{ 0 },
};

const struct receiver mail_receiver = {
	.routes = mail_routes,
	.open = mail_open,
	.free = mem_free,
};
