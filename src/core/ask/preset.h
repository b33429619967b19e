/* preset.h - what admins keep for agents to ask with: templates of asks, and lists of options.
 *
 * A template is an ask with `{{name}}` in its texts. A value becomes text in the string it stands
 * in, never structure, and is not looked at again: members, items and types of what is asked
 * are the template's. */
#ifndef CORE_PRESET_H
#define CORE_PRESET_H

#include "base/str.h"
#include "core/shared/body.h"
#include "core/shared/digest.h"

enum {
	PRESETS_MAX = 200, /* of each kind */
	PRESET_NAME_MAX = 40,
	PRESET_BYTES_MAX = 65536,
	TEMPLATE_VALUES_MAX = 20,
	TEMPLATE_VALUE_MAX = 2000, /* characters, where the template says nothing */
	TEMPLATE_EXPANDED_MAX = 1 << 20,
};

enum preset_kind { PRESET_TEMPLATE, PRESET_LIST };

/* Strings are borrowed. */
struct preset_record {
	int64_t ws;
	struct str kind; /* template, list */
	struct str name;
	struct str body;       /* JSON object: {ask, values} or {items} */
	struct str changed_by; /* JSON object, as answered_by */
	int64_t changed_ms;
	int64_t version;
};

const char *preset_kind_name(enum preset_kind);
bool preset_name_valid(struct str); /* 1 to 40 of a-z, 0-9 and - */

/* The body of a PUT, checked, into `out` as it is kept; *version: the one it was read in, 0:
 * none. A `name` in it must be this one. */
enum err preset_read(enum preset_kind, struct str name, const struct json *body,
	struct arena *, struct str *out, int64_t *version, struct fault *why);
void preset_show(struct json_writer *, const struct preset_record *);
/* {name, description, values}: what an agent needs to ask with a template. Its title, or what it
 * asks, describes it. */
enum err preset_show_short(struct json_writer *, const struct preset_record *,
	struct arena *, struct fault *why);
/* What its event names it by. */
void preset_digest(const struct preset_record *, char out[SHORT_DIGEST_SIZE]);

/* Does this body ask with a template, or with options of a list? */
bool preset_asked(const struct json *body);
/* The preset's body into *out; NULL: there is none. */
typedef enum err preset_find_fn(void *ctx, enum preset_kind, struct str name,
	const struct json **out, struct fault *why);
/* The ask that a body means: its template's members but for those it brings itself, values in
 * their places, options in the place of lists. The result is an ordinary body of an ask. */
enum err preset_expand(const struct json *body, preset_find_fn *find, void *ctx,
	struct arena *, const struct json **out, struct fault *why);

/* The next `{{name}}` of a text: what stands before it, its name, and the rest. False: there is
 * none any more, and `before` is all that is left. Braces around anything else are text. */
bool preset_placeholder_next(struct str *rest, struct str *before, struct str *name);

#endif
