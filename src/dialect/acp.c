/* acp.c - the Agent Client Protocol's session/request_permission. */
#include "base/keep.h"
#include "dialect/inner.h"

static const struct choice_names option_names = { .id = "optionId", .label = "name" };

/* A plan: what is approved is read whole, and for this once. */
static bool is_plan(const struct json *request)
{
	return str_is(json_text_of(json_get(request, "toolCall"), "kind"), "switch_mode");
}

/* By kind and in their order; of a plan none that lasts. */
static size_t offers_of(
	struct arena *arena, const struct json *request, struct offer offers[OFFERS_MAX])
{
	struct choices c = choices_offered(arena, request, &option_names);
	size_t len = 0;

	for (size_t i = 0; i < c.len && len < OFFERS_MAX; i++) {
		struct str kind = json_text_of(c.at[i].from, "kind");
		struct offer o = {
			.id = c.at[i].id,
			.label = c.at[i].said,
			.allows = str_starts(kind, "allow"),
			.lasts = str_ends(kind, "_always"),
			.from = c.at[i].from,
		};

		if (!o.lasts || !is_plan(request)) offers[len++] = o;
	}
	return len;
}

/* The first that decides this call alone. */
static const struct offer *offer_once(const struct offer *offers, size_t len, bool allows)
{
	for (size_t i = 0; i < len; i++)
		if (offers[i].allows == allows && !offers[i].lasts) return &offers[i];
	return NULL;
}

/* The texts that the call shows, one below the other. */
static struct str content_text(struct inbound *in, const struct json *call)
{
	const struct json *list = json_get(call, "content");
	struct buf b = { 0 };

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++) {
		struct str text =
			json_text_of(json_get(&list->items[i], "content"), "text");

		if (text.len && b.len) buf_add_text(&b, "\n\n");
		buf_add(&b, text);
	}
	return buf_keep_done(&b, in->arena);
}

/* What the tool call says of itself: its title, else its kind or id. */
static struct str name_of(const struct json *call)
{
	static const char *const names[] = { "title", "kind", "toolCallId", NULL };
	struct str name = member_first(call, names);

	return name.len ? name : STR("tool call");
}

static bool kinds_known(const struct json *request)
{
	static const char *const kinds[] = { "allow_once", "allow_always", "reject_once",
		"reject_always" };
	const struct json *list = json_get(request, "options");

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++)
		if (name_find(kinds, sizeof kinds / sizeof *kinds,
			    json_text_of(&list->items[i], "kind")) < 0)
			return false;
	return json_is(list, JSON_ARRAY) && list->count;
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("options"));
	struct json_place tool = place_member(&root, STR("toolCall"));
	const struct json *call = json_get(in->request, "toolCall");
	const struct json *input = json_get(call, "rawInput");
	struct operation_asked what = {
		.name = name_of(call),
		.arguments = input ? input : call,
	};
	struct offer offers[OFFERS_MAX];
	size_t len = offers_of(in->arena, in->request, offers);

	choices_given(in, &root, in->request, &option_names);
	if (!kinds_known(in->request)) {
		wrong(&in->check, &at,
			"must be options with an optionId, a name and a kind: allow_once, "
			"allow_always, reject_once or reject_always");
		return;
	}
	if (is_plan(in->request))
		what = approval_plan(in, &tool, input, content_text(in, call));
	in->never_once = !offer_once(offers, len, true);
	grant_put(in, &at, &what, offers, len);
}

/* What lasts is a rule of ours; the agent is told the answer for once. */
static const struct offer *offer_told(const struct foreign_reply *o,
	const struct verdict *v, const struct offer *offers, size_t len)
{
	const struct offer *chosen = grant_of(o, v, offers, len);

	return chosen && !chosen->lasts ? chosen : offer_once(offers, len, v->allow);
}

static bool session_cancelled(const struct foreign_reply *o)
{
	return o->ask->status == ASK_CANCELLED &&
	       str_is(o->ask->reason, "the session is cancelled");
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct offer offers[OFFERS_MAX];
	size_t len = o->request ? offers_of(o->arena, o->request, offers) : 0;
	struct verdict v = verdict_unedited(o);
	const struct offer *taken = offer_told(o, &v, offers, len);
	struct str id = taken ? scalar_text(json_get(taken->from, "optionId")) : STR_NONE;

	/* Asked otherwise there are no options: the kinds stand for them. */
	if (!o->request) id = v.allow ? STR("allow_once") : STR("reject_once");
	if (session_cancelled(o)) id = STR_NONE;
	JW(w, "'outcome':{'outcome':%s,'optionId':%?}",
		id.len ? STR("selected") : STR("cancelled"), id);
	if (!v.allow || v.own.len || outcome_words(o).len) meta_put(o, v.words);
}

const struct dialect dialect_acp = {
	.name = "acp",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
