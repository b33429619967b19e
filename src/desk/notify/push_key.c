/* push_key.c - the public half of the key that push services know this server by. */
#include "desk/notify/contacts.h"

#include "base/hash.h"
#include "desk/notify/notify_fill.h"

static enum err push_key_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	uint8_t key[P256_PRIVATE_SIZE], public[P256_PUBLIC_SIZE];
	struct buf text = { .max = 256 };
	struct str kept;
	enum err e = desk_may(&job->who, role_may(job->who.role, MAY_READ_ALL), why);

	if (!e) e = channel_on(task_of(job), DELIVERY_PUSH, why);
	if (!e) e = fill_server_key(rows, STR(PUSH_KEY), &kept, why);
	if (e) return e;
	p256_private_from((const uint8_t *)kept.at, key);
	if (!p256_public(key, public)) return fail_memory(why);
	base64url_write(&text, str_make((const char *)public, sizeof public));
	jw_object(&w);
	jw_put_str(&w, "key", buf_str(&text));
	jw_object_end(&w);
	buf_done(&text);
	return OK;
}

const struct use use_push_key = READS("push_key", 0, 0, push_key_read, NULL);
