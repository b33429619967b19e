/* routing.c - readers that asking, extending, assigning and declining share. */
#include "base/clock.h"
#include "base/id.h"
#include "core/ask/draft.h"
#include "core/shared/body.h"

int64_t timeout_check(struct check *c, const struct json_place *at,
	const struct json *json, const struct draft_limits *limits)
{
	char min[DURATION_SIZE], max[DURATION_SIZE];
	int64_t ms;

	if (!duration_of(json, &ms)) {
		if (!json_is(json, JSON_NUMBER)) {
			wrong(c, at, "must be seconds, or a duration such as \"30m\"");
			return 0;
		}
		ms = -1;
	}
	if (ms >= limits->timeout_min_ms && ms <= limits->timeout_max_ms) return ms;
	duration_write(limits->timeout_min_ms, min);
	duration_write(limits->timeout_max_ms, max);
	wrong(c, at, "must be from %s to %s", min, max);
	return 0;
}

enum err timeout_read(const struct json *json, const char *at,
	const struct draft_limits *limits, int64_t *ms, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	int64_t read = timeout_check(&c, &spot, json, limits);
	enum err e = check_end(&c, NULL);

	if (!e) *ms = read;
	return e;
}

void assignees_check(struct check *c, const struct json_place *at,
	const struct json *json, struct arena *arena, struct str **out, size_t *len)
{
	if (json->type != JSON_ARRAY || json->count > ASSIGNEES_MAX) {
		wrong(c, at, "must be an array of at most %d ids of users and teams",
			ASSIGNEES_MAX);
		return;
	}
	struct str *ids = ARENA_ARRAY(arena, struct str, json->count);
	size_t n = 0;
	for (uint32_t i = 0; ids && i < json->count; i++) {
		struct json_place item = place_item(at, i);
		struct str id = json_text(&json->items[i]);

		if (!id_valid(id, "usr") && !id_valid(id, "team"))
			wrong(c, &item, "must be the id of a user or a team");
		else if (!text_listed(ids, n, id))
			ids[n++] = id;
	}
	*out = ids;
	*len = n;
}

enum err assignees_read(const struct json *json, const char *at, struct arena *arena,
	struct str **out, size_t *len, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	struct str *ids = NULL;
	size_t n = 0;

	assignees_check(&c, &spot, json, arena, &ids, &n);
	enum err e = check_end(&c, arena);
	if (e) return e;
	*out = ids;
	*len = n;
	return OK;
}

enum err note_read(const struct json *body, const char *name, size_t max, bool needed,
	struct str *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct str names[] = { str_of(name) };
	const struct members members = { names, 1 };
	const struct json *m[1];
	struct str text = STR_NONE;

	if (members_read(&c, &root, body, &members, NULL, m))
		text = text_read(&c, &root, names[0], m[0], max,
			needed ? TEXT_NEEDED | TEXT_FILLED : TEXT_FREE);
	enum err e = check_end(&c, NULL);
	if (!e) *out = text;
	return e;
}
