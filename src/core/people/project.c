/* project.c - which project something belongs to: what was said, what its session has, what the
 * token is bound to. */
#include "core/people/project.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "core/shared/glob.h"

static bool name_fine(struct str name)
{
	return utf8_valid(name) && !text_blank(name) && text_one_line(name) &&
	       !text_longer(name, PROJECT_MAX);
}

enum err project_check(struct str name, const char *pointer, struct fault *why)
{
	return name_fine(name) ? OK
			       : fail_at(why, pointer, "one line of 1 to %d characters",
					 PROJECT_MAX);
}

enum err project_bound_read(const struct json *patterns, const char *pointer,
	struct arena *arena, struct str *out, struct fault *why)
{
	struct buf b = { 0 };
	bool fine = json_is(patterns, JSON_ARRAY) && patterns->count &&
		    patterns->count <= TOKEN_PROJECTS_MAX;

	for (uint32_t i = 0; fine && i < patterns->count; i++) {
		struct str pattern = json_text(&patterns->items[i]);

		fine = name_fine(pattern);
		if (i) buf_add_char(&b, '\n');
		buf_add(&b, pattern);
	}
	*out = buf_keep_done(&b, arena);
	return fine ? OK
		    : fail_at(why, pointer,
			      "1 to %d names or patterns, each one line of 1 to %d characters",
			      TOKEN_PROJECTS_MAX, PROJECT_MAX);
}

void project_bound_write(struct json_writer *w, struct str bound)
{
	struct str one;

	if (!bound.len) {
		jw_null(w);
		return;
	}
	jw_array(w);
	while (str_cut(&bound, '\n', &one))
		jw_str(w, one);
	jw_array_end(w);
}

static bool bound_covers(struct str bound, struct str project)
{
	struct str one;

	while (str_cut(&bound, '\n', &one))
		if (glob_fits(one, project)) return true;
	return false;
}

enum err project_admit(struct str bound, struct str project, struct fault *why)
{
	if (!bound.len || !project.len || bound_covers(bound, project)) return OK;
	return fail(why, ERR_PROJECT, "this token is not for the project %.*s",
		STR_ARGS(str_first(project, PROJECT_MAX)));
}

/* It is bound to a single name, which is no pattern. */
static bool bound_is_plain(struct str bound)
{
	return bound.len && str_find(bound, STR("\n")) < 0 &&
	       str_find(bound, STR("*")) < 0 && str_find(bound, STR("?")) < 0;
}

enum err project_choose(const struct project_said *said, struct str bound,
	struct str kept, struct str *out, struct fault *why)
{
	enum err e = project_admit(bound, said->name.len ? said->name : kept, why);

	if (e) return e;
	if (kept.len && said->name.len && !str_eq(kept, said->name))
		return fail_at(why, "/project", "its session belongs to the project %.*s",
			STR_ARGS(str_first(kept, PROJECT_MAX)));
	if (kept.len || said->name.len) {
		*out = kept.len ? kept : said->name;
		return OK;
	}
	if (!bound.len || (said->work_tree.len && bound_covers(bound, said->work_tree))) {
		*out = said->work_tree;
		return OK;
	}
	if (!bound_is_plain(bound))
		return fail_at(
			why, "/project", "required: this token is for several projects");
	*out = bound;
	return OK;
}
