/* mute.c - the contact that a link in a mail mutes: found by a token that only we can write. */
#include "core/notify/mail_token.h"
#include "desk/notify/mail_key.h"

enum err mail_key(struct rows *rows, struct str *out, struct fault *why)
{
	const struct server_key *k;
	enum err e = desk_find_key(rows, STR("mail"), &k, why);

	if (!e) *out = k ? k->value : STR_NONE;
	return e;
}

static enum err mute_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct contact *c = NULL;
	char id[ID_SIZE];
	struct str key;
	enum err e = mail_key(rows, &key, why);

	if (!e && key.len && mail_token_read(key, "con", t->id, id)) {
		e = rows_first(
			rows, RECORD_CONTACTS, SQL_CONTACT_ANYWHERE, ARGS(id), &c, why);
	}
	if (e) return e;
	if (!c) return fail(why, ERR_NOT_FOUND, "there is nothing here");
	t->id = c->id;
	t->within = c->user.len ? c->user : c->team;
	t->found_ws = c->ws;
	buf_add(&job->out, channel_is(c->channel, CHANNEL_URL) ? c->id : c->address);
	return OK;
}

const struct use use_mute_find = READS("mute_find", 0, JOB_OPEN, mute_find_read, NULL);
