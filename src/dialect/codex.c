/* codex.c - Codex's app-server asks: requestUserInput, and requestApproval of a command
 * or a change of files. */
#include "base/keep.h"
#include "dialect/inner.h"

static const struct choice_names option_names = { .label = "label",
	.description = "description" };

/* ---- questions ---- */

/* Ids give the keys, where all can. */
static bool ids_fit(struct arena *arena, const struct json *request)
{
	const struct json *list = list_of(arena, json_get(request, "questions"));

	for (uint32_t i = 0; list && i < list->count; i++)
		if (!key_fits(json_text_of(&list->items[i], "id"))) return false;
	return true;
}

/* The reply is an object of ids. */
static void id_check(
	struct inbound *in, const struct json_place *at, const struct json *q)
{
	const struct json *list = list_of(in->arena, json_get(in->request, "questions"));
	struct str id = json_text_of(q, "id");
	size_t same = 0;

	for (uint32_t i = 0; list && i < list->count; i++)
		same += str_eq(json_text_of(&list->items[i], "id"), id);
	if (text_blank(id))
		wrong_member(&in->check, at, STR("id"), "required");
	else if (same > 1)
		wrong_member(&in->check, at, STR("id"), "another question has it, too");
}

static void question_in(
	struct inbound *in, const struct json_place *at, const struct json *q)
{
	struct json_place options = place_member(at, STR("options"));
	struct json_place secret = place_member(at, STR("isSecret"));
	const struct json *list = member_list(in, at, q, "options");
	struct asked out = {
		.key = ids_fit(in->arena, in->request) ? json_text_of(q, "id") : STR_NONE,
		.header = json_text_of(q, "header"),
		.text = json_text_of(q, "question"),
		.type = "text",
	};

	id_check(in, at, q);
	if (list && list->count) {
		out.type = "choice";
		out.choices = choices_read(in, &options, list, &option_names);
		out.other = member_flag(q, "isOther");
	}
	if (member_flag(q, "isSecret"))
		remark(in, &secret, "the answer is kept like any other");
	question_put(in, at, &out);
}

static void answers_out(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;

	jw_put_object(w, "answers");
	for (size_t i = 0; i < said_count(o); i++) {
		struct said s = said_at(o, i);
		const struct json *asked = question_asked(o, i);

		if (!s.given) continue;
		jw_name(w, asked ? json_text_of(asked, "id")
				 : json_text_of(s.question, "key"));
		jw_object(w);
		jw_put_array(w, "answers");
		labels_write(o, &s, asked, &option_names, w);
		jw_array_end(w);
		jw_object_end(w);
	}
	jw_object_end(w);
	outcome_put(o);
}

/* ---- approvals ---- */

static struct str decision_name(const struct json *decision)
{
	if (json_is(decision, JSON_OBJECT) && decision->count)
		return decision->members[0].name;
	return json_text(decision);
}

/* The decisions that are offered when the request lists none. */
static const struct offer known[] = {
	{ .id = STR("accept"), .label = STR("Accept"), .allows = true },
	{ .id = STR("acceptForSession"),
		.label = STR("Accept for this session"),
		.allows = true,
		.lasts = true,
		.session = true },
	{ .id = STR("decline"), .label = STR("Decline") },
	{ .id = STR("cancel"), .label = STR("Decline and stop"), .lasts = true },
};
enum { KNOWN = sizeof known / sizeof *known };

/* A decision with an amendment is an object instead of a text. */
static struct offer offer_of(struct arena *arena, const struct json *decision, uint32_t i)
{
	struct str name = decision_name(decision);
	struct offer o = { .id = arena_print(arena, "#%u", i + 1), .lasts = true };
	struct buf b = { 0 };

	for (size_t n = 0; n < KNOWN; n++)
		if (str_eq(known[n].id, name)) o = known[n];
	o.from = decision;
	if (o.label.len) return o;
	json_write(&b, decision);
	o.label = buf_keep_done(&b, arena);
	o.allows = str_starts(name, "accept") || str_starts(name, "apply");
	return o;
}

static size_t offers_of(
	struct arena *arena, const struct json *request, struct offer offers[OFFERS_MAX])
{
	const struct json *list = list_of(arena, json_get(request, "availableDecisions"));
	size_t len = 0;

	for (uint32_t i = 0; list && i < list->count && len < OFFERS_MAX; i++) {
		struct offer o = offer_of(arena, &list->items[i], i);
		size_t twin = 0;

		while (twin < len && !str_eq(offers[twin].id, o.id))
			twin++;
		if (twin == len) offers[len++] = o;
	}
	if (len) return len;
	memcpy(offers, known, sizeof known);
	return KNOWN;
}

static void approval_in(struct inbound *in)
{
	static const char *const apart[] = { "threadId", "turnId", "itemId", "approvalId",
		"availableDecisions", "reason", NULL };
	struct json_place root = { 0 };
	struct offer offers[OFFERS_MAX];
	size_t len = offers_of(in->arena, in->request, offers);
	bool command = json_get(in->request, "command") != NULL;

	grant_put(in, &root,
		&(struct operation_asked){
			.name = command ? STR("shell") : STR("file_change"),
			.arguments = json_without(in->request, apart, in->arena),
			.about = json_text_of(in->request, "reason"),
		},
		offers, len);
}

static void decision_out(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct offer offers[OFFERS_MAX];
	size_t len = offers_of(o->arena, o->request, offers);
	struct verdict v = verdict_unedited(o);
	const struct offer *taken = grant_of(o, &v, offers, len);

	jw_key(w, "decision");
	if (o->ask->status == ASK_CANCELLED)
		jw_text(w, "cancel");
	else if (taken && taken->from)
		jw_json(w, taken->from);
	else
		jw_str(w, taken ? taken->id : STR("decline"));
	outcome_put(o);
	if (answered(o) && !v.allow && !outcome_words(o).len)
		jw_put_some(w, "message", v.words);
}

static void to_ask(struct inbound *in)
{
	if (json_get(in->request, "questions"))
		questions_put(in, question_in, 0);
	else
		approval_in(in);
}

static void from_ask(struct foreign_reply *o)
{
	if (o->ask->kind == ASK_APPROVAL)
		decision_out(o);
	else
		answers_out(o);
}

const struct dialect dialect_codex = {
	.name = "codex",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
