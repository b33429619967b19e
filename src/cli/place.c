#include "cli/place.h"

#include <unistd.h>

#include "base/mem.h"
#include "cli/reach.h"
#include "cli/value.h"
#include "text/safe_text.h"

/* What the next line is. */
enum step { STEP_ANSWER, STEP_OTHER, STEP_NOTE };

struct place {
	struct cli *cli;
	struct client *person;
	int tty;
	bool prompted; /* a prompt stands on the last line */
	bool closed;   /* the person typed Ctrl-D */
	enum step step;
	struct question *question;
	struct str id;
	struct str word; /* the answer, while Other or a note is asked for */
	struct str other;
};

static void tty_say(const struct place *p, struct str text, const char *end)
{
	struct str line = arena_print(&p->cli->arena, "%.*s%s", STR_ARGS(text), end);

	tty_write(p->tty, line);
}

void place_prompt(struct place *p)
{
	static const char *const prompts[] = {
		[Q_TEXT] = "cli.place.text",
		[Q_NUMBER] = "cli.place.number",
		[Q_BOOLEAN] = "cli.place.boolean",
		[Q_CHOICE] = "cli.place.choice",
		[Q_CHOICES] = "cli.place.choices",
		[Q_APPROVAL] = "cli.place.approval",
	};
	const char *id = prompts[p->question->type];
	size_t last = p->question->options_len + (p->question->other ? 1 : 0);

	if (p->closed) return;
	if (p->step == STEP_OTHER) id = "cli.place.other";
	if (p->step == STEP_NOTE)
		id = p->question->note_required ? "cli.place.note"
						: "cli.place.note.maybe";
	tty_say(p,
		MSG(&p->cli->arena, id,
			{ "last", arena_print(&p->cli->arena, "%zu", last) }),
		" ");
	p->prompted = true;
}

void place_leave(struct place *p)
{
	if (p->prompted) tty_write(p->tty, STR("\n"));
	p->prompted = false;
}

static void question_show(struct place *p)
{
	const struct question *q = p->question;
	struct arena *arena = &p->cli->arena;
	struct buf text = { .max = 1 << 20 };

	buf_add_text(&text, tint_on(TINT_BOLD, p->cli->term.err_color));
	safe_wrap_add(&text, q->text, "", p->cli->term.width);
	buf_add_text(&text, tint_off(p->cli->term.err_color));
	for (size_t i = 0; i < q->options_len; i++) {
		buf_print(&text, "  %zu) ", i + 1);
		safe_line_add(&text, q->options[i].label);
		buf_add_char(&text, '\n');
	}
	if (q->other)
		buf_print(&text, "  %zu) %s\n", q->options_len + 1,
			MSG(arena, "cli.other").at);
	tty_write(p->tty, buf_str(&text));
	buf_done(&text);
}

static bool person_known(struct place *p)
{
	struct call call = { .method = "GET", .path = ask_path(p->cli, p->id, "") };
	struct reply reply;

	p->person = reach_person(p->cli);
	return p->person &&
	       client_call(p->person, &call, &p->cli->arena, &reply, NULL) == OK;
}

/* A background job that reads its terminal is stopped by it. */
static bool in_front(int tty)
{
	return tty >= 0 && isatty(STDIN_FILENO) && tcgetpgrp(tty) == getpgrp();
}

struct place *place_open(struct cli *cli, const struct json *ask)
{
	struct place *p = mem_alloc(sizeof *p);
	size_t len = 0;

	if (!p) return NULL;
	*p = (struct place){ .cli = cli, .tty = cli->term.err_tty ? tty_open() : -1 };
	p->id = json_text(json_get(ask, "id"));
	if (!in_front(p->tty) ||
		questions_load(json_get(ask, "questions"), &cli->arena, &p->question,
			&len, NULL) != OK ||
		len != 1)
		return place_free(p);
	if (!person_known(p)) {
		SAY("cli.place.login");
		return place_free(p);
	}
	question_show(p);
	place_prompt(p);
	return p;
}

struct place *place_free(struct place *p)
{
	if (!p) return NULL;
	place_leave(p);
	if (p->tty >= 0) close(p->tty);
	client_free(p->person);
	mem_free(p);
	return NULL;
}

int place_input_fd(const struct place *p)
{
	return p->closed ? -1 : p->tty;
}

static bool body_write(struct place *p, struct str note, struct buf *body)
{
	struct json_writer w = { .out = body };
	bool word = p->word.len > 0;
	struct said said = {
		.words = &p->word, .len = word ? 1 : 0, .other = p->other, .note = note
	};
	struct fault why = { 0 };

	jw_object(&w);
	jw_key(&w, "answer");
	if (value_write(p->question, &said, &p->cli->arena, &w, &why) != OK) {
		tty_say(p, str_of(why.detail), "\n");
		return false;
	}
	jw_object_end(&w);
	return !body->failed;
}

/* Is the word acceptable by itself? Says so when it is not. */
static bool word_fits(struct place *p)
{
	struct buf body = { .max = 65536 };
	bool fits = body_write(p, STR_NONE, &body);

	buf_done(&body);
	return fits;
}

static bool submit(struct place *p, struct str note, const struct json **ask)
{
	struct buf body = { .max = 65536 };
	struct reply reply;
	struct fault conflict = { 0 };
	int status;

	p->step = STEP_ANSWER;
	if (!body_write(p, note, &body)) {
		buf_done(&body);
		return false;
	}
	status = reach_call(p->cli, p->person, "POST", ask_path(p->cli, p->id, "/answer"),
		buf_str(&body), &reply, &conflict);
	buf_done(&body);
	const struct json *settled = json_get(reply.json, "ask");
	if (status == EXIT_NOT_ALLOWED) p->closed = true;
	if ((status != EXIT_YES && conflict.err == OK) || !settled) return false;
	if (conflict.err != OK) SAY("cli.place.late");
	*ask = settled;
	return true;
}

/* The line is the number of Other, which stands behind the options. */
static bool other_chosen(const struct place *p, struct str line)
{
	int64_t place, other = (int64_t)p->question->options_len + 1;

	return p->question->other && !option_find(p->question, line) &&
	       str_to_int(str_trim(line), other, other, &place);
}

/* What the line says, and what is to be asked next. True when it can be sent. */
static bool line_take(struct place *p, struct str line)
{
	switch (p->step) {
	case STEP_ANSWER:
		p->word = line;
		p->other = STR_NONE;
		if (str_trim(line).len == 0) return false;
		if (other_chosen(p, line)) {
			p->word = STR_NONE;
			p->step = STEP_OTHER;
			return false;
		}
		if (!word_fits(p)) return false;
		break;
	case STEP_OTHER:
		p->step = STEP_ANSWER;
		if (str_trim(line).len == 0) return false;
		p->other = line;
		break;
	case STEP_NOTE: return line.len > 0 || !p->question->note_required;
	}
	if (!p->question->note) return true;
	p->step = STEP_NOTE;
	return false;
}

bool place_input(struct place *p, const struct json **ask)
{
	struct str line;
	bool note = p->step == STEP_NOTE;

	p->prompted = false;
	if (!tty_read(p->tty, &p->cli->arena, &line)) {
		p->closed = true;
		tty_write(p->tty, STR("\n"));
		SAY("cli.place.closed", { "id", p->id });
		return false;
	}
	if (line_take(p, line) && submit(p, note ? line : STR_NONE, ask)) return true;
	place_prompt(p);
	return false;
}
