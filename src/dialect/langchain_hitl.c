/* langchain_hitl.c - LangChain's human-in-the-loop middleware: actions to review, and the
 * decisions that each may get. It stops at a decision that was not allowed, so a denial
 * takes the form that is. Python writes action_requests, JavaScript actionRequests; each
 * is answered in its own spelling. */
#include "dialect/inner.h"

enum spelling { PYTHON, JAVASCRIPT };

static const struct {
	const char *requests, *configs, *name, *decisions, *edited;
} spelt[] = {
	[PYTHON] = { "action_requests", "review_configs", "action_name",
		"allowed_decisions", "edited_action" },
	[JAVASCRIPT] = { "actionRequests", "reviewConfigs", "actionName",
		"allowedDecisions", "editedAction" },
};

static enum spelling spelling_of(const struct json *request)
{
	return json_get(request, spelt[JAVASCRIPT].requests) ? JAVASCRIPT : PYTHON;
}

/* The rules for the i-th action: by its name, else by its place. */
static const struct json *config_of(
	struct arena *arena, const struct json *request, struct str name, size_t i)
{
	enum spelling as = spelling_of(request);
	const struct json *list = list_of(arena, json_get(request, spelt[as].configs));

	for (uint32_t n = 0; list && n < list->count; n++)
		if (str_eq(json_text_of(&list->items[n], spelt[as].name), name))
			return &list->items[n];
	return list && i < list->count ? &list->items[i] : NULL;
}

static bool allowed(const struct json *config, const char *decision)
{
	const struct json *list = json_get(config, spelt[PYTHON].decisions);

	if (!list) list = json_get(config, spelt[JAVASCRIPT].decisions);
	/* Without a word, all but answering in the tool's place. */
	if (!json_is(list, JSON_ARRAY)) return strcmp(decision, "respond") != 0;
	for (uint32_t i = 0; i < list->count; i++)
		if (str_is(json_text(&list->items[i]), decision)) return true;
	return false;
}

static size_t actions_of(
	struct arena *arena, const struct json *request, struct action **out)
{
	const struct json *list =
		list_of(arena, json_get(request, spelt[spelling_of(request)].requests));
	struct action *actions =
		ARENA_ARRAY(arena, struct action, (list ? list->count : 0) + 1);

	*out = actions;
	if (!actions || !list) return 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct json *it = &list->items[i];
		struct str name = json_text_of(it, "name");
		const struct json *config = config_of(arena, request, name, i);
		bool runs = allowed(config, "approve") || allowed(config, "edit");

		actions[i] = (struct action){
			.name = name,
			.arguments = json_get(it, "args"),
			.about = json_text_of(it, "description"),
			.may_respond = allowed(config, "respond"),
			.text_only = !runs && allowed(config, "respond"),
		};
	}
	return list->count;
}

static void to_ask(struct inbound *in)
{
	enum spelling as = spelling_of(in->request);
	struct json_place root = { 0 },
			  at = place_member(&root, str_of(spelt[as].requests));
	struct action *actions;

	member_list(in, &root, in->request, spelt[as].requests);
	member_list(in, &root, in->request, spelt[as].configs);
	size_t len = actions_of(in->arena, in->request, &actions);
	actions_put(in, &at, actions, len);
}

/* ---- out ---- */

static void message_write(struct json_writer *w, const char *type, struct str message)
{
	JW(w, "%s,'message':%?", str_of(type), message);
}

static void edit_write(
	struct foreign_reply *o, const struct action *a, const struct json *arguments)
{
	struct json_writer *w = &o->reply;

	jw_text(w, "edit");
	jw_put_object(w, spelt[o->request ? spelling_of(o->request) : PYTHON].edited);
	jw_put_str(w, "name", a->name);
	put_object(w, "args", arguments);
	jw_object_end(w);
}

static void denial_write(
	struct json_writer *w, const struct json *config, struct str words)
{
	bool respond = !allowed(config, "reject") && allowed(config, "respond");

	message_write(w, respond ? "respond" : "reject", words);
}

static void verdict_write(struct foreign_reply *o, const struct json *config,
	const struct action *a, const struct operation_done *d)
{
	struct json_writer *w = &o->reply;
	struct verdict v = d->verdict;

	if (!allowed(config, "edit")) v = verdict_plain(o, v);
	if (d->response.len && !v.allow)
		message_write(w, "respond", d->response);
	else if (!v.allow)
		denial_write(w, config, v.words);
	else if (v.arguments)
		edit_write(o, a, v.arguments);
	else if (allowed(config, "approve"))
		jw_text(w, "approve");
	else
		edit_write(o, a, a->arguments);
}

/* The reply for an ask that was made in another dialect. */
static void other_write(struct foreign_reply *o)
{
	struct verdict v = verdict_of(o);
	struct action a = { .name = operation_of(o).name };

	if (o->ask->kind != ASK_APPROVAL && answered(o))
		message_write(&o->reply, "respond", o->whole->summary);
	else
		verdict_write(o, NULL, &a, &(struct operation_done){ .verdict = v });
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct action *actions = NULL;
	size_t len = o->request ? actions_of(o->arena, o->request, &actions) : 1;

	jw_put_array(w, "decisions");
	for (size_t i = 0; i < len; i++) {
		jw_object(w);
		jw_key(w, "type");
		if (actions) {
			struct operation_done d = action_done(o, i, actions, len);

			verdict_write(o,
				config_of(o->arena, o->request, actions[i].name, i),
				&actions[i], &d);
		} else {
			other_write(o);
		}
		jw_object_end(w);
	}
	jw_array_end(w);
}

const struct dialect dialect_langchain_hitl = {
	.name = "langchain_hitl",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
