/* mail_read.c - the head of a message and its parts: RFC 5322 and 2045 as mail programs write
 * them. */
#include "core/notify/mail_read.h"

#include "core/notify/mail_decode.h"

/* ---- lines and fields ---- */

static bool line_cut(struct str *rest, struct str *line)
{
	if (!str_cut(rest, '\n', line)) return false;
	if (line->len && line->at[line->len - 1] == '\r') line->len--;
	return true;
}

/* "Name: value": the name in *name, where the value begins in *value. */
static bool field_split(struct str line, struct str *name, struct str *value)
{
	size_t n = 0;

	while (n < line.len && line.at[n] > ' ' && line.at[n] < 0x7f && line.at[n] != ':')
		n++;
	*name = str_first(line, n);
	while (n < line.len && (line.at[n] == ' ' || line.at[n] == '\t'))
		n++;
	if (!name->len || n == line.len || line.at[n] != ':') return false;
	*value = str_from(line, n + 1);
	return true;
}

struct fields {
	struct mail_field *at;
	size_t len, max;
	bool beyond;
};

/* Reads the fields up to the first empty line; *rest is what follows. A line that is no field
 * ends the head, too: the empty line may be missing. */
static void fields_read(struct str *rest, struct fields *out)
{
	struct str line, name, value;

	for (;;) {
		struct str before = *rest;

		if (!line_cut(rest, &line) || !line.len) return;
		if (line.at[0] == ' ' || line.at[0] == '\t') {
			struct mail_field *last =
				out->len ? &out->at[out->len - 1] : NULL;

			/* The value goes on: it lies in one piece in the message. */
			if (last)
				last->value.len =
					(size_t)(line.at + line.len - last->value.at);
			continue;
		}
		if (!field_split(line, &name, &value)) {
			*rest = before;
			return;
		}
		if (out->len == out->max) {
			out->beyond = true;
			return;
		}
		if (!value.at) value = str_make(line.at + line.len, 0);
		out->at[out->len++] = (struct mail_field){ name, value };
	}
}

static struct str field_get(const struct mail_field *f, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (str_is_nocase(f[i].name, name)) return f[i].value;
	return STR_NONE;
}

/* ---- content types ---- */

struct content {
	struct str type; /* "text/plain" */
	struct str charset, boundary;
	struct str encoding;
	bool attached;
};

static struct str parameter_get(struct str value, const char *name, struct arena *arena)
{
	struct str piece;

	value = mail_plain_value(value, arena);
	str_cut(&value, ';', &piece);
	while (str_cut(&value, ';', &piece)) {
		int eq = str_find(piece, STR("="));

		if (eq > 0 && str_is_nocase(str_trim(str_first(piece, (size_t)eq)), name))
			return str_trim(str_from(piece, (size_t)eq + 1));
	}
	return STR_NONE;
}

static struct content content_read(
	const struct mail_field *f, size_t len, struct arena *arena)
{
	struct str type = field_get(f, len, "content-type"), word;
	struct str rest = mail_plain_value(type, arena);
	struct str disposition =
		mail_plain_value(field_get(f, len, "content-disposition"), arena);
	struct content c = { .type = STR("text/plain") };

	if (str_cut(&rest, ';', &word) && str_trim(word).len) c.type = str_trim(word);
	c.charset = parameter_get(type, "charset", arena);
	c.boundary = parameter_get(type, "boundary", arena);
	c.encoding = str_trim(
		mail_plain_value(field_get(f, len, "content-transfer-encoding"), arena));
	c.attached = str_cut(&disposition, ';', &word) &&
		     str_is_nocase(str_trim(word), "attachment");
	return c;
}

static bool type_starts(struct str type, const char *prefix)
{
	return str_is_nocase(str_first(type, strlen(prefix)), prefix);
}

/* ---- parts ---- */

struct walk {
	struct arena *arena;
	size_t parts;
	bool beyond;
	struct content plain_as, html_as;
	struct str plain, html; /* bodies, still encoded */
	bool has_plain, has_html;
};

static void part_walk(struct walk *, const struct content *, struct str body, int depth);

static void entity_walk(struct walk *w, struct str raw, int depth)
{
	struct mail_field at[64];
	struct fields f = { .at = at, .max = sizeof at / sizeof *at };
	struct content c;

	if (++w->parts > MAIL_PARTS_MAX || depth > MAIL_DEPTH_MAX) {
		w->beyond = true;
		return;
	}
	fields_read(&raw, &f);
	if (f.beyond) {
		w->beyond = true;
		return;
	}
	c = content_read(f.at, f.len, w->arena);
	part_walk(w, &c, raw, depth);
}

/* 0: no delimiter; 1: one; 2: the last. */
static int delimiter(struct str line, struct str boundary)
{
	if (line.len < boundary.len + 2 || line.at[0] != '-' || line.at[1] != '-' ||
		!str_eq(str_first(str_from(line, 2), boundary.len), boundary))
		return 0;
	line = str_from(line, boundary.len + 2);
	if (str_starts(line, "--")) return 2;
	return str_trim(line).len ? 0 : 1;
}

