/* wire.c - src/model for tests in other languages: a JSON object a line in, one out.
 *
 *   {"write": WIRE, "request": {model, system, effort, output_schema, output_max, tools, messages}}
 *       → {"body": …, "url": …}
 *   {"read": WIRE, "status": 200, "text": "…", "cuts": [3, 17, …]}
 *       → {"trouble", "message", "retry", "content", "kept", "stop", "usage", "cost", "deltas"}
 *   {"price": MODEL, "usage": {…}} → {"cost": nanodollars or null}
 *   {"schema": …, "values": […]} → {"refused": pointer or null, "fits": [true or what is wrong]} */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "core/run/provider.h"
#include "core/shared/json_schema.h"
#include "model/model.h"

static struct str kept_json(struct arena *arena, const struct json *value)
{
	struct buf b = { 0 };
	struct str text;

	if (!value || value->type == JSON_NULL) return STR_NONE;
	json_write(&b, value);
	text = arena_str(arena, buf_str(&b));
	buf_done(&b);
	return text;
}

static void tools_fill(
	struct model_request *r, const struct json *list, struct arena *arena)
{
	struct model_tool *tools;

	if (!json_is(list, JSON_ARRAY)) return;
	tools = ARENA_ARRAY(arena, struct model_tool, list->count);
	for (uint32_t i = 0; i < list->count; i++)
		tools[i] =
			(struct model_tool){ json_text(json_get(&list->items[i], "name")),
				json_text(json_get(&list->items[i], "description")),
				kept_json(arena, json_get(&list->items[i], "schema")) };
	r->tools = tools;
	r->tools_len = list->count;
}

static void messages_fill(
	struct model_request *r, const struct json *list, struct arena *arena)
{
	struct model_message *messages;

	if (!json_is(list, JSON_ARRAY)) return;
	messages = ARENA_ARRAY(arena, struct model_message, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct json *m = &list->items[i];
		struct str role = json_text(json_get(m, "role"));

		messages[i] = (struct model_message){ .role = str_is(role, "assistant")
								      ? MODEL_ASSISTANT
							      : str_is(role, "tool")
								      ? MODEL_TOOL
								      : MODEL_USER,
			.content = kept_json(arena, json_get(m, "content")),
			.kept = kept_json(arena, json_get(m, "kept")),
			.kept_model = json_text(json_get(m, "kept_model")) };
	}
	r->messages = messages;
	r->messages_len = list->count;
}

static void do_write(struct json_writer *w, enum model_wire wire, const struct json *from,
	struct arena *arena)
{
	const struct json *most = json_get(from, "output_max");
	struct model_request r = { .model = json_text(json_get(from, "model")),
		.system = json_text(json_get(from, "system")),
		.session = json_text(json_get(from, "session")),
		.output_schema = json_get(from, "output_schema"),
		.output_max = most && most->is_int ? most->integer : 0 };
	struct buf body = { 0 };
	struct fault why = { 0 };

	r.effort = effort_find(json_text(json_get(from, "effort")));
	tools_fill(&r, json_get(from, "tools"), arena);
	messages_fill(&r, json_get(from, "messages"), arena);
	jw_object(w);
	if (model_request_write(&body, wire, &r, &why)) {
		jw_key(w, "error");
		jw_text(w, why.detail);
	} else {
		jw_key(w, "body");
		jw_raw(w, buf_str(&body));
		jw_key(w, "url");
		jw_text(w, model_url(wire, STR("http://x"), r.model, arena));
	}
	jw_object_end(w);
	buf_done(&body);
}

static void note(void *ctx, const struct model_delta *d)
{
	static const char *const names[] = { "text", "thought", "tool" };
	struct json_writer *w = ctx;

	jw_object(w);
	jw_key(w, names[d->type]);
	jw_str(w, d->text);
	jw_object_end(w);
}

