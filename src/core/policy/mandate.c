/* mandate.c - reads mandates, narrows them, finds the line that a call is drawn from. */
#include "core/policy/mandate.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/show.h"

enum { KEY_MAX = 64, AMOUNT_DIGITS = 15, AMOUNT_DECIMALS = 6, MILLION = 1000000 };

/* ---- sums ---- */

static bool amount_parse(struct str text, size_t most, amount *out)
{
	size_t digits = 0, decimals = 0;
	bool point = false;
	amount all = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '.' && !point && i) {
			point = true;
			continue;
		}
		if (text.at[i] < '0' || text.at[i] > '9') return false;
		if (++digits > most) return false;
		if (point && ++decimals > AMOUNT_DECIMALS) return false;
		all = all * 10 + (amount)(text.at[i] - '0');
	}
	if (!digits || (point && !decimals)) return false;
	while (decimals++ < AMOUNT_DECIMALS)
		all *= 10;
	*out = all;
	return true;
}

bool amount_read(struct str text, amount *out)
{
	return amount_parse(text, AMOUNT_DIGITS, out);
}

void amount_write(struct buf *out, amount a)
{
	uint32_t rest = (uint32_t)(a % MILLION);
	amount whole = a / MILLION;
	char digits[48];
	size_t n = sizeof digits;

	do
		digits[--n] = (char)('0' + (int)(whole % 10));
	while (whole /= 10);
	buf_add(out, str_make(digits + n, sizeof digits - n));
	if (!rest) return;
	buf_add_char(out, '.');
	for (uint32_t unit = MILLION / 10; rest; unit /= 10) {
		buf_add_char(out, (char)('0' + (int)(rest / unit)));
		rest %= unit;
	}
}

static void amount_put(struct json_writer *w, const char *name, bool known, amount a)
{
	struct buf text = { .max = 64 };

	amount_write(&text, a);
	if (known)
		jw_put_raw(w, name, buf_str(&text));
	else
		show_text(w, name, STR_NONE);
	buf_done(&text);
}

/* ---- lines ---- */

static void member_put(struct json *object, struct str name, const struct json *value)
{
	if (value)
		object->members[object->count++] = (struct json_member){ name, *value };
}

/* The match of a rule that says the same. */
static void match_read(struct check *c, const struct json_place *at,
	const struct json *tool, const struct json *arguments, struct mandate_line *l,
	struct arena *arena)
{
	struct json_member *room = ARENA_ARRAY(arena, struct json_member, 4);
	struct json_member *most = ARENA_ARRAY(arena, struct json_member, 1);
	struct json *match = ARENA_NEW(arena, struct json);

	if (!room || !most || !match) return;
	*most = (struct json_member){ STR("max"),
		{ .type = JSON_STRING, .text = str_of(risk_name(l->risk)) } };
	*match = (struct json){ .type = JSON_OBJECT, .members = room };
	member_put(match, STR("tool"), tool);
	member_put(match, STR("arguments"), arguments);
	member_put(match, STR("risk"),
		&(struct json){ .type = JSON_OBJECT, .count = 1, .members = most });
	rule_match_check(c, at, match, EFFECT_ALLOW, false, arena, &l->match);
}

static bool has_wildcard(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == '*' || name.at[i] == '?') return true;
	return false;
}

static bool only_wildcards(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] != '*' && name.at[i] != '?') return false;
	return true;
}

static void names_check(
	struct check *c, const struct json_place *at, const struct mandate_line *l)
{
	struct json_place tools = place_member(at, STR("tool"));

	for (size_t i = 0; i < l->match.tools_len; i++) {
		struct json_place item = place_item(&tools, i);

		if (only_wildcards(l->match.tools[i].name))
			wrong(c, &item, "must name a tool: a mandate is for known calls");
		else if (l->risk == RISK_HIGH && has_wildcard(l->match.tools[i].name))
			wrong(c, &item, "must be a name without * and ? at high risk");
	}
}

static void sum_read(struct check *c, const struct json_place *at, const struct json *sum,
	struct mandate_line *l)
{
	static const struct str names[] = { STR("pointer"), STR("max") };
	static const struct members known = { names, 2 };
	struct json_place spot = place_member(at, STR("sum"));
	const struct json *m[2];

