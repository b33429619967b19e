/* slack_signature.c - checks Slack's v0 signatures: HMAC-SHA256 over "v0:TIME:BODY". */
#include "channel/slack/slack_signature.h"

#include "base/buf.h"
#include "base/hash.h"

bool slack_signed(struct str secret, struct str timestamp, struct str signature,
	struct str body, int64_t now_s)
{
	struct buf text = { 0 };
	uint8_t mac[SHA256_SIZE];
	char expected[3 + SHA256_HEX_SIZE] = "v0=";
	int64_t at_s;
	bool ok;

	if (!secret.len || !str_to_int(timestamp, 0, INT64_MAX / 2, &at_s) ||
		at_s < now_s - SLACK_SKEW_S || at_s > now_s + SLACK_SKEW_S)
		return false;
	buf_add_text(&text, "v0:");
	buf_add(&text, timestamp);
	buf_add_char(&text, ':');
	buf_add(&text, body);
	hmac_sha256(secret, buf_str(&text), mac);
	hex_write(mac, sizeof mac, expected + 3);
	ok = !text.failed && same_secret(str_of(expected), signature);
	buf_done(&text);
	return ok;
}
