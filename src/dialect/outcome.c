/* outcome.c - how an ask came out, as every dialect needs to know it. Prefix: said_. */
#include "base/keep.h"
#include "dialect/inner.h"

size_t said_count(const struct foreign_reply *o)
{
	return o->whole->questions ? o->whole->questions->count : 0;
}

static const struct json *present(const struct json *object, const char *name)
{
	const struct json *value = json_get(object, name);

	return value && value->type != JSON_NULL ? value : NULL;
}

/* "The approval was taken back: …", or empty: it stands. */
static struct str revoked_words(const struct foreign_reply *o)
{
	static const char words[] = "The approval was taken back";
	const struct json *revoked = o->whole->revoked;
	struct str reason = json_text_of(revoked, "reason");

	if (!revoked) return STR_NONE;
	return reason.len ? arena_print(o->arena, "%s: %.*s", words, STR_ARGS(reason))
			  : str_of(words);
}

enum question_input said_input(const struct said *s)
{
	return question_kind_json(s->question)->input;
}

/* What holds now: an approval that was taken back is a rejection. */
static void said_revoke(const struct foreign_reply *o, struct said *s)
{
	static const struct json reject = { .type = JSON_STRING,
		.text = { "reject", sizeof "reject" - 1 } };
	struct str words = revoked_words(o);

	if (!words.len || said_input(s) != INPUT_DECISION) return;
	s->value = &reject;
	s->arguments = NULL;
	s->text = words;
}

struct said said_at(const struct foreign_reply *o, size_t i)
{
	const struct json *answer;
	struct said s = { 0 };

	if (i >= said_count(o)) return s;
	s.question = &o->whole->questions->items[i];
	answer = json_get_str(o->whole->answer, json_text_of(s.question, "key"));
	if (!json_is(answer, JSON_OBJECT)) return s;
	s.given = true;
	s.selected = present(answer, "selected");
	if (!json_is(s.selected, JSON_ARRAY)) s.selected = NULL;
	s.other = json_text_of(answer, "other");
	s.text = json_text_of(answer, "text");
	s.value = present(answer, "value");
	s.arguments = present(answer, "arguments");
	said_revoke(o, &s);
	return s;
}

struct choices said_choices(const struct foreign_reply *o, const struct said *s,
	const struct choices *offered)
{
	static const struct choice_names ours = { "id", "label", "description", "preview",
		false };
	struct choices own = choices_offered(o->arena, s->question, &ours);
	struct choices out = { 0 };

	if (!s->selected) return out;
	out.at = ARENA_ARRAY(o->arena, struct choice, s->selected->count + 1);
	for (uint32_t i = 0; out.at && i < s->selected->count; i++) {
		struct str id = json_text(&s->selected->items[i]);
		const struct choice *c = offered ? choice_find(offered, id) : NULL;

		if (!c) c = choice_find(&own, id);
		if (c) out.at[out.len++] = *c;
	}
	return out;
}

bool answered(const struct foreign_reply *o)
{
	return o->whole->answer != NULL;
}

struct str outcome_words(const struct foreign_reply *o)
{
	static const char *const none[] = {
		[ASK_PENDING] = "Not answered yet",
		[ASK_ANSWERED] = "",
		[ASK_SKIPPED] = "Skipped by the user",
		[ASK_EXPIRED] = "No answer before the deadline",
		[ASK_CANCELLED] = "The question was withdrawn",
	};
	struct str reason = o->ask->reason;

	if (answered(o) && o->by == BY_DEFAULT)
		return STR("No answer before the deadline: this is the default");
	if (answered(o) && o->by == BY_POLICY)
		return STR("Answered by a rule, not by a person");
	if (answered(o) || !reason.len) return str_of(none[o->ask->status]);
	return arena_print(o->arena, "%s: %.*s", none[o->ask->status], STR_ARGS(reason));
}

void outcome_put(struct foreign_reply *o)
{
	struct str words = outcome_words(o);

	if (words.len)
		JW(&o->reply, "'status':%s,'message':%s",
			str_of(ask_status_name(o->ask->status)), words);
}

void meta_put(struct foreign_reply *o, struct str words)
{
	if (words.len)
		JW(&o->reply, "'_meta':{'parley/status':%s,'parley/message':%s}",
			str_of(ask_status_name(o->ask->status)), words);
}

struct str said_words(const struct foreign_reply *o, const struct said *s)
{
	struct choices picked = said_choices(o, s, NULL);
	struct buf b = { 0 };

	for (size_t i = 0; i < picked.len; i++)
		buf_print(&b, "%s%.*s", i ? ", " : "", STR_ARGS(picked.at[i].label));
	if (s->other.len)
		buf_print(&b, "%sOther: %.*s", b.len ? ", " : "", STR_ARGS(s->other));
	if (said_input(s) == INPUT_TEXT)
		buf_add(&b, s->text);
	else if (said_input(s) == INPUT_YES_NO)
		buf_add_text(&b, json_is(s->value, JSON_TRUE) ? "Yes" : "No");
	else if (str_is(json_text(s->value), "approve"))
		buf_add_text(&b, "Approve");
	else if (str_is(json_text(s->value), "reject"))
		buf_add_text(&b, "Reject");
	else
		buf_add(&b, scalar_text(s->value));
	return buf_keep_done(&b, o->arena);
}

const struct json *question_asked(const struct foreign_reply *o, size_t i)
{
	const struct json *list = list_of(o->arena, json_get(o->request, "questions"));

	return list && i < list->count ? &list->items[i] : NULL;
}

void labels_write(const struct foreign_reply *o, const struct said *s,
	const struct json *asked, const struct choice_names *names, struct json_writer *w)
{
	struct choices offered = choices_offered(o->arena, asked, names);
	struct choices picked = said_choices(o, s, &offered);

	for (size_t i = 0; i < picked.len; i++)
		jw_str(w, picked.at[i].said);
	if (s->other.len) jw_str(w, s->other);
	if (s->given && !picked.len && !s->other.len) jw_str(w, said_words(o, s));
}
