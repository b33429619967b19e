/* command.c - the command lines of resumers, up to the first line end, and behind it what
 * a session brings: words written out with quotes read as the same words, every value
 * stands inside one of them, and none makes an option of it. */
#include "base/buf.h"
#include "core/delivery/resumer.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void word_quote(struct buf *out, struct str word)
{
	buf_add_text(out, " '");
	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, word.at[i]);
	buf_add_char(out, '\'');
}

static void words_check(const struct resumer *r, struct arena *arena)
{
	struct resumer again;
	struct buf line = { 0 };

	assert(r->len >= 1 && r->len <= RESUMER_WORDS_MAX);
	for (size_t i = 0; i < r->len; i++)
		word_quote(&line, r->words[i]);
	assert(resumer_read(buf_str(&line), COMMAND_RESUMES, arena, &again, NULL) == OK);
	assert(again.len == r->len);
	for (size_t i = 0; i < r->len; i++)
		assert(str_eq(again.words[i], r->words[i]));
	buf_done(&line);
}

static void values_check(const struct resumer *r, struct str value, struct arena *arena)
{
	const struct resumer_values values = { value, value, value, value, value };
	char **argv = NULL;
	size_t len = 0;

	if (resumer_fill(r, &values, arena, &argv, NULL)) return;
	while (argv[len])
		len++;
	assert(len == r->len);
	assert(str_is(r->words[0], argv[0]));
	for (size_t i = 0; i < len; i++)
		assert(argv[i][0] != '-' || str_starts(r->words[i], "-"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), line = STR_NONE;
	struct arena arena = { 0 };
	struct resumer r = { .len = 7 };

	if (memchr(data, '\0', size)) return 0; /* no setting and no value holds one */
	str_cut(&rest, '\n', &line);
	if (resumer_read(line, COMMAND_RESUMES, &arena, &r, NULL) == OK) {
		words_check(&r, &arena);
		values_check(&r, rest, &arena);
	} else {
		assert(r.len == 7); /* untouched on failure */
	}
	arena_done(&arena);
	return 0;
}
