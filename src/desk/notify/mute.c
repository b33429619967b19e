/* mute.c - the contact that a link in a mail mutes: found by a token that only we can write. */
#include "core/notify/mail_token.h"
#include "desk/notify/contacts.h"
#include "desk/notify/mail_key.h"

struct key_row {
	struct arena *arena;
	struct server_key key;
};

static enum err key_row(void *ctx, const struct row *row, struct fault *why)
{
	struct key_row *r = ctx;

	return record_read(&records[RECORD_SERVER_KEYS], row, r->arena, &r->key, why);
}

enum err mail_key(
	struct rows *rows, struct arena *arena, struct str *out, struct fault *why)
{
	const struct val args[] = { val_text(STR("mail")) };
	struct key_row r = { .arena = arena };
	enum err e = rows_query(
		rows, SQL_OF(RECORD_SERVER_KEYS, RECORD_GET), args, 1, key_row, &r, why);

	*out = r.key.value;
	return e;
}

struct mute_row {
	struct arena *arena;
	struct contact contact;
	bool found;
};

static enum err contact_row(void *ctx, const struct row *row, struct fault *why)
{
	struct mute_row *r = ctx;

	r->found = true;
	return record_read(&records[RECORD_CONTACTS], row, r->arena, &r->contact, why);
}

static enum err mute_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct mute_row r = { .arena = &job->arena };
	char id[ID_SIZE];
	struct str key;
	enum err e = mail_key(rows, &job->arena, &key, why);

	if (!e && key.len && mail_token_read(key, "con", t->id, id)) {
		const struct val args[] = { val_text(str_of(id)) };

		e = rows_query(rows, SQL_CONTACT_ANYWHERE, args, 1, contact_row, &r, why);
	}
	if (e) return e;
	if (!r.found) return fail(why, ERR_NOT_FOUND, "there is nothing here");
	t->id = r.contact.id;
	t->within = r.contact.user.len ? r.contact.user : r.contact.team;
	t->found_ws = r.contact.ws;
	buf_add(&job->out,
		r.contact.channel == DELIVERY_WEBHOOK ? r.contact.id : r.contact.address);
	return OK;
}

const struct use use_mute_find = READS("mute_find", 0, JOB_OPEN, mute_find_read, NULL);