	if (!sum || !members_read(c, &spot, sum, &known, NULL, m)) return;
	l->sums = true;
	l->pointer = text_read(c, &spot, names[0], m[0], 200, TEXT_LINE | TEXT_NEEDED);
	if (m[0] && l->pointer.len && l->pointer.at[0] != '/')
		wrong_member(
			c, &spot, names[0], "must be a JSON pointer such as /amount");
	if (!json_is(m[1], JSON_NUMBER) || !amount_read(m[1]->text, &l->max))
		wrong_member(c, &spot, names[1],
			"must be a number of at most 15 digits, 6 of them decimals");
}

static void line_read(struct check *c, const struct json_place *at,
	const struct json *json, struct arena *arena, struct mandate_line *out)
{
	static const struct str names[] = { STR("key"), STR("tool"), STR("arguments"),
		STR("uses"), STR("sum"), STR("risk") };
	static const struct members known = { names, 6 };
	const struct json *m[6];

	*out = (struct mandate_line){ .risk = RISK_MEDIUM, .json = json };
	if (!members_read(c, at, json, &known, NULL, m)) return;
	out->key = text_read(
		c, at, names[0], m[0], KEY_MAX, TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	if (!m[1]) wrong_member(c, at, names[1], "required");
	if (!m[3]) wrong_member(c, at, names[3], "required");
	if (count_read(c, at, names[3], m[3], 1, MANDATE_USES_MAX) && m[3])
		out->uses = m[3]->integer;
	if (m[5] && (!risk_read(json_text(m[5]), &out->risk) || out->risk > RISK_HIGH)) {
		wrong_member(c, at, names[5],
			"must be medium or high: critical calls are always asked");
		out->risk = RISK_MEDIUM;
	}
	sum_read(c, at, m[4], out);
	if (!m[1]) return;
	match_read(c, at, m[1], m[2], out, arena);
	names_check(c, at, out);
}

void mandate_lines_read(struct check *c, const struct json_place *at,
	const struct json *list, struct arena *arena, struct mandate_lines *out)
{
	out->len = 0;
	if (!json_is(list, JSON_ARRAY) || !list->count ||
		list->count > MANDATE_LINES_MAX) {
		wrong(c, at, "must be an array of 1 to %d lines", MANDATE_LINES_MAX);
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct json_place item = place_item(at, i);
		struct mandate_line *l = &out->at[out->len];

		line_read(c, &item, &list->items[i], arena, l);
		for (size_t k = 0; k < out->len; k++)
			if (str_eq(out->at[k].key, l->key))
				wrong_member(c, &item, STR("key"), "must be unique");
		out->len++;
	}
}

int64_t mandate_until_read(struct check *c, const struct json_place *at,
	const struct json *until, int64_t now_ms)
{
	int64_t ms = 0, span;

	if (!until || until->type == JSON_NULL) return now_ms + MANDATE_USUAL_MS;
	if (json_is(until, JSON_STRING) && time_read(until->text, &ms))
		span = ms - now_ms;
	else if (duration_of(until, &span))
		ms = now_ms + span;
	else
		span = 0;
	if (span > 0 && span <= MANDATE_LONGEST_MS) return ms;
	wrong(c, at, "must be a time or a duration such as 2h, at most 7d from now");
	return 0;
}

bool mandate_lines_load(struct str text, struct arena *arena, struct mandate_lines *out)
{
	struct check c = { 0 };
	struct json_place root = place_root("");
	const struct json *list;

	if (json_read(text, NULL, arena, &list, NULL)) return false;
	mandate_lines_read(&c, &root, list, arena, out);
	return !c.failed && !arena->failed;
}

bool mandate_counts_load(
	struct str text, size_t len, struct arena *arena, struct mandate_count *out)
{
	const struct json *list;

	if (json_read(text, NULL, arena, &list, NULL) || !json_is(list, JSON_ARRAY) ||
		list->count != len)
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct json *used = json_get(&list->items[i], "used");
		const struct json *spent = json_get(&list->items[i], "spent");

		out[i] = (struct mandate_count){ 0 };
		if (!used || !used->is_int) return false;
		out[i].used = used->integer;
		/* What was added up may have decimals that its limit has not. */
		if (json_is(spent, JSON_NUMBER) &&
			!amount_parse(spent->text, AMOUNT_DIGITS + AMOUNT_DECIMALS,
				&out[i].spent))
			return false;
	}
	return true;
}

