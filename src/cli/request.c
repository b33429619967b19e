/* request.c - writes the bodies of requests; makes the one request that a row describes. */
#include "cli/request.h"

#include <stdio.h>

#include "base/keep.h"
#include "cli/resource.h"

enum { BODY_MAX = 2 << 20 };

static void list_write(struct json_writer *w, struct str list)
{
	struct str one;

	jw_array(w);
	while (str_cut(&list, ',', &one))
		jw_str(w, str_trim(one));
	jw_array_end(w);
}

static void number_write(struct json_writer *w, struct str text)
{
	int64_t n;

	if (str_to_int(text, 0, INT64_MAX, &n))
		jw_int(w, n);
	else
		jw_str(w, text);
}

static void member_put(struct json_writer *w, const struct body_member *m)
{
	if (m->json)
		jw_put_json(w, m->name, m->json);
	else if (m->yes)
		jw_put_bool(w, m->name, true);
	else if (m->text.at)
		jw_put_str(w, m->name, m->text);
	else if (m->number.at)
		jw_key(w, m->name), number_write(w, m->number);
	else if (m->list.len)
		jw_key(w, m->name), list_write(w, m->list);
	else if (m->raw.at)
		jw_put_raw(w, m->name, m->raw);
	else
		jw_put_some(w, m->name, m->value);
}

struct str request_object(struct arena *arena, const struct body_member *members)
{
	return request_without(arena, NULL, "", members);
}

struct str request_without(struct arena *arena, const struct json *object,
	const char *names, const struct body_member *more)
{
	struct buf body = { .max = BODY_MAX };
	struct json_writer w = { .out = &body };

	jw_object(&w);
	for (uint32_t i = 0; object && i < object->count; i++) {
		if (args_among(names, object->members[i].name)) continue;
		jw_name(&w, object->members[i].name);
		jw_json(&w, &object->members[i].value);
	}
	for (; more->name; more++)
		member_put(&w, more);
	jw_object_end(&w);
	return buf_keep_done(&body, arena);
}

/* All values of an option as a JSON array; without one `at` is NULL. */
static struct str request_option_list(struct cli *cli, const char *option)
{
	struct buf list = { .max = BODY_MAX };
	struct json_writer w = { .out = &list };
	struct str one;

	if (!cli_has(cli, option)) return STR_NONE;
	jw_array(&w);
	for (size_t i = 0; args_next(&cli->args, option, &i, &one);)
		jw_str(&w, one);
	jw_array_end(&w);
	return buf_keep_done(&list, &cli->arena);
}

struct str request_word_list(struct cli *cli, size_t first)
{
	struct buf list = { .max = BODY_MAX };
	struct json_writer w = { .out = &list };

	jw_array(&w);
	for (size_t i = first; i < cli->args.words_len; i++)
		jw_str(&w, cli_word(cli, i));
	jw_array_end(&w);
	return buf_keep_done(&list, &cli->arena);
}

bool request_pair(struct json_writer *w, struct str pair, struct arena *arena)
{
	const struct json *json;
	struct str name, value = pair;

	str_cut(&value, '=', &name);
	if (name.len == 0 || name.len == pair.len) return false;
	jw_name(w, name);
	if (json_read(value, NULL, arena, &json, NULL) == OK && json->type != JSON_STRING)
		jw_json(w, json);
	else
		jw_str(w, value);
	return true;
}

struct str request_reason(struct cli *cli)
{
	return BODY(cli, { "reason", cli_arg(cli, "reason") });
}

/* ---- rows ---- */

static struct body_member member_given(struct cli *cli, const struct request_member *row)
{
	const char *option = row->option ? row->option : row->name;
	struct body_member m = { .name = row->name };

	switch (row->type) {
	case REQUEST_SOME: m.value = cli_arg(cli, option); break;
	case REQUEST_TEXT: m.text = cli_arg(cli, option); break;
	case REQUEST_NUMBER: m.number = cli_arg(cli, option); break;
	case REQUEST_LIST: m.list = cli_arg(cli, option); break;
	case REQUEST_MANY: m.raw = request_option_list(cli, option); break;
	case REQUEST_SWITCH: m.yes = cli_has(cli, option); break;
	}
	return m;
}

static struct str body_given(struct cli *cli, const struct cli_request *r)
{
	struct body_member members[REQUEST_MEMBERS + 1] = { 0 };

	if (!r->body) return str_of(r->fixed ? r->fixed : "{}");
	for (size_t i = 0; i < REQUEST_MEMBERS && r->body[i].name; i++)
		members[i] = member_given(cli, &r->body[i]);
	return request_object(&cli->arena, members);
}

int request_run(struct cli *cli)
{
	const struct cli_request *r = cli->command->does;
	struct str path = str_of(r->path);
	const struct json *reply;

	if (!str_starts(path, "/v1/"))
		path = resource_path(cli, cli->command->of, resource_id(cli), r->path);
	reply = cli_call(cli, r->method, path, body_given(cli, r));
	if (as_json(cli)) return reply_done(cli, reply);
	if (r->prints) printf("%.*s\n", STR_ARGS(json_text_of(reply, r->prints)));
	if (r->shows) r->shows(cli, reply);
	if (!r->prints && !r->shows && cli->term.err_tty) SAY("cli.done");
	return EXIT_YES;
}
