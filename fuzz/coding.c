/* coding.c - a line of Accept-Encoding: what is chosen was offered and is named there, in any case of
 * letters; behind the line a text, which either form holds in the room it is given. */
#include "net/coding.h"

#include <assert.h>
#include <ctype.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(struct coding_choice a, struct coding_choice b)
{
	return a.coding == b.coding && a.plain_refused == b.plain_refused;
}

static struct str loud(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++)
		buf_add_char(out, (char)toupper((unsigned char)text.at[i]));
	return buf_str(out);
}

static void choice_check(struct str accept)
{
	struct buf upper = { 0 }, name = { 0 };
	struct str text = loud(accept, &upper);

	for (enum coding best = CODING_PLAIN; best < CODINGS; best++) {
		struct coding_choice c = coding_choose(accept, best);

		assert(c.coding <= best && same(c, coding_choose(text, best)));
		if (c.coding == CODING_PLAIN) {
			assert(!c.plain_refused);
			continue;
		}
		buf_clear(&name);
		assert(str_find(text, loud(str_of(coding_name(c.coding)), &name)) >= 0 ||
			str_find(accept, STR("*")) >= 0);
	}
	buf_done(&upper);
	buf_done(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size), accept = STR_NONE;
	struct coder *c = coder_new();

	str_cut(&text, '\n', &accept);
	choice_check(accept);
	for (enum coding i = CODING_GZIP; i < CODINGS; i++) {
		struct buf out = { 0 };

		assert(coder_write(c, i, text, &out) == (out.len > 0));
		assert(out.len <= text.len + 64);
		buf_done(&out);
	}
	coder_free(c);
	return 0;
}
