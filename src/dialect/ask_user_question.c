/* ask_user_question.c - Claude Code's AskUserQuestion, and the terminal dialog's tool of
 * the same name, whose rules are the strict ones. */
#include "base/keep.h"
#include "base/utf8.h"
#include "dialect/inner.h"

enum { STRICT_QUESTIONS = 4, STRICT_OPTIONS = 4, STRICT_WORDS = 5, CHIP_MAX = 12 };

static const struct choice_names option_names = {
	.label = "label",
	.description = "description",
	.preview = "preview",
	.other_ours = true,
};

/* ---- what a model may call things ---- */

static struct str question_text(const struct json *question)
{
	static const char *const names[] = { "question", "text", "prompt", NULL };

	return member_first(question, names);
}

static bool question_multi(const struct json *question)
{
	return member_flag(question, "multiSelect") ||
	       member_flag(question, "multiple") || member_flag(question, "multi_select");
}

/* The list, or the request itself when it is a question. */
static const struct json *questions_of(struct arena *arena, const struct json *request)
{
	const struct json *given = json_get(request, "questions");

	return list_of(arena, given ? given : request);
}

/* ---- in ---- */

static size_t words_count(struct str label)
{
	struct str word;
	size_t n = 0;

	while (str_cut(&label, ' ', &word))
		if (str_trim(word).len) n++;
	return n;
}

/* The terminal dialog's rules, in its words. */
static void strict_check(
	struct inbound *in, const struct json_place *at, const struct json *q)
{
	const struct json *list = list_of(in->arena, json_get(q, "options"));
	struct json_place options = place_member(at, STR("options"));

	if (!json_is_bool(json_get(q, "multiSelect")))
		wrong_member(&in->check, at, STR("multiSelect"), "must be true or false");
	if (text_blank(json_text_of(q, "header")))
		wrong_member(&in->check, at, STR("header"), "must not be empty");
	if (!list || list->count < 2 || list->count > STRICT_OPTIONS)
		wrong(&in->check, &options, "must be 2 to %d options", STRICT_OPTIONS);
	for (uint32_t i = 0; list && i < list->count; i++) {
		struct str label = str_trim(json_text_of(&list->items[i], "label"));
		struct json_place item = place_item(&options, i);
		size_t words = words_count(label);

		if (words < 1 || words > STRICT_WORDS)
			wrong(&in->check, &item, "Option label must be 1-5 words: %.*s",
				STR_ARGS(text_excerpt(label)));
		if (str_is_nocase(label, "other"))
			wrong(&in->check, &item, "Option label \"Other\" is reserved");
		if (text_blank(json_text_of(&list->items[i], "description")))
			wrong_member(&in->check, &item, STR("description"),
				"must not be empty");
	}
}

static void header_check(struct inbound *in, const struct json_place *at,
	const struct json *list, uint32_t n)
{
	struct str header = json_text_of(&list->items[n], "header");

	if (!in->strict) return;
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(json_text_of(&list->items[i], "header"), header))
			wrong_member(&in->check, at, STR("header"),
				"Duplicate header: %.*s", STR_ARGS(text_excerpt(header)));
}

/* A question mark is put where a word stands at the end, not after a full stop. */
static struct str question_mark(struct inbound *in, const struct json_place *at,
	const struct json *q, struct str text)
{
	struct str end = str_trim(text);
	unsigned char last = end.len ? (unsigned char)end.at[end.len - 1] : '?';
	bool word = last >= 0x80 || (last >= '0' && last <= '9') ||
		    ((last | 0x20) >= 'a' && (last | 0x20) <= 'z') || last == ')' ||
		    last == '"' || last == '\'';
	struct json_place spot = place_member(at, STR("question"));

	/* French, Chinese and others have marks of their own. */
	if (last == '?' || str_ends(end, "？") || str_ends(end, "؟")) return text;
	if (!repair(in, &spot, word ? "one was added" : "taken as it is",
		    "Question must end with ?: %.*s",
		    STR_ARGS(text_excerpt(json_text_of(q, "header")))))
		return text;
	return word ? arena_print(in->arena, "%.*s?", STR_ARGS(end)) : text;
}

static void prefill_write(
	struct json_writer *w, const struct picked *p, const struct choices *c, bool many)
{
	bool one = false;

	jw_object(w);
	jw_put_array(w, "selected");
	for (size_t i = 0; i < c->len && (many || !one); i++) {
		if (!(p->set & UINT32_C(1) << i)) continue;
		jw_str(w, c->at[i].id);
		one = true;
	}
	jw_array_end(w);
	if (many || !one) jw_put_some(w, "other", p->other);
	jw_object_end(w);
}

