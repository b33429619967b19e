/* inbox_prompt.c - questions that the inbox itself asks, in its last line: whom to assign
 * an ask to, for how long to snooze it, what to write to an agent, and whether to stop a
 * session or to end an approval in advance. */
#include "base/clock.h"
#include "base/json_pattern.h"
#include "tui/inbox_inner.h"

void prompt_open(struct inbox *in, enum prompt prompt, struct str id, struct str title)
{
	if (id.len == 0 || !in->may_answer) return;
	in->prompt = prompt;
	buf_clear(&in->prompt_id);
	buf_add(&in->prompt_id, id);
	buf_clear(&in->prompt_title);
	buf_add(&in->prompt_title, title);
	line_set(&in->prompt_line, STR_NONE);
	if (prompt == PROMPT_ASSIGN) inbox_users(in);
}

/* ---- what is sent; false: it is asked again ---- */

/* The user of this name or id; "me" is the person. */
static struct str user_find(const struct inbox *in, struct str name)
{
	if (str_is(name, "me") || str_is(name, msg_text("tui.assign.me")))
		return buf_str(&in->user);
	for (const struct json *u = NULL; json_each(in->users.json, &u);)
		if (str_eq(json_text_of(u, "name"), name) ||
			str_eq(json_text_of(u, "id"), name))
			return json_text_of(u, "id");
	return STR_NONE;
}

/* The names that were typed as ids; the first that nobody has is said. */
static bool assign_send(struct inbox *in, struct str typed)
{
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	struct str name, unknown = STR_NONE;

	jw_object(&w);
	jw_put_array(&w, "assignees");
	while (!unknown.len && str_cut(&typed, ',', &name)) {
		struct str id = user_find(in, str_trim(name));

		if (id.len)
			jw_str(&w, id);
		else
			unknown = str_trim(name);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	if (unknown.len)
		INBOX_SAY(in, STYLE_BAD, "tui.assign.unknown", { "name", unknown });
	else
		inbox_send(in, REQUEST_ASSIGN, buf_str(&in->prompt_id), buf_str(&body));
	buf_done(&body);
	return !unknown.len;
}

static bool snooze_send(struct inbox *in, struct str typed)
{
	bool sent = mark_snooze(in, buf_str(&in->prompt_id), typed);

	if (!sent) INBOX_SAY(in, STYLE_BAD, "tui.snooze.wrong");
	return sent;
}

static bool stop_send(struct inbox *in, struct str typed)
{
	(void)typed;
	inbox_send(in, REQUEST_STOP, buf_str(&in->prompt_id), STR("{}"));
	return true;
}

static bool end_send(struct inbox *in, struct str typed)
{
	(void)typed;
	inbox_send(in, REQUEST_END, buf_str(&in->prompt_id), STR("{}"));
	return true;
}

static bool message_send(struct inbox *in, struct str typed)
{
	if (typed.len)
		inbox_send(in, REQUEST_MESSAGE, buf_str(&in->prompt_id),
			JSON_TEXT(&in->turn, "{'content':%s}", typed));
	return typed.len > 0;
}

/* ---- keys and drawing ---- */

static const struct {
	const char *id;	  /* the question, with {title} */
	const char *hint; /* what may be typed; NULL: the notice has no place beside it */
	bool (*send)(struct inbox *, struct str typed);
	bool yes_no; /* a single key answers it */
} prompts[] = {
	[PROMPT_ASSIGN] = { "tui.assign", "tui.assign.hint", assign_send },
	[PROMPT_SNOOZE] = { "tui.snooze", "tui.snooze.hint", snooze_send },
	[PROMPT_STOP] = { "tui.stop", NULL, stop_send, .yes_no = true },
	[PROMPT_END] = { "tui.mandate.end", NULL, end_send, .yes_no = true },
	[PROMPT_MESSAGE] = { "tui.message", NULL, message_send },
};

void prompt_key(struct inbox *in, const struct key *k)
{
	bool over = k->name == K_ESCAPE || prompts[in->prompt].yes_no;
	bool yes = prompts[in->prompt].yes_no ? key_alone(k) == dialog_yes()
					      : k->name == K_ENTER && !k->pasted;

	if (yes)
		over |= prompts[in->prompt].send(
			in, str_trim(line_text(&in->prompt_line)));
	else if (!over)
		line_key(&in->prompt_line, k, false);
	if (over) in->prompt = PROMPT_NONE;
}

void prompt_draw(struct inbox *in, struct page *p)
{
	const char *hint = prompts[in->prompt].hint;
	bool yes_no = prompts[in->prompt].yes_no;

	PAGE_MSG(p, yes_no ? STYLE_WARN : STYLE_BOLD, prompts[in->prompt].id,
		{ "title", buf_str(&in->prompt_title) },
		{ "agent", buf_str(&in->prompt_title) });
	if (yes_no) return;
	page_add_text(p, STYLE_PLAIN, " ");
	page_line(p, STYLE_ACCENT, &in->prompt_line);
	if (hint && in->notice.len > 0 && clock_person_ms() < in->notice_until)
		page_word(p, in->notice_style, buf_str(&in->notice));
	else if (hint)
		page_word(p, STYLE_SOFT, MSG(&p->words, hint));
}
