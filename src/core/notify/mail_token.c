/* mail_token.c - writes and checks the tokens of mail. */
#include "core/notify/mail_token.h"

#include <stdio.h>

#include "base/hash.h"

enum { ID_PART = 26, MAC_PART = 24, MAC_BYTES = 15 };
_Static_assert(ID_PART + MAC_PART == MAIL_TOKEN_LEN, "both parts");

static void base32_write(const uint8_t bytes[MAC_BYTES], char out[MAC_PART])
{
	static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

	for (int i = 0; i < MAC_PART; i++) {
		int bit = i * 5, at = bit / 8, left = 16 - bit % 8 - 5;
		unsigned pair = (unsigned)bytes[at] << 8 |
				(at + 1 < MAC_BYTES ? bytes[at + 1] : 0u);

		out[i] = alphabet[pair >> left & 31];
	}
}

void mail_token_write(struct str key, struct str id, char out[MAIL_TOKEN_SIZE])
{
	uint8_t mac[SHA256_SIZE];
	char text[ID_SIZE + 8];

	/* The prefix of the id is hashed, too: a token for a reply is no token for a mute. */
	snprintf(text, sizeof text, "mail/%.*s", (int)(id.len < 31 ? id.len : 31), id.at);
	hmac_sha256(key, str_of(text), mac);
	memset(out, 0, MAIL_TOKEN_SIZE);
	if (id.len < ID_PART) return;
	memcpy(out, id.at + id.len - ID_PART, ID_PART);
	base32_write(mac, out + ID_PART);
}

bool mail_token_read(
	struct str key, const char *prefix, struct str token, char id[ID_SIZE])
{
	char small[MAIL_TOKEN_SIZE] = "", right[MAIL_TOKEN_SIZE];

	if (token.len != MAIL_TOKEN_LEN) return false;
	for (size_t i = 0; i < token.len; i++) {
		char c = token.at[i];

		small[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	snprintf(id, ID_SIZE, "%s_%.*s", prefix, ID_PART, small);
	if (!id_valid(str_of(id), prefix)) return false;
	mail_token_write(key, str_of(id), right);
	return same_secret(str_of(right), str_make(small, MAIL_TOKEN_LEN));
}

struct str mail_token_find(struct str reply, struct str address)
{
	const struct str mark = STR("{token}");
	int at = str_find(reply, mark);
	struct str head, tail;

	if (at < 0) return STR_NONE;
	head = str_first(reply, (size_t)at);
	tail = str_from(reply, (size_t)at + mark.len);
	if (address.len != head.len + MAIL_TOKEN_LEN + tail.len ||
		!str_eq_nocase(head, str_first(address, head.len)) ||
		!str_eq_nocase(tail, str_from(address, head.len + MAIL_TOKEN_LEN)))
		return STR_NONE;
	return str_first(str_from(address, head.len), MAIL_TOKEN_LEN);
}
