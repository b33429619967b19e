/* insights_csv.c - insights as a table for spreadsheets (RFC 4180): a row for each kind, agent, …. */
#include "desk/session/insights.h"

#include "core/shared/body.h"

enum { COLUMNS_MAX = 16 };

/* Which member of the insights, and what is shown of each; `key`: the name that a member of an
 * object has there. */
static const struct csv_table {
	const char *by, *member, *key;
	const char *columns[COLUMNS_MAX];
} csv_tables[] = {
	{ "kind", "by_kind", "kind",
		{ "created", "answered", "skipped", "expired", "cancelled",
			"by_rules" } },
	{ "agent", "by_agent", NULL,
		{ "agent", "asks", "by_rules", "decided", "approved", "median_ms" } },
	{ "project", "by_project", NULL,
		{ "project", "asks", "answered", "expired", "by_rules", "median_ms" } },
	{ "person", "by_person", NULL,
		{ "user", "name", "answered", "decided", "approved", "median_ms" } },
	{ "hour", "by_hour", NULL,
		{ "hour", "created", "answered", "expired", "median_ms" } },
	{ "day", "by_day", NULL,
		{ "day", "created", "answered", "by_rules", "expired", "median_ms" } },
	{ "question", "questions", NULL,
		{ "text", "pattern", "kind", "asks", "answered", "skipped", "expired",
			"cancelled", "by_rules", "median_ms", "agents", "answers",
			"last" } },
};

/* A spreadsheet takes what begins so for a formula. */
static bool is_formula(struct str text)
{
	return text.len && strchr("=+-@\t", text.at[0]) != NULL;
}

static void cell_text(struct buf *out, struct str text)
{
	bool quotes = false;

	for (size_t i = 0; i < text.len; i++)
		quotes |= strchr("\",\r\n", text.at[i]) != NULL;
	if (quotes) buf_add_char(out, '"');
	if (is_formula(text)) buf_add_char(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '"') buf_add_char(out, '"');
		buf_add_char(out, text.at[i]);
	}
	if (quotes) buf_add_char(out, '"');
}

/* "staging 3, prod 1"; names with commas between. */
static void list_text(struct buf *out, const struct json *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		const struct json *value = json_get(item, "value");

		if (i) buf_add_text(out, ", ");
		if (json_is(item, JSON_STRING))
			buf_add(out, item->text);
		else if (json_is(value, JSON_STRING))
			buf_add(out, value->text);
		else if (value)
			json_canonical(out, value);
		if (value) {
			buf_add_char(out, ' ');
			json_canonical(out, json_get(item, "count"));
		}
	}
}

static void cell_write(struct buf *out, const struct json *value)
{
	struct buf text = { .max = 1 << 20 };

	if (json_is(value, JSON_OBJECT)) value = json_get(value, "name"); /* an agent */
	if (json_is(value, JSON_STRING))
		buf_add(&text, value->text);
	else if (json_is(value, JSON_ARRAY))
		list_text(&text, value);
	else if (value && value->type != JSON_NULL)
		json_canonical(&text, value);
	cell_text(out, buf_str(&text));
	if (text.failed) out->failed = true;
	buf_done(&text);
}

static void row_write(struct buf *out, const struct csv_table *t, struct str key,
	const struct json *row)
{
	if (t->key) cell_text(out, key);
	for (size_t i = 0; i < COLUMNS_MAX && t->columns[i]; i++) {
		if (i || t->key) buf_add_char(out, ',');
		cell_write(out, json_get(row, t->columns[i]));
	}
	buf_add_text(out, "\r\n");
}

static void csv_write(
	struct buf *out, const struct csv_table *t, const struct json *insights)
{
	const struct json *rows = json_get(insights, t->member);

	if (t->key) buf_add_text(out, t->key);
	for (size_t i = 0; i < COLUMNS_MAX && t->columns[i]; i++) {
		if (i || t->key) buf_add_char(out, ',');
		buf_add_text(out, t->columns[i]);
	}
	buf_add_text(out, "\r\n");
	for (uint32_t i = 0; rows && i < rows->count; i++)
		if (t->key)
			row_write(out, t, rows->members[i].name, &rows->members[i].value);
		else
			row_write(out, t, STR_NONE, &rows->items[i]);
}

static const struct csv_table *csv_find(struct str by)
{
	for (size_t i = 0; i < sizeof csv_tables / sizeof *csv_tables; i++)
		if (str_is(by, csv_tables[i].by)) return &csv_tables[i];
	return NULL;
}

static enum err csv_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct csv_table *table = csv_find(task_param(t, "by"));
	const struct json *insights;
	struct buf text = { 0 };
	enum err e;

	if (!table)
		return fail_at(why, "/by",
			"must be kind, agent, project, person, hour, day or question");
	e = insights_counted(t, rows, &text, why);
	if (!e) e = json_read(buf_str(&text), NULL, &job->arena, &insights, why);
	if (!e) csv_write(&job->out, table, insights);
	buf_done(&text);
	return e;
}

const struct use use_insights_csv = READS("insights_csv", 0, JOB_SLOW, csv_read, NULL);
