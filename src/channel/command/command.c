/* command.c - the channel of commands: programs of [channels] that tell somebody, each run as
 * resumers are. Exit status 0 is done; another is tried again. */
#include "channel/notify_text.h"
#include "channel/program.h"
#include "text/doctor.h"

enum { COMMAND_LIMIT_MS = 30 * 1000, COMMAND_ROOM = 14 * 1024 };

/* A word that begins with '-' would be taken for an option: a look-alike stands there. */
static struct str word_of(struct arena *arena, struct str text)
{
	return str_starts(text, "-")
		       ? arena_print(arena, "\u2010%.*s", STR_ARGS(str_from(text, 1)))
		       : text;
}

static enum err command_run(struct claimed *c, const struct resumer *r, struct fault *why)
{
	const struct notify *n = claimed_notify(c);
	const struct delivery *d = c->delivery;
	struct str purpose = str_of(delivery_purpose_name(d->purpose));
	struct notify_words words;
	struct resumer_values values;
	struct arena *arena = claimed_arena(c);

	notify_text(c, COMMAND_ROOM, &words);
	values = (struct resumer_values){ .url = words.url,
		.title = word_of(arena, words.title),
		.text = word_of(
			arena, arena_print(arena, "%.*s\n%.*s\n", STR_ARGS(words.text),
				       STR_ARGS(words.url))),
		.purpose = purpose,
		.user = word_of(arena, c->fill.user_name) };
	const struct program_var vars[] = {
		{ "PARLEY_URL", n->set.url },
		{ "PARLEY_PURPOSE", purpose },
		{ "PARLEY_ASK", d->ask },
		{ "PARLEY_DELIVERY", d->id },
	};
	return program_run(c, r, &values,
		program_env_of(c, vars, sizeof vars / sizeof *vars),
		resumer_wants_text(r) ? STR_NONE : values.text, COMMAND_LIMIT_MS, why);
}

static void command_start(struct claimed *c)
{
	const struct settings *set = &claimed_notify(c)->set;
	const struct resumer *r = program_named(claimed_state(c), set->channels,
		set->channels_len, c->fill.contact.address);
	struct fault why = { 0 };

	if (!r)
		claimed_over(
			c, ENDED_GONE, -1, STR("no command of this name is configured"));
	else if (command_run(c, r, &why))
		claimed_over(c, ENDED_BADLY, -1,
			arena_str(claimed_arena(c), str_of(why.detail)));
}

static size_t command_watch(struct claimed *c, struct pollfd fds[CHANNEL_FDS])
{
	struct process_end end;
	struct str error;
	size_t len = program_watch(c, fds, "it took longer than 30 s", &end, &error);

	if (len) return len;
	/* The output of a command is not kept. */
	c->outcome.output = STR_NONE;
	c->outcome.signal = 0;
	claimed_over(c, error.len ? ENDED_BADLY : ENDED_WELL, end.exit, error);
	return 0;
}

static void command_cut(struct claimed *c)
{
	process_done(&c->process);
	claimed_over(c, ENDED_EARLY, -1, STR("the server stopped meanwhile"));
}

static enum err command_open(struct notify *n, enum delivery_kind kind, struct fault *why)
{
	return program_lines(n, kind, n->set.channels, n->set.channels_len, why);
}

static void command_doctor(const struct settings *set, const struct doctor *d)
{
	for (size_t i = 0; i < set->channels_len; i++) {
		struct resumer words;

		/* A wrong line would have stopped us before. */
		if (resumer_read(set->channels[i].command, COMMAND_TELLS, d->arena,
			    &words, NULL))
			continue;
		bool found = process_found(words.words[0], d->arena);
		DOCTOR_WHETHER(d, found, "cli.doctor.channel", "cli.doctor.bad_channel",
			{ "name", set->channels[i].name }, { "program", words.words[0] });
	}
}

const struct channel channel_command = {
	.open = command_open,
	.doctor = command_doctor,
	.slots = 8,
	.start = command_start,
	.watch = command_watch,
	.cut = command_cut,
};