struct str mandate_counts_text(const struct mandate_lines *l,
	const struct mandate_count *counts, struct arena *arena)
{
	struct buf b = { .max = 16384 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < l->len; i++) {
		jw_object(&w);
		jw_put_int(&w, "used", counts[i].used);
		amount_put(&w, "spent", l->at[i].sums, counts[i].spent);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

enum risk mandate_risk(const struct mandate_lines *l)
{
	enum risk most = RISK_MEDIUM;

	for (size_t i = 0; i < l->len; i++)
		if (l->at[i].risk > most) most = l->at[i].risk;
	return most;
}

/* ---- narrowing ---- */

static bool json_same(const struct json *a, const struct json *b)
{
	struct buf left = { 0 }, right = { 0 };
	bool same;

	if (!a || !b) return !a && !b;
	json_canonical(&left, a);
	json_canonical(&right, b);
	same = !left.failed && !right.failed && str_eq(buf_str(&left), buf_str(&right));
	buf_done(&left);
	buf_done(&right);
	return same;
}

static void line_narrow(struct check *c, const struct json_place *at,
	const struct mandate_line *was, const struct mandate_line *now)
{
	static const char *const fixed[] = { "tool", "arguments", "risk" };
	struct json_place sum = place_member(at, STR("sum"));

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (!json_same(
			    json_get(was->json, fixed[i]), json_get(now->json, fixed[i])))
			wrong_member(
				c, at, str_of(fixed[i]), "must stay as it was asked");
	if (now->uses > was->uses)
		wrong_member(c, at, STR("uses"), "must be at most %lld, as asked",
			(long long)was->uses);
	if (was->sums != now->sums || !str_eq(was->pointer, now->pointer))
		wrong(c, &sum, "must stay as it was asked");
	else if (now->max > was->max)
		wrong_member(c, &sum, STR("max"), "must be at most what was asked");
}

void mandate_narrow(struct check *c, const struct json_place *at,
	const struct mandate_record *asked, const struct json *edited, int64_t now_ms,
	struct arena *arena, struct str *out, int64_t *until_ms)
{
	static const struct str names[] = { STR("lines"), STR("until") };
	static const struct members known = { names, 2 };
	struct json_place lines = place_member(at, names[0]);
	struct json_place until = place_member(at, names[1]);
	struct mandate_lines *was = ARENA_NEW(arena, struct mandate_lines);
	struct mandate_lines *now = ARENA_NEW(arena, struct mandate_lines);
	const struct json *m[2];
	struct buf text = { 0 };

	if (!was || !now || !mandate_lines_load(asked->lines, arena, was)) {
		wrong(c, at, "cannot be read");
		return;
	}
	if (!members_read(c, at, edited, &known, NULL, m)) return;
	mandate_lines_read(c, &lines, m[0], arena, now);
	for (size_t i = 0; i < now->len; i++) {
		struct json_place item = place_item(&lines, i);
		size_t k = 0;

		while (k < was->len && !str_eq(was->at[k].key, now->at[i].key))
			k++;
		if (k == was->len)
			wrong_member(c, &item, STR("key"), "was not asked for");
		else
			line_narrow(c, &item, &was->at[k], &now->at[i]);
	}
	*until_ms = m[1] ? mandate_until_read(c, &until, m[1], now_ms) : asked->until_ms;
	if (*until_ms > asked->until_ms) wrong(c, &until, "must not be later than asked");
	if (m[0]) json_write(&text, m[0]);
	*out = buf_keep_done(&text, arena);
}

/* ---- drawing ---- */

static bool line_costs(const struct mandate_line *l, const struct mandate_count *n,
	const struct operation_view *look, amount *takes)
{
	const struct json *value =
		l->sums ? argument_at(look->arguments, l->pointer) : NULL;

	*takes = 0;
	if (n->used >= l->uses) return false;
	if (!l->sums) return true;
	return json_is(value, JSON_NUMBER) && amount_read(value->text, takes) &&
	       n->spent + *takes <= l->max;
}

int mandate_fit(const struct mandate_lines *l, const struct mandate_count *counts,
	const struct operation_view *look, enum risk risk, struct arena *arena,
	amount *takes)
{
	if (look->type > TYPE_DB_OP) return -1;
	for (size_t i = 0; i < l->len; i++)
		if (rule_fits(&l->at[i].match, EFFECT_ALLOW, look, risk, arena) &&
			line_costs(&l->at[i], &counts[i], look, takes))
			return (int)i;
	return -1;
}

bool mandate_left(const struct mandate_lines *l, const struct mandate_count *counts)
{
	for (size_t i = 0; i < l->len; i++)
		if (counts[i].used < l->at[i].uses) return true;
	return false;
}

bool mandate_holds(const struct mandate_record *m, int64_t now_ms)
{
	return str_is(m->status, "live") && !m->ended_ms && m->until_ms > now_ms;
}

/* ---- shown ---- */

static void lines_show(struct json_writer *w, const struct mandate_record *m)
{
	struct arena arena = { 0 };
	struct mandate_lines *l = ARENA_NEW(&arena, struct mandate_lines);
	struct mandate_count counts[MANDATE_LINES_MAX] = { 0 };

	jw_put_array(w, "lines");
	if (l && mandate_lines_load(m->lines, &arena, l) &&
		mandate_counts_load(m->counts, l->len, &arena, counts))
		for (size_t i = 0; i < l->len; i++) {
			jw_object(w);
			for (uint32_t k = 0; k < l->at[i].json->count; k++) {
				jw_name(w, l->at[i].json->members[k].name);
				jw_json(w, &l->at[i].json->members[k].value);
			}
			jw_put_int(w, "used", counts[i].used);
			amount_put(w, "spent", l->at[i].sums, counts[i].spent);
			jw_object_end(w);
		}
	jw_array_end(w);
	w->out->failed |= arena.failed;
	arena_done(&arena);
}

void mandate_digest(const struct mandate_record *m, char out[SHORT_DIGEST_SIZE])
{
	char until[NUMBER_SIZE], created[NUMBER_SIZE], ended[NUMBER_SIZE];
	const struct str fields[] = { m->id, m->title, m->reason, m->agent, m->agent_name,
		m->session, m->project, m->ask, m->status, m->lines,
		digest_number(m->until_ms, until), m->granted_by, m->granted_user,
		digest_number(m->created_ms, created), m->ended,
		digest_number(m->ended_ms, ended) };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}

void mandate_show(struct json_writer *w, const struct mandate_record *m, int64_t now_ms)
{
	bool over = !m->ended_ms && m->until_ms <= now_ms;

	jw_object(w);
	show_text(w, "id", m->id);
	jw_put_str(w, "title", m->title);
	show_text(w, "reason", m->reason);
	show_text(w, "agent", m->agent_name.len ? m->agent_name : m->agent);
	show_text(w, "session", m->session);
	show_text(w, "project", m->project);
	show_text(w, "ask", m->ask);
	show_text(w, "status", over ? STR("ended") : m->status);
	lines_show(w, m);
	show_time(w, "until", m->until_ms);
	show_json(w, "granted_by", m->granted_by);
	show_time(w, "created_at", m->created_ms);
	if (over) {
		jw_put_object(w, "ended");
		show_time(w, "at", m->until_ms);
		jw_put_raw(w, "by", STR("{\"kind\":\"system\"}"));
		jw_put_text(w, "why", "until");
		jw_object_end(w);
	} else {
		show_json(w, "ended", m->ended);
	}
	jw_put_int(w, "version", m->version);
	jw_object_end(w);
}

struct str mandate_drawn_text(const struct mandate_record *m,
	const struct mandate_lines *l, const struct mandate_count *counts, int line,
	struct arena *arena)
{
	const struct mandate_line *at = &l->at[line];
	struct buf b = { .max = 4096 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_put_str(&w, "id", m->id);
	jw_put_str(&w, "line", at->key);
	jw_put_int(&w, "used", counts[line].used);
	jw_put_int(&w, "uses", at->uses);
	amount_put(&w, "spent", at->sums, counts[line].spent);
	amount_put(&w, "max", at->sums, at->max);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}
