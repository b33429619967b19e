/* request.c - a request's messages as the wires see them. Prefix: utterance_. */
#include "base/hash.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "model/inner.h"

static const char *const part_names[PARTS] = { [PART_TEXT] = "text",
	[PART_THOUGHT] = "thought",
	[PART_CALL] = "tool_call",
	[PART_RESULT] = "tool_result",
	[PART_IMAGE] = "image" };

static bool part_read(const struct json *from, struct utterance_part *out)
{
	static const struct json nothing = { .type = JSON_OBJECT };
	int type = name_find(part_names, PARTS, json_text_of(from, "type"));
	const struct json *arguments = json_get(from, "arguments");

	if (type < 0) return false;
	*out = (struct utterance_part){ .type = (enum part_type)type,
		.text = json_text_of(from, "text"),
		.id = json_text_of(from, "id"),
		.name = json_text_of(from, "name"),
		.arguments = json_is(arguments, JSON_OBJECT) ? arguments : &nothing,
		.is_error = json_is(json_get(from, "is_error"), JSON_TRUE),
		.media_type = json_text_of(from, "media_type") };
	if (type == PART_RESULT) out->text = json_text_of(from, "content");
	if (type == PART_IMAGE) out->text = json_text_of(from, "data");
	return true;
}

static void kept_read(const struct json *kept, struct utterance_part *part)
{
	part->as = json_text_of(kept, "as");
	part->seal = json_text_of(kept, "seal");
	part->seal_id = json_text_of(kept, "id");
}

static const struct json *kept_parts(const struct model_request *r,
	const struct model_message *m, const char *wire, struct arena *arena)
{
	const struct json *kept, *parts;

	if (m->kept.len == 0 || !str_eq(m->kept_model, r->model) ||
		json_read(m->kept, NULL, arena, &kept, NULL) ||
		!str_is(json_text_of(kept, "wire"), wire))
		return NULL;
	parts = json_get(kept, "parts");
	return json_is(parts, JSON_ARRAY) ? parts : NULL;
}

static enum err message_read(const struct model_request *r, const struct model_message *m,
	const char *wire, struct arena *arena, struct utterance *out)
{
	const struct json *content, *kept = kept_parts(r, m, wire, arena);

	if (json_read(m->content, NULL, arena, &content, NULL) ||
		content->type != JSON_ARRAY)
		return arena->failed ? ERR_MEMORY : ERR_INTERNAL;
	out->parts = ARENA_ARRAY(arena, struct utterance_part, content->count);
	if (!out->parts && content->count) return ERR_MEMORY;
	for (uint32_t i = 0; i < content->count; i++) {
		if (!part_read(&content->items[i], &out->parts[out->len])) continue;
		if (kept && i < kept->count)
			kept_read(&kept->items[i], &out->parts[out->len]);
		out->len++;
	}
	return OK;
}

/* Thoughts alone are no message: vendors refuse one that ends with them. */
static bool says_something(const struct utterance *m)
{
	for (size_t i = 0; i < m->len; i++)
		if (m->parts[i].type != PART_THOUGHT &&
			(m->parts[i].type != PART_TEXT || m->parts[i].text.len))
			return true;
	return m->role != MODEL_ASSISTANT;
}

static bool written_holds(
	const struct model_written *k, enum model_wire which, uint64_t model)
{
	return k && k->ready && k->wire == which && k->model == model;
}

/* A message with a mark of a prompt cache is written anew: the marks move on. */
static enum err message_items(const struct model_request *r,
	const struct model_message *m, enum model_wire which, uint64_t model, int *marks,
	struct arena *arena, struct utterance *out)
{
	bool may_mark = *marks > 0 && m->role != MODEL_ASSISTANT;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum err e;

	out->role = m->role;
	out->model = r->model;
	if (!may_mark && written_holds(m->written, which, model)) {
		out->items = buf_str(&m->written->bytes);
		return OK;
	}
	e = message_read(r, m, model_wire_names[which], arena, out);
	if (e) return e;
	if (!says_something(out)) out->len = 0;
	out->cache = may_mark && out->len > 0;
	*marks -= out->cache;
	wire_of(which)->message(&w, out, arena);
	if (out->cache || !m->written || b.failed) {
		out->items = buf_keep_done(&b, arena);
		return OK;
	}
	buf_done(&m->written->bytes);
	*m->written = (struct model_written){ true, which, model, b };
	out->items = buf_str(&b);
	return OK;
}

