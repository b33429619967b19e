/* subscription.c - push subscriptions read, kept and read back. */
#include "core/notify/contact.h"

#include "base/hash.h"
#include "core/shared/address.h"

enum { ENDPOINT_MAX = 2000 };

/* Browsers write base64url without padding; some libraries add it. */
static bool key_read(struct str text, uint8_t *out, size_t len)
{
	struct buf b = { .max = 256 };
	bool ok;

	while (text.len && text.at[text.len - 1] == '=')
		text.len--;
	ok = text.len < 128 && base64url_read(text, &b) && b.len == len;
	if (ok) memcpy(out, b.at, len);
	buf_done(&b);
	return ok;
}

static bool keys_read(struct str p256dh, struct str auth, struct webpush_keys *out)
{
	return key_read(p256dh, out->browser, sizeof out->browser) &&
	       p256_public_valid(out->browser) &&
	       key_read(auth, out->auth, sizeof out->auth);
}

void subscription_read(struct check *c, const struct json_place *parent,
	const struct json *json, struct subscription *out)
{
	const struct json_place at = place_member(parent, STR("subscription"));
	const struct json *keys = json_get(json, "keys");
	struct webpush_keys read;
	struct url url;
	struct subscription s = { json_text(json_get(json, "endpoint")),
		json_text(json_get(keys, "p256dh")), json_text(json_get(keys, "auth")) };

	if (!json_is(json, JSON_OBJECT)) {
		wrong(c, &at, "must be the browser's push subscription");
		return;
	}
	if (s.endpoint.len > ENDPOINT_MAX || !url_split(s.endpoint, &url))
		wrong_member(c, &at, STR("endpoint"), "must be a URL");
	else if (!keys_read(s.p256dh, s.auth, &read))
		wrong_member(c, &at, STR("keys"), "must be the browser's two keys");
	*out = s;
}

struct str subscription_detail(const struct subscription *s, struct arena *arena)
{
	return arena_print(arena, "{\"p256dh\":\"%.*s\",\"auth\":\"%.*s\"}",
		STR_ARGS(s->p256dh), STR_ARGS(s->auth));
}

bool subscription_keys(struct str detail, struct arena *arena, struct webpush_keys *out)
{
	const struct json *json;

	return json_read(detail, NULL, arena, &json, NULL) == OK &&
	       keys_read(json_text(json_get(json, "p256dh")),
		       json_text(json_get(json, "auth")), out);
}

struct str subscription_subject(const struct settings *set)
{
	struct str s = set->push_subject.len ? set->push_subject : set->url;

	return str_starts(s, "mailto:") || str_starts(s, "https://") ? s : STR_NONE;
}
