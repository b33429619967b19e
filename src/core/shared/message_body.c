/* message_body.c - reads a message to an agent. */
#include "core/shared/message_body.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/shape.h"

bool message_language_valid(struct str name)
{
	return str_is(name, "en") || str_is(name, "fr");
}

static const char *const whens[] = { "next", "now" };

static const struct shape_member say_members[] = {
	{ STR("content"), OF_TEXT, AT(say, content), 1, SAY_MAX,
		TEXT_FILLED | TEXT_NEEDED },
	{ STR("agent"), OF_TEXT, AT(say, agent), 1, 100, TEXT_LINE | TEXT_FILLED },
	{ STR("lang"), OF_NAME, AT(say, language), .must = LANGUAGE_MUST,
		.fits = message_language_valid },
	{ STR("when"), OF_EITHER, AT(say, now), .must = "next or now", WORDS(whens) },
	{ STR("limits"), OF_JSON, AT(say, limits) },
	{ STR("queue"), OF_BOOL, AT(say, queue), .otherwise = true },
};
/* As MessageRequest in openapi.json. */
static const struct shape say_shape = { SHAPE(say_members, say) };

enum err message_body_read(const struct json *body, struct say *out, struct fault *why)
{
	struct say s = { 0 };
	enum err e = shape_take(&say_shape, body, NULL, NULL, &s, why);

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