static void multipart_walk(
	struct walk *w, struct str boundary, struct str body, int depth)
{
	struct str rest = body, line;
	const char *start = NULL;

	while (!w->beyond) {
		const char *at = rest.at;
		bool more = line_cut(&rest, &line);
		int kind = more ? delimiter(line, boundary) : 2;

		if (!kind) continue;
		if (start)
			entity_walk(w,
				str_make(
					start, (size_t)((more ? at : body.at + body.len) -
							start)),
				depth + 1);
		start = kind == 1 ? (rest.at ? rest.at : body.at + body.len) : NULL;
		if (kind == 2) return;
	}
}

static void part_walk(struct walk *w, const struct content *c, struct str body, int depth)
{
	if (type_starts(c->type, "multipart/")) {
		if (c->boundary.len && c->boundary.len <= 200)
			multipart_walk(w, c->boundary, body, depth);
		return;
	}
	if (c->attached) return;
	if (str_is_nocase(c->type, "text/plain") && !w->has_plain) {
		w->plain_as = *c;
		w->plain = body;
		w->has_plain = true;
	}
	if (str_is_nocase(c->type, "text/html") && !w->has_html) {
		w->html_as = *c;
		w->html = body;
		w->has_html = true;
	}
}

static struct str body_text(const struct content *c, struct str body, struct arena *arena)
{
	return mail_decode(body, c->encoding, c->charset, arena);
}

static struct str walk_text(struct walk *w)
{
	struct str text = STR_NONE;
	struct buf shown = { .max = MAIL_IN_MAX };

	if (w->has_plain) text = body_text(&w->plain_as, w->plain, w->arena);
	if (str_trim(text).len || !w->has_html) return text;
	mail_unhtml(&shown, body_text(&w->html_as, w->html, w->arena));
	text = arena_str(w->arena, buf_str(&shown));
	buf_done(&shown);
	return text;
}

/* ---- who wrote it ---- */

static struct str first_word(struct str value, struct arena *arena)
{
	struct str plain = str_trim(mail_plain_value(value, arena));
	size_t n = 0;

	while (n < plain.len && plain.at[n] > ' ' && plain.at[n] != ';')
		n++;
	return str_first(plain, n);
}

/* The value, or its first word where that is encoded ("=?utf-8?Q?R=C3=A9ponse_…?="). */
static struct str subject_start(struct str value, struct arena *arena)
{
	struct str charset, encoding, text, whole = str_trim(value), rest;
	char *plain;

	if (!str_starts(whole, "=?")) return whole;
	rest = str_from(whole, 2);
	if (!str_cut(&rest, '?', &charset) || !str_cut(&rest, '?', &encoding) ||
		!str_cut(&rest, '?', &text))
		return whole;
	if (str_is_nocase(encoding, "b"))
		return mail_decode(text, STR("base64"), charset, arena);
	plain = arena_copy(arena, text);
	for (size_t i = 0; plain && i < text.len; i++)
		if (plain[i] == '_') plain[i] = ' ';
	return plain ? mail_decode((struct str){ plain, text.len },
			       STR("quoted-printable"), charset, arena)
		     : STR_NONE;
}

/* Some answer for who is away and do not say so in a header. A person's reply starts as the
 * message did, or with "Re:". */
static bool subject_is_automatic(struct str value, struct arena *arena)
{
	static const char *const starts[] = { "auto:", "auto-reply", "auto reply",
		"autoreply", "auto response", "automatic reply", "automated reply",
		"out of office", "out of the office", "réponse automatique",
		"absence du bureau", "message d'absence", "automatische antwort",
		"abwesenheit", "automatisch antwoord", "respuesta automática",
		"resposta automática", "risposta automatica", "automatiskt svar",
		"automatisk svar", "autosvar" };
	struct str subject = subject_start(value, arena);

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (str_is_nocase(str_first(subject, strlen(starts[i])), starts[i]))
			return true;
	return false;
}

static bool is_automatic(
	const struct mail_in *m, const struct content *c, struct arena *arena)
{
	static const char *const robots[] = { "x-autoreply", "x-autorespond",
		"x-auto-reply", "x-autoresponder", "x-failed-recipients" };
	static const char *const precedences[] = { "bulk", "junk", "list", "auto_reply",
		"auto-reply" };

	if (str_is_nocase(c->type, "multipart/report") ||
		type_starts(c->type, "message/"))
		return true;
	for (size_t i = 0; i < m->fields_len; i++) {
		const struct mail_field *f = &m->fields[i];
		struct str word = first_word(f->value, arena);

		if (str_is_nocase(f->name, "auto-submitted") &&
			!str_is_nocase(word, "no"))
			return true;
		if (str_is_nocase(f->name, "return-path") &&
			(!str_trim(f->value).len || str_is(str_trim(f->value), "<>")))
			return true;
		if (str_is_nocase(f->name, "subject") &&
			subject_is_automatic(f->value, arena))
			return true;
		for (size_t k = 0; k < sizeof robots / sizeof *robots; k++)
			if (str_is_nocase(f->name, robots[k])) return true;
		for (size_t k = 0; k < sizeof precedences / sizeof *precedences; k++)
			if (str_is_nocase(f->name, "precedence") &&
				str_is_nocase(word, precedences[k]))
				return true;
	}
	return false;
}

