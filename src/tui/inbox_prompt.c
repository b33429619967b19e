/* inbox_prompt.c - questions that the inbox itself asks, in its last line: whom to assign
 * an ask to, for how long to snooze it, what to write to an agent, and whether to stop a
 * session. */
#include "base/clock.h"
#include "text/msg.h"
#include "tui/inbox_inner.h"

void prompt_assign(struct inbox *in, struct str ask)
{
	if (ask.len == 0 || !in->may_answer) return;
	in->prompt = PROMPT_ASSIGN;
	buf_clear(&in->prompt_id);
	buf_add(&in->prompt_id, ask);
	line_set(&in->prompt_line, STR_NONE);
	data_users(in);
}

void prompt_snooze(struct inbox *in, struct str ask)
{
	if (ask.len == 0 || !in->may_answer) return;
	in->prompt = PROMPT_SNOOZE;
	buf_clear(&in->prompt_id);
	buf_add(&in->prompt_id, ask);
	line_set(&in->prompt_line, STR_NONE);
}

void prompt_stop(struct inbox *in, struct str session, struct str title)
{
	if (session.len == 0 || !in->may_answer) return;
	in->prompt = PROMPT_STOP;
	buf_clear(&in->prompt_id);
	buf_add(&in->prompt_id, session);
	buf_clear(&in->prompt_title);
	buf_add(&in->prompt_title, title);
}

void prompt_message(struct inbox *in)
{
	if (!in->session.runnable || !in->may_answer) return;
	in->prompt = PROMPT_MESSAGE;
	buf_clear(&in->prompt_id);
	buf_add(&in->prompt_id, buf_str(&in->session.id));
	line_set(&in->prompt_line, STR_NONE);
}

void prompt_users(struct inbox *in, const struct json *page)
{
	struct buf text = { 0 };

	arena_done(&in->users_arena);
	json_write(&text, json_get(page, "items"));
	struct str kept = arena_str(&in->users_arena, buf_str(&text));
	if (json_read(kept, NULL, &in->users_arena, &in->users, NULL) != OK)
		in->users = NULL;
	buf_done(&text);
}

struct str user_name(const struct inbox *in, struct str id)
{
	for (const struct json *item = NULL; json_each(in->users, &item);)
		if (str_eq(json_text_of(item, "id"), id))
			return json_text_of(item, "name");
	return STR_NONE;
}

/* The user of this name or id; "me" is the person. */
static struct str user_find(const struct inbox *in, struct str name)
{
	if (str_is(name, "me")) return buf_str(&in->user);
	for (const struct json *u = NULL; json_each(in->users, &u);) {
		if (str_eq(json_text_of(u, "name"), name) ||
			str_eq(json_text_of(u, "id"), name))
			return json_text_of(u, "id");
	}
	return STR_NONE;
}

/* False: a name is not known, which is said. */
static bool assignees_write(struct inbox *in, struct json_writer *w)
{
	struct str rest = line_text(&in->prompt_line), one;
	struct arena arena = { 0 };
	bool good = true;

	jw_object(w);
	jw_put_array(w, "assignees");
	while (good && str_cut(&rest, ',', &one)) {
		struct str id = user_find(in, str_trim(one));

		if (str_trim(one).len == 0) continue;
		if (id.len > 0)
			jw_str(w, id);
		else
			good = false, inbox_say(in, STYLE_BAD,
					      MSG(&arena, "tui.assign.unknown",
						      { "name", str_trim(one) }));
	}
	jw_array_end(w);
	jw_object_end(w);
	arena_done(&arena);
	return good;
}

static void assign_send(struct inbox *in)
{
	struct buf body = { .max = 65536 }, path = { .max = 1024 };
	struct json_writer w = { .out = &body };

	if (assignees_write(in, &w)) {
		buf_add_text(&path, "/v1/asks/");
		url_add(&path, buf_str(&in->prompt_id));
		buf_add_text(&path, "/assign");
		data_call(in, "POST", buf_str(&path), buf_str(&body), TAG_ASSIGN);
		in->prompt = PROMPT_NONE;
	}
	buf_done(&path);
	buf_done(&body);
}

static void stop_send(struct inbox *in)
{
	struct buf path = { .max = 1024 };

	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, buf_str(&in->prompt_id));
	buf_add_text(&path, "/cancel");
	data_call(in, "POST", buf_str(&path), STR("{}"), TAG_STOP);
	buf_done(&path);
}

static void message_send(struct inbox *in)
{
	struct buf body = { .max = 1 << 20 }, path = { .max = 1024 };
	struct json_writer w = { .out = &body };
	struct str text = str_trim(line_text(&in->prompt_line));

	if (!text.len) return;
	jw_object(&w);
	jw_put_str(&w, "content", text);
	jw_object_end(&w);
	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, buf_str(&in->prompt_id));
	buf_add_text(&path, "/messages");
	data_call(in, "POST", buf_str(&path), buf_str(&body), TAG_MESSAGE);
	in->prompt = PROMPT_NONE;
	buf_done(&path);
	buf_done(&body);
}

static void snooze_send(struct inbox *in)
{
	struct arena arena = { 0 };

	if (mark_snooze(
		    in, buf_str(&in->prompt_id), str_trim(line_text(&in->prompt_line))))
		in->prompt = PROMPT_NONE;
	else
		inbox_say(in, STYLE_BAD, MSG(&arena, "tui.snooze.wrong"));
	arena_done(&arena);
}

void prompt_key(struct inbox *in, const struct key *k)
{
	const char *yes = msg_text("tui.yes");

	if (k->name == K_ESCAPE) {
		in->prompt = PROMPT_NONE;
	} else if (in->prompt == PROMPT_STOP) {
		if (key_alone(k) == (yes ? yes[0] : 'y')) stop_send(in);
		in->prompt = PROMPT_NONE;
	} else if (k->name == K_ENTER && !k->pasted) {
		if (in->prompt == PROMPT_ASSIGN)
			assign_send(in);
		else if (in->prompt == PROMPT_MESSAGE)
			message_send(in);
		else
			snooze_send(in);
	} else {
		line_key(&in->prompt_line, k, false);
	}
}

void prompt_draw(struct inbox *in, struct page *p)
{
	struct arena arena = { 0 };

	if (in->prompt == PROMPT_STOP) {
		page_add(p, STYLE_WARN,
			MSG(&arena, "tui.stop", { "title", buf_str(&in->prompt_title) }));
	} else if (in->prompt == PROMPT_MESSAGE) {
		page_add(p, STYLE_BOLD,
			MSG(&arena, "tui.message",
				{ "agent", buf_str(&in->session.agent) }));
		page_add_text(p, STYLE_PLAIN, " ");
		page_line(p, STYLE_ACCENT, &in->prompt_line);
	} else {
		bool assign = in->prompt == PROMPT_ASSIGN;

		page_add(
			p, STYLE_BOLD, MSG(&arena, assign ? "tui.assign" : "tui.snooze"));
		page_add_text(p, STYLE_PLAIN, " ");
		page_line(p, STYLE_ACCENT, &in->prompt_line);
		page_add_text(p, STYLE_PLAIN, "  ");
		if (in->notice.len > 0 && clock_person_ms() < in->notice_until)
			page_add(p, in->notice_style, buf_str(&in->notice));
		else
			page_add(p, STYLE_SOFT,
				MSG(&arena,
					assign ? "tui.assign.hint" : "tui.snooze.hint"));
	}
	arena_done(&arena);
}