/* An answer that the model already knows, by header or by question. */
static struct str prefill(struct inbound *in, const struct json_place *at,
	const struct json *q, struct asked *out)
{
	const struct json *answers = json_get(in->request, "answers"), *known;
	struct json_place spot = place_member(at, STR("answers"));
	struct json_writer w = { .out = &(struct buf){ 0 } };

	known = json_get_str(answers, out->header);
	if (!known && !in->strict) known = json_get_str(answers, question_text(q));
	if (!json_is(known, JSON_STRING) || text_blank(known->text)) return STR_NONE;
	if (!out->choices.len) {
		json_write_str(w.out, utf8_first(known->text, ANSWER_TEXT_MAX));
		return buf_keep_done(w.out, in->arena);
	}
	struct picked p = picked_read(in->arena, known->text, &out->choices);
	if (p.lost)
		repair(in, &spot, "that part was left out", "\"%.*s\" is not an option",
			STR_ARGS(text_excerpt(known->text)));
	if (!p.set && !p.other.len) return STR_NONE;
	p.other = utf8_first(p.other, ANSWER_TEXT_MAX);
	prefill_write(&w, &p, &out->choices, strcmp(out->type, "choices") == 0);
	return buf_keep_done(w.out, in->arena);
}

static void question_in(
	struct inbound *in, const struct json_place *at, const struct json *q)
{
	struct json_place options = place_member(at, STR("options"));
	struct json_place header = place_member(at, STR("header"));
	const struct json *list = member_list(in, at, q, "options");
	struct asked out = {
		.header = json_text_of(q, "header"),
		.type = question_multi(q) ? "choices" : "choice",
		.other = true,
	};

	if (in->strict) strict_check(in, at, q);
	if (json_get(q, "multiple") || json_get(q, "multi_select"))
		repair(in, at, "taken for it", "the member is called multiSelect");
	out.choices = choices_read(in, &options, list, &option_names);
	/* In strict mode such an option has been refused by name already. */
	if (!in->strict && list && out.choices.len < list->count &&
		list->count <= OPTIONS_MAX)
		repair(in, &options, "left out: it is always offered",
			"Option label \"Other\" is reserved");
	if (!out.choices.len) {
		repair(in, &options, "asked for a text", "must be 2 to 4 options");
		out.type = "text";
		out.other = false;
	}
	out.prefill = prefill(in, &(struct json_place){ 0 }, q, &out);
	out.header = text_fit(in, &header, out.header, CHIP_MAX, true);
	out.text = question_mark(in, at, q, question_text(q));
	question_put(in, at, &out);
}

static bool answers_key_known(
	const struct inbound *in, const struct json *list, struct str key)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (str_eq(json_text_of(&list->items[i], "header"), key) ||
			(!in->strict && str_eq(question_text(&list->items[i]), key)))
			return true;
	return false;
}

static void answers_check(struct inbound *in, const struct json *list)
{
	const struct json *answers = json_get(in->request, "answers");
	struct json_place root = { 0 }, at = place_member(&root, STR("answers"));

	for (uint32_t i = 0; json_is(answers, JSON_OBJECT) && i < answers->count; i++)
		if (!answers_key_known(in, list, answers->members[i].name))
			repair(in, &at, "left out", "Unknown answers key: %.*s",
				STR_ARGS(text_excerpt(answers->members[i].name)));
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("questions"));
	const struct json *list;
	uint32_t most = in->strict ? STRICT_QUESTIONS : QUESTIONS_MAX;

	if (json_get(in->request, "questions"))
		list = member_list(in, &root, in->request, "questions");
	else if (question_text(in->request).len &&
		 repair(in, &root, "taken as the only one", "must have questions"))
		list = questions_of(in->arena, in->request);
	else
		list = NULL;
	if (!list || list->count < 1 || list->count > most) {
		wrong(&in->check, &at, "must be 1 to %d questions", STRICT_QUESTIONS);
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct json_place item = place_item(&at, i);

		question_in(in, &item, &list->items[i]);
		header_check(in, &item, list, i);
	}
	inbound_beside(in);
	answers_check(in, list);
}

/* ---- out ---- */

static struct str answer_text(
	const struct foreign_reply *o, const struct said *s, const struct json *asked)
{
	struct choices offered = choices_offered(o->arena, asked, &option_names);

	return answer_words(o, s, asked ? &offered : NULL);
}

