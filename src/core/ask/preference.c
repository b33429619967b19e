/* preference.c - which preferred answer is for a question, and its JSON. */
#include "core/ask/preference.h"

#include "core/shared/show.h"

bool preference_fits(const struct preference *p, const struct question *q,
	struct str project, struct str user)
{
	return (str_eq(p->question, q->key) || str_eq(p->question, q->text)) &&
	       (!p->owner.len || str_eq(p->owner, user)) &&
	       (!p->project.len || str_eq(p->project, project));
}

/* A person's for one project is nearer than their own for all. */
static int nearness(const struct preference *p)
{
	return (p->owner.len ? 2 : 0) + (p->project.len ? 1 : 0);
}

bool preference_is_nearer(const struct preference *p, const struct preference *than)
{
	return !than || nearness(p) > nearness(than);
}

/* person, project, workspace */
static const char *preference_scope(const struct preference *p)
{
	return p->owner.len ? "person" : p->project.len ? "project" : "workspace";
}

void preference_write(struct json_writer *w, const struct preference *p)
{
	jw_object(w);
	jw_put_str(w, "id", p->id);
	jw_put_text(w, "scope", preference_scope(p));
	show_text(w, "project", p->project);
	jw_put_str(w, "question", p->question);
	show_json(w, "value", p->value);
	show_json(w, "made_by", p->made_by);
	show_time(w, "created_at", p->created_ms);
	jw_put_int(w, "version", p->version);
	jw_object_end(w);
}
