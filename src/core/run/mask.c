/* mask.c - takes secrets out of text. */
#include "core/run/mask.h"

#include "core/run/provider.h"

/* The longest secret that begins here: one may be the beginning of another. */
static const struct str *secret_at(struct str text, const struct str *secrets, size_t len)
{
	const struct str *best = NULL;

	for (size_t i = 0; i < len; i++)
		if (secrets[i].len >= MASK_MIN && secrets[i].len <= text.len &&
			memcmp(text.at, secrets[i].at, secrets[i].len) == 0 &&
			(!best || secrets[i].len > best->len))
			best = &secrets[i];
	return best;
}

void mask_text(struct buf *out, struct str text, const struct str *secrets, size_t len)
{
	while (text.len > 0) {
		const struct str *found = secret_at(text, secrets, len);
		struct str last4 = found ? provider_key_last4(*found) : STR_NONE;

		if (!found)
			buf_add_char(out, text.at[0]);
		else if (last4.len)
			buf_print(out, "[secret …%.*s]", STR_ARGS(last4));
		else
			buf_add_text(out, "[secret]");
		text = str_from(text, found ? found->len : 1);
	}
}
