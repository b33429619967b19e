/* mail_reply.c - what a person wrote, understood: whatever it is, it is nothing, or JSON that the
 * ask's own check may still refuse. The first byte chooses the questions. */
#include "core/notify/mail_reply.h"
#include "base/utf8.h"
#include "core/ask/answer.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const asks[] = {
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"text\"}]",
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"number\"}]",
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"boolean\"}]",
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"choice\",\"other\":true,"
	"\"options\":[{\"id\":\"a\",\"label\":\"One, two\"},{\"id\":\"2\",\"label\":\"3\"}]}]",
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"choices\",\"other\":true,"
	"\"options\":[{\"id\":\"a\",\"label\":\"One, two\"},{\"id\":\"b\",\"label\":\"B\"}]}]",
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"approval\"}]",
	"[{\"key\":\"q\",\"text\":\"?\",\"type\":\"text\"},"
	"{\"key\":\"Why\",\"text\":\"?\",\"type\":\"boolean\"},"
	"{\"key\":\"n\",\"text\":\"?\",\"type\":\"approval\"}]",
};
enum { ASKS = sizeof asks / sizeof *asks };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	const struct json *questions = NULL, *body = NULL;
	struct ask_parts parts = { 0 };
	struct fault why = { 0 };
	struct mail_meaning m;
	struct answer answer;
	struct str text;

	/* mail_read leaves no NUL in a text. */
	if (!size || memchr(data + 1, 0, size - 1)) return 0;
	text = mail_reply_text(str_make((const char *)data + 1, size - 1));
	assert(text.len < size);
	if (!json_read(str_of(asks[data[0] % ASKS]), NULL, &arena, &questions, &why) &&
		!questions_load(questions, &arena, &parts.questions, &parts.questions_len,
			&why) &&
		mail_reply_read(text, &parts, &arena, &m) &&
		m.verb != MAIL_MEANS_NOTHING && utf8_valid(text)) {
		assert(json_read(m.body, NULL, &arena, &body, &why) == OK);
		if (m.verb == MAIL_MEANS_ANSWER)
			answer_check(parts.questions, parts.questions_len, body, &arena,
				&answer, &why);
	}
	arena_done(&arena);
	return 0;
}
