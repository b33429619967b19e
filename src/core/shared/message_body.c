/* message_body.c - reads a message to an agent. */
#include "core/shared/message_body.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"

enum { B_CONTENT, B_AGENT, B_LANG, B_WHEN, B_LIMITS, B_QUEUE, B_LEN };

static const struct str names[B_LEN] = {
	[B_CONTENT] = STR("content"),
	[B_AGENT] = STR("agent"),
	[B_LANG] = STR("lang"),
	[B_WHEN] = STR("when"),
	[B_LIMITS] = STR("limits"),
	[B_QUEUE] = STR("queue"),
};
static const struct members members = { names, B_LEN };

static int word_read(struct check *c, const struct json_place *root, int member,
	const struct json *value, const char *const *words, size_t len, const char *said)
{
	int i = value ? name_find(words, len, json_text(value)) : 0;

	if (i < 0) wrong_member(c, root, names[member], "%s", said);
	return i;
}

enum err message_body_read(const struct json *body, struct say *out, struct fault *why)
{
	static const char *const languages[] = { "en", "fr" }, *const when[] = { "next",
		"now" };
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct say s = { .queue = true };
	const struct json *m[B_LEN];

	if (members_read(&c, &root, body, &members, NULL, m)) {
		s.content = text_read(&c, &root, names[B_CONTENT], m[B_CONTENT], SAY_MAX,
			TEXT_FILLED | TEXT_NEEDED);
		s.agent = text_read(&c, &root, names[B_AGENT], m[B_AGENT], 100,
			TEXT_LINE | TEXT_FILLED);
		word_read(&c, &root, B_LANG, m[B_LANG], languages, 2, "en or fr");
		s.language = json_text(m[B_LANG]);
		s.now = word_read(&c, &root, B_WHEN, m[B_WHEN], when, 2, "next or now") >
			0;
		s.limits = m[B_LIMITS];
		s.queue = flag_read(&c, &root, names[B_QUEUE], m[B_QUEUE], true);
	}
	enum err e = check_end(&c, NULL);
	if (!e) *out = s;
	return e;
}

struct str message_title(struct str content, struct arena *arena)
{
	struct str rest = str_trim(content), line;
	struct buf b = { .max = 4096 };

	str_cut(&rest, '\n', &line);
	text_flatten(&b, utf8_first(str_trim(line), SAY_TITLE));
	return buf_keep_done(&b, arena);
}
