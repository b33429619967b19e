/* subscription.c - push subscriptions: what is taken can be read back and encrypted for. */
#include "core/notify/contact.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct contact_body body;
	struct webpush_keys keys = { .once = { 1 } };
	const struct json *json;
	struct buf out = { 0 };

	if (json_read(text, NULL, &arena, &json, NULL) == OK &&
		contact_body_read(json, false, &body, &why) == OK &&
		body.channel == DELIVERY_PUSH) {
		assert(str_eq(body.address, body.subscription.endpoint));
		assert(subscription_keys(
			subscription_detail(&body.subscription, &arena), &arena, &keys));
		assert(webpush_seal(&keys, STR("hello"), 512, &out));
	}
	buf_done(&out);
	arena_done(&arena);
	return 0;
}