static void reply_write(struct json_writer *w, const struct model_reply *r)
{
	static const char *const stops[] = { "end", "calls", "pause" };

	jw_key(w, "trouble");
	jw_text(w, trouble_name(r->trouble));
	jw_key(w, "message");
	jw_text(w, r->message);
	jw_key(w, "retry");
	jw_bool(w, r->retry);
	jw_key(w, "retry_after_ms");
	jw_int(w, r->retry_after_ms);
	jw_key(w, "content");
	jw_raw(w, r->content);
	jw_key(w, "kept");
	jw_raw(w, r->kept.len ? r->kept : STR("null"));
	jw_key(w, "stop");
	jw_text(w, stops[r->stop]);
	jw_key(w, "usage");
	usage_write(w, &r->usage);
	jw_key(w, "cost");
	r->cost < 0 ? jw_null(w) : jw_int(w, r->cost);
}

static void do_read(struct json_writer *w, enum model_wire wire, const struct json *from)
{
	const struct json *cuts = json_get(from, "cuts"),
			  *status = json_get(from, "status");
	struct str text = json_text(json_get(from, "text"));
	struct model_end end = { .status = status && status->is_int ? (int)status->integer
								    : 200,
		.whole = true,
		.retry_after_ms = -1 };
	struct model_reader *r;
	struct model_reply reply;
	size_t at = 0;

	jw_object(w);
	jw_key(w, "deltas");
	jw_array(w);
	r = model_reader_new(&(struct model_setup){ wire, note, w, STR("run/1") });
	for (uint32_t i = 0; json_is(cuts, JSON_ARRAY) && i < cuts->count; i++) {
		size_t to = (size_t)cuts->items[i].integer;

		if (to <= at || to > text.len) continue;
		model_reader_feed(r, end.status, str_make(text.at + at, to - at));
		at = to;
	}
	model_reader_feed(r, end.status, str_from(text, at));
	jw_array_end(w);
	model_reader_end(r, &end, &reply);
	reply_write(w, &reply);
	jw_object_end(w);
	model_reader_free(r);
}

static void do_price(struct json_writer *w, struct str id, const struct json *from)
{
	struct provider_model m;
	struct usage u;

	usage_read(json_get(from, "usage"), &u);
	jw_object(w);
	jw_key(w, "cost");
	known_model(id, clock_now_ms(), &m) ? jw_int(w, usage_cost(&u, &m.price))
					    : jw_null(w);
	jw_object_end(w);
}

static void do_models(struct json_writer *w)
{
	struct provider_model m;

	jw_array(w);
	for (size_t i = 0; known_model_at(i, &m); i++)
		jw_str(w, m.id);
	jw_array_end(w);
}

static void do_schema(struct json_writer *w, const struct json *job, struct arena *arena)
{
	const struct json *schema = json_get(job, "schema"), *value = NULL;
	const struct json_place root = place_root("");
	struct fault why = { 0 };
	struct check check = { .why = &why };
	struct json_miss miss;

	json_schema_check(&check, &root, schema);
	jw_object(w);
	jw_put_text(w, "refused", check.failed ? why.items[0].pointer : NULL);
	jw_put_array(w, "fits");
	while (!check.failed && json_each(json_get(job, "values"), &value))
		if (json_schema_fits(schema, value, NULL, arena, &miss))
			jw_bool(w, true);
		else
			jw_str(w, arena_print(arena, "%.*s %.*s", STR_ARGS(miss.at),
					  STR_ARGS(miss.must)));
	jw_array_end(w);
	jw_object_end(w);
}

int main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		struct arena arena = { 0 };
		struct buf out = { 0 };
		struct json_writer w = { .out = &out };
		const struct json *job;
		struct fault why = { 0 };
		enum model_wire wire;

		if (json_read(str_make(line, (size_t)len), NULL, &arena, &job, &why)) {
			fprintf(stderr, "%s\n", why.detail);
			return 1;
		}
		if (model_wire_find(json_text(json_get(job, "write")), &wire))
			do_write(&w, wire, json_get(job, "request"), &arena);
		else if (model_wire_find(json_text(json_get(job, "read")), &wire))
			do_read(&w, wire, job);
		else if (json_get(job, "price"))
			do_price(&w, json_text(json_get(job, "price")), job);
		else if (json_get(job, "schema"))
			do_schema(&w, job, &arena);
		else
			do_models(&w);
		printf("%.*s\n", STR_ARGS(buf_str(&out)));
		fflush(stdout);
		buf_done(&out);
		arena_done(&arena);
	}
	free(line);
	return 0;
}