/* The i-th question as it came; NULL: the ask came otherwise. */
static const struct json *asked_at(const struct foreign_reply *o, size_t i)
{
	const struct json *list = o->request ? questions_of(o->arena, o->request) : NULL;

	return list && i < list->count ? &list->items[i] : NULL;
}

static struct str question_name(const struct foreign_reply *o, size_t i)
{
	struct said s = said_at(o, i);
	const struct json *asked = asked_at(o, i);
	struct str text = asked ? question_text(asked) : json_text_of(s.question, "text");
	struct str header = asked ? json_text_of(asked, "header")
				  : json_text_of(s.question, "header");

	return o->strict && header.len ? header : text;
}

/* Its name, numbered when one before has the same. */
static struct str question_key(const struct foreign_reply *o, size_t which)
{
	struct str keys[QUESTIONS_MAX] = { 0 };

	for (size_t i = 0; i <= which && i < QUESTIONS_MAX; i++) {
		struct str name = question_name(o, i);

		keys[i] = name;
		for (size_t n = 2; text_listed(keys, i, keys[i]); n++)
			keys[i] = arena_print(o->arena, "%.*s (%zu)", STR_ARGS(name), n);
	}
	return keys[which];
}

static void questions_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	jw_array(w);
	for (size_t i = 0; i < said_count(o); i++) {
		const struct json *asked = asked_at(o, i), *q = said_at(o, i).question;

		if (asked) {
			jw_json(w, asked);
			continue;
		}
		JW(w, "{'question':%s,'header':%s,'multiSelect':%j",
			json_text_of(q, "text"), json_text_of(q, "header"),
			json_bool(question_kind_json(q)->input == INPUT_MANY));
		jw_put_json(w, "options", list_of(o->arena, json_get(q, "options")));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void answers_write(const struct foreign_reply *o, struct json_writer *w)
{
	jw_object(w);
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);

		if (!s.given) continue;
		jw_name(w, question_key(o, i));
		jw_str(w, answer_text(o, &s, asked_at(o, i)));
	}
	jw_object_end(w);
}

/* Notes that a person left beside the choices. */
static void annotations_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	bool open = false;

	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);

		if (!s.text.len || str_is(json_text_of(s.question, "type"), "text"))
			continue;
		if (!open) jw_put_object(w, "annotations");
		open = true;
		jw_name(w, question_key(o, i));
		JW(w, "{'notes':%s}", s.text);
	}
	if (open) jw_object_end(w);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	jw_key(w, "questions");
	questions_write(o);
	jw_key(w, "answers");
	answers_write(o, w);
	annotations_write(o);
	outcome_put(o);
}

/* As JSON.stringify(…, null, 2) has it. */
static void answers_print(struct foreign_reply *o, struct buf *text)
{
	bool any = false;

	buf_add_text(text, "{\n  \"answers\": {");
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);

		if (!s.given) continue;
		buf_add_text(text, any ? ",\n    " : "\n    ");
		json_write_str(text, question_key(o, i));
		buf_add_text(text, ": ");
		json_write_str(text, answer_text(o, &s, asked_at(o, i)));
		any = true;
	}
	buf_add_text(text, any ? "\n  }\n}" : "}\n}");
}

static void lines_print(struct foreign_reply *o, struct buf *text)
{
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);
		const struct json *asked = asked_at(o, i);
		struct str header = json_text_of(asked ? asked : s.question, "header");

		buf_add_text(text, "- ");
		text_flatten(text, header.len ? header : question_name(o, i));
		buf_add_text(text, ": ");
		if (s.given) text_flatten(text, answer_text(o, &s, asked));
		buf_add_char(text, '\n');
	}
}

static void sum(struct foreign_reply *o, struct buf *text)
{
	struct str reason = o->ask->reason, words = outcome_words(o);

	if (!answered(o) && o->ask->status == ASK_SKIPPED) {
		/* The terminal dialog's own words; elsewhere a skip is called one. */
		buf_add_text(text, o->strict ? "AskUserQuestion cancelled by user"
					     : "The user skipped this question");
		if (reason.len) buf_print(text, ": %.*s", STR_ARGS(reason));
		return;
	}
	if (words.len) buf_add(text, words);
	if (!answered(o)) return;
	if (words.len) buf_add_text(text, "\n\n");
	buf_add_text(text, "Collected answers:\n");
	lines_print(o, text);
	buf_add_text(text, "\nJSON:\n");
	answers_print(o, text);
}

const struct dialect dialect_ask_user_question = {
	.name = "ask_user_question",
	.to_ask = to_ask,
	.from_ask = from_ask,
	.sum = sum,
};
