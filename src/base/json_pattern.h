/* json_pattern.h - JSON written by a pattern that shows what it will look like:
 *
 *	JW(w, "{'type':'button','text':%s,'style':%?}", label, style);
 *
 * ' stands for a quote. The next value takes the place of %s as a string, of %? as a string unless it is
 * empty, and of %j as JSON unless it is empty; what is left out goes with its name. A pattern may open
 * what another one, or jw_object_end and its like, closes. Prefix: jw_. */
#ifndef BASE_JSON_PATTERN_H
#define BASE_JSON_PATTERN_H

#include "base/arena.h"
#include "base/json.h"

void jw_pattern(
	struct json_writer *, const char *pattern, const struct str *values, size_t len);
/* The same as a text in the arena. */
struct str jw_pattern_text(
	struct arena *, const char *pattern, const struct str *values, size_t len);

/* The values behind a pattern, and how many they are. */
#define JSON_VALUES(...)                                                                 \
	(const struct str[]){ __VA_ARGS__ __VA_OPT__(, ) STR_NONE },                     \
		sizeof((const struct str[]){ __VA_ARGS__ __VA_OPT__(, ) STR_NONE }) /    \
				sizeof(struct str) -                                     \
			1
#define JW(w, pattern, ...) jw_pattern((w), (pattern), JSON_VALUES(__VA_ARGS__))
#define JSON_TEXT(arena, pattern, ...)                                                   \
	jw_pattern_text((arena), (pattern), JSON_VALUES(__VA_ARGS__))

/* A tree as a value; NULL: an empty one. */
static inline struct str json_some(const struct json *json, struct arena *arena)
{
	return json ? json_keep(json, arena) : STR_NONE;
}

static inline struct str json_bool(bool value)
{
	return value ? STR("true") : STR("false");
}

#endif