enum err model_request_write(struct buf *out, enum model_wire which,
	const struct model_request *r, struct fault *why)
{
	/* Behind the last two messages that are not the model's: the older mark finds what
	 * the turn before wrote, the newer writes for the next. */
	int marks = 2;
	struct arena arena = { 0 };
	struct json_writer w = { .out = out };
	struct utterance *said =
		ARENA_ARRAY(&arena, struct utterance, r->messages_len + 1);
	struct model_request placed = *r;
	uint64_t model = str_hash(r->model);
	enum err e = said ? OK : ERR_MEMORY;

	for (size_t i = r->messages_len; i-- > 0 && !e;)
		e = message_items(
			r, &r->messages[i], which, model, &marks, &arena, &said[i]);
	output_place(which, &placed, &arena);
	if (!e) wire_of(which)->write(&w, &placed, said);
	if (arena.failed || out->failed) e = ERR_MEMORY;
	arena_done(&arena);
	if (!e) return OK;
	return fail(why, e,
		e == ERR_MEMORY ? "the request is too big to be written"
				: "a message's content is no JSON array");
}

struct str wire_id(struct str id, struct arena *arena)
{
	char hash[SHA256_HEX_SIZE];
	bool good = id.len > 0 && id.len <= 40;

	for (size_t i = 0; i < id.len && good; i++) {
		char c = id.at[i];

		good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		       (c >= '0' && c <= '9') || c == '-' || c == '_';
	}
	if (good) return id;
	sha256_hex(id, hash);
	return arena_print(arena, "parley_%.16s", hash);
}

struct str utterance_text(const struct utterance *m, struct arena *arena)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < m->len; i++) {
		if (m->parts[i].type != PART_TEXT || m->parts[i].text.len == 0) continue;
		if (text.len > 0) buf_add_text(&text, "\n\n");
		buf_add(&text, m->parts[i].text);
	}
	return buf_keep_done(&text, arena);
}

struct str utterance_data_url(const struct utterance_part *p, struct arena *arena)
{
	struct buf url = { 0 };

	buf_print(&url, "data:%.*s;base64,", STR_ARGS(p->media_type));
	buf_add(&url, p->text);
	return buf_keep_done(&url, arena);
}

unsigned model_options_refused(struct str body, struct str message)
{
	static const struct {
		const char *named, *sent;
		enum model_option option;
	} rows[] = {
		{ "reasoning.summary", "\"summary\":\"auto\"", OPTION_SUMMARY },
		{ "reasoning summaries", "\"summary\":\"auto\"", OPTION_SUMMARY },
		{ "encrypted", "\"include\":[", OPTION_SEALED },
		{ "'include", "\"include\":[", OPTION_SEALED },
		{ "prompt_cache_key", "\"prompt_cache_key\"", OPTION_CACHE_KEY },
		{ "output_config.format", "\"format\":{\"type", OPTION_OUTPUT },
		{ "response_format", "\"response_format\":{", OPTION_OUTPUT },
		{ "json_schema", "\"response_format\":{", OPTION_OUTPUT },
		{ "text.format", "\"text\":{\"format", OPTION_OUTPUT },
		{ "responseJsonSchema", "\"responseJsonSchema\":", OPTION_OUTPUT },
		{ "response_json_schema", "\"responseJsonSchema\":", OPTION_OUTPUT },
		{ "response_schema", "\"responseJsonSchema\":", OPTION_OUTPUT },
		{ "response mime type", "\"responseJsonSchema\":", OPTION_OUTPUT },
		{ "thinking", "\"thinking\":{", OPTION_EFFORT },
		{ "thinking", "\"thinkingConfig\":{", OPTION_EFFORT },
		{ "Thinking", "\"thinkingConfig\":{", OPTION_EFFORT },
		{ "output_config", "\"output_config\":{\"effort", OPTION_EFFORT },
		{ "output_config", "\"output_config\":{\"format", OPTION_OUTPUT },
		{ "effort", "\"effort\":\"", OPTION_EFFORT },
		{ "effort", "\"reasoning_effort\"", OPTION_EFFORT },
	};
	unsigned found = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!found && str_find(message, str_of(rows[i].named)) >= 0 &&
			str_find(body, str_of(rows[i].sent)) >= 0)
			found = rows[i].option;
	return found;
}
