/* mail.c - a message that anybody may send: its text is UTF-8 and bounded, its author is one
 * address, and reading it again gives the same. */
#include "base/utf8.h"
#include "core/notify/mail_read.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str raw = str_make((const char *)data, size);
	struct arena arena = { 0 };
	struct mail_in m;

	if (mail_read(raw, &arena, &m) == MAIL_READ) {
		assert(utf8_valid(m.text) && m.text.len <= 4 * MAIL_IN_MAX);
		assert(!m.text.len || !memchr(m.text.at, 0, m.text.len));
		assert(!m.from.len || str_find(m.from, STR("@")) > 0);
		mail_vouched(&m, STR("mx.example.org"), &arena);
	}
	arena_done(&arena);
	return 0;
}
