/* slack_lookup.c - POST …/contacts/lookup: the Slack account that has a person's e-mail address, as
 * users.lookupByEmail says. Nothing is kept of it, and it proves nothing: a contact with that id is
 * verified by a code, as any other. */
#include "channel/slack/slack_in.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/url_text.h"
#include "channel/slack/slack_call.h"
#include "core/notify/contact.h"

enum { LOOKUPS_AT_ONCE = 2 };

#define PASTE_INSTEAD                                                                    \
	"enter the Slack member ID instead (in Slack: Profile, ⋮, Copy member ID)"

static struct str lookup_email(const struct request *r)
{
	return ((const struct contact_lookup *)r->task.checked)->email;
}

static struct str lookup_form(struct str email, struct arena *arena)
{
	struct buf out = { .max = 1024 };

	buf_add_text(&out, "email=");
	url_add(&out, email);
	return buf_keep_done(&out, arena);
}

static void lookup_failed(struct request *r, const struct fault *why)
{
	struct str error = str_of(why->detail);

	if (str_is(error, "users_not_found"))
		request_refuse(r, ERR_NOT_FOUND,
			"Slack has no account with the e-mail address %.*s; " PASTE_INSTEAD,
			STR_ARGS(str_first(lookup_email(r), 80)));
	else if (str_is(error, "missing_scope"))
		request_refuse(r, ERR_CHANNEL_OFF,
			"the Slack app lacks the scope users:read.email; " PASTE_INSTEAD);
	else if (str_is(error, "ratelimited")) {
		r->task.job.why.retry_after_s = why->retry_after_s;
		request_refuse(r, ERR_RATE, "Slack was asked too often; try again later");
	} else
		request_refuse(r, ERR_UNAVAILABLE,
			"Slack cannot look up the account: %s; " PASTE_INSTEAD,
			why->detail);
}

/* What the account is called, as Slack shows it. */
static struct str account_name(const struct json *user)
{
	const struct json *profile = json_get(user, "profile");
	struct str name = json_text_of(profile, "display_name");

	if (!name.len) name = json_text_of(profile, "real_name");
	return name.len ? name : json_text_of(user, "name");
}

static void lookup_done(struct slack_post *p)
{
	struct request *r = p->request;
	const struct json *user = json_get(p->said, "user");
	struct json_writer w = { .out = &r->task.job.out };

	slack_of(r->serve)->lookups--;
	if (!r->x) {
		request_free(r);
		return;
	}
	if (p->err) {
		lookup_failed(r, &p->why);
		return;
	}
	buf_clear(&r->task.job.out);
	JW(&w, "{'channel':'slack','address':%s,'name':%s,'email':%s}",
		json_text_of(user, "id"), account_name(user), lookup_email(r));
	request_reply(r, STR_NONE);
}

/* The e-mail address is known. */
static void lookup_begin(struct request *r)
{
	struct slack_post *p;

	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	if (slack_of(r->serve)->lookups >= LOOKUPS_AT_ONCE) {
		r->task.job.why.retry_after_s = 1;
		request_refuse(r, ERR_RATE, "too many accounts are being looked up");
		return;
	}
	p = slack_post_new(r->serve, STR("users.lookupByEmail"),
		lookup_form(lookup_email(r), &r->task.job.arena));
	if (!p) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	p->call.form = true;
	p->request = r;
	p->then = lookup_done;
	slack_of(r->serve)->lookups++;
	slack_post_start(r->serve, p);
}

void slack_lookup(struct request *r)
{
	request_put(r, r->route->use, lookup_begin);
}
