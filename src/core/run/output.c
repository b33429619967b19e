/* output.c - a run's last words against the schema of its agent. */
#include "core/run/output.h"

#include "core/run/run.h"
#include "core/run/run_tool.h"

#define MISS "does not fit the schema of the output: "

void output_schema_check(
	struct check *c, const struct json_place *at, const struct json *schema)
{
	struct buf text = { 0 };

	json_write(&text, schema);
	if (text.len > JSON_SCHEMA_MAX)
		wrong(c, at, "must have at most %d bytes", JSON_SCHEMA_MAX);
	else if (schema->type != JSON_OBJECT)
		wrong(c, at, "must be a schema: an object");
	else
		json_schema_check(c, at, schema);
	buf_done(&text);
}

bool output_fits(const struct json *schema, struct str text, struct arena *arena,
	struct str *wrong)
{
	struct json_miss miss = { STR_NONE, STR("must be JSON alone") };
	const struct json *value;

	if (!json_read(text, NULL, arena, &value, NULL) &&
		json_schema_fits(schema, value, NULL, arena, &miss))
		return true;
	*wrong = arena_print(arena, "It " MISS "%s%.*s", miss.at.len ? "" : "the whole ",
		STR_ARGS(run_tool_wrong(&miss, arena)));
	return false;
}

bool output_missed(struct str content)
{
	return str_find(content, STR(MISS)) >= 0;
}

void output_write(struct json_writer *w, const struct run *r)
{
	struct arena arena = { 0 };
	const struct json *value = NULL;

	/* Most have no schema: their reports are not read. */
	if (r->status != RUN_COMPLETED ||
		str_find(r->config, STR("\"output_schema\":{")) < 0 ||
		json_read(r->report, NULL, &arena, &value, NULL))
		value = NULL;
	jw_put_json(w, "output", value);
	arena_done(&arena);
}