static struct str author(const struct mail_in *m, struct arena *arena)
{
	struct str found[2], from = STR_NONE;
	size_t fields = 0;

	for (size_t i = 0; i < m->fields_len; i++)
		if (str_is_nocase(m->fields[i].name, "from")) {
			from = m->fields[i].value;
			fields++;
		}
	return fields == 1 && mail_addresses(from, arena, found, 2) == 1 ? found[0]
									 : STR_NONE;
}

static void rcpts_find(struct mail_in *m, struct arena *arena)
{
	static const char *const names[] = { "delivered-to", "x-original-to", "to",
		"cc" };
	enum { MOST = 100 };

	m->rcpts = ARENA_ARRAY(arena, struct str, MOST);
	for (size_t n = 0; m->rcpts && n < sizeof names / sizeof *names; n++)
		for (size_t i = 0; i < m->fields_len; i++)
			if (str_is_nocase(m->fields[i].name, names[n]))
				m->rcpts_len += mail_addresses(m->fields[i].value, arena,
					m->rcpts + m->rcpts_len, MOST - m->rcpts_len);
}

/* ---- the whole ---- */

enum mail_state mail_read(struct str raw, struct arena *arena, struct mail_in *out)
{
	struct fields f = { .max = MAIL_HEADERS_MAX };
	struct walk w = { .arena = arena };
	struct mail_in m = { 0 };
	struct content c;
	struct str line, rest = raw;

	if (raw.len > MAIL_IN_MAX) return MAIL_BEYOND;
	/* An mbox "From " line may precede the headers. */
	if (str_starts(raw, "From ") || str_starts(raw, ">From ")) line_cut(&rest, &line);
	f.at = ARENA_ARRAY(arena, struct mail_field, MAIL_HEADERS_MAX);
	if (!f.at) return MAIL_NONE;
	fields_read(&rest, &f);
	if (f.beyond) return MAIL_BEYOND;
	if (!f.len) return MAIL_NONE;
	m.fields = f.at;
	m.fields_len = f.len;
	c = content_read(f.at, f.len, arena);
	w.parts = 1;
	part_walk(&w, &c, rest, 1);
	if (w.beyond) return MAIL_BEYOND;
	m.automatic = is_automatic(&m, &c, arena);
	m.from = author(&m, arena);
	m.text = walk_text(&w);
	rcpts_find(&m, arena);
	if (arena->failed) return MAIL_NONE;
	*out = m;
	return MAIL_READ;
}

/* ---- who vouches for it ---- */

static struct str domain_of(struct str address)
{
	int at = str_find(address, STR("@"));

	return at < 0 ? STR_NONE : str_from(address, (size_t)at + 1);
}

/* "dmarc=pass header.from=example.org" */
static bool result_passes(struct str result, struct str domain)
{
	struct str word;
	bool first = true, pass = false, fits = false;

	while (str_cut(&result, ' ', &word)) {
		int eq = str_find(word, STR("="));
		struct str name = str_first(word, eq < 0 ? 0 : (size_t)eq);
		struct str value = str_from(word, eq < 0 ? word.len : (size_t)eq + 1);

		if (!word.len) continue;
		if (first) pass = str_is_nocase(value, "pass");
		first = false;
		if (str_is_nocase(name, "header.from"))
			fits = str_eq_nocase(value, domain);
	}
	return pass && fits;
}

bool mail_vouched(const struct mail_in *m, struct str authserv, struct arena *arena)
{
	struct str domain = domain_of(m->from);

	if (!domain.len || !authserv.len) return false;
	for (size_t i = 0; i < m->fields_len; i++) {
		struct str rest, piece;

		if (!str_is_nocase(m->fields[i].name, "authentication-results")) continue;
		rest = mail_results_value(m->fields[i].value, arena);
		if (!str_cut(&rest, ';', &piece) ||
			!str_eq_nocase(first_word(piece, arena), authserv))
			continue;
		while (str_cut(&rest, ';', &piece)) {
			piece = str_trim(piece);
			if (str_is_nocase(str_first(piece, 6), "dmarc=") ||
				str_is_nocase(str_first(piece, 6), "dmarc/"))
				return result_passes(piece, domain);
		}
		return false;
	}
	return false;
}
