/* export.c - parley export, parley check --export: the log of a workspace in a file, which grows as FILE.part
 * until it is whole and verified, and the check of such a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/proof.h"
#include "cli/verb/verbs.h"
#include "core/proof/export.h"
#include "text/safe_text.h"

/* ---- checked ---- */

static struct proof_keys keys_known(struct cli *cli)
{
	struct proof_keys keys = { 0 };
	struct fault why = { 0 };
	struct buf text = { 0 };

	if (cli_has(cli, "key")) return proof_keys_given(cli);
	json_write(&text, cli_call_get(cli, STR("/v1/keys")));
	if (proof_keys_read(buf_keep_done(&text, &cli->arena), &cli->arena, &keys, &why))
		cli_fail_end(cli, &why);
	return keys;
}

/* Line by line, as far as it is right. */
static enum export_wrong file_check(FILE *f, struct export_check *c)
{
	enum export_wrong w = EXPORT_RIGHT;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (!w && (n = getline(&line, &room, f)) > 0) {
		struct arena scratch = { .max = 512u << 20 };

		w = line[n - 1] == '\n' ? export_check_line(c,
						  str_make(line, (size_t)n - 1), &scratch)
					: EXPORT_CUT;
		arena_done(&scratch);
	}
	free(line);
	return w ? w : export_check_over(c);
}

static struct str number_text(struct cli *cli, int64_t n)
{
	return arena_print(&cli->arena, "%lld", (long long)n);
}

/* "line 12: the event does not follow from the one before". */
static int wrong_say(struct cli *cli, const struct export_check *c, enum export_wrong w)
{
	const char *name = export_wrong_name(w), *word = proof_word_name(c->word);
	struct str line = number_text(cli, c->line + 1);
	char id[64];

	if (as_json(cli)) {
		printf("%.*s\n",
			STR_ARGS(BODY(cli, { "ok", .raw = STR("false") },
				{ "line", .number = line }, { "wrong", str_of(name) },
				{ "word", c->word ? str_of(word) : STR_NONE })));
		return EXIT_NO;
	}
	snprintf(id, sizeof id, "cli.export.wrong.%s", name);
	printf("%s\n",
		MSG(&cli->arena, id, { "line", line }, { "word", str_of(word) }).at);
	if (c->word == PROOF_KID) SAY("cli.export.other_key");
	return EXIT_NO;
}

static int right_say(
	struct cli *cli, const struct export_check *c, const char *id, struct str file)
{
	struct str events = number_text(cli, c->events), asks = number_text(cli, c->asks),
		   receipts = number_text(cli, c->receipts),
		   workspace = safe_line(&cli->arena, c->workspace);

	if (as_json(cli))
		printf("%.*s\n",
			STR_ARGS(BODY(cli, { "ok", .yes = true }, { "file", file },
				{ "workspace", c->workspace },
				{ "events", .number = events },
				{ "asks", .number = asks },
				{ "receipts", .number = receipts },
				{ "last", .number = number_text(cli, c->sums.last) })));
	else
		printf("%s\n", MSG(&cli->arena, id, { "events", events },
				       { "asks", asks }, { "receipts", receipts },
				       { "workspace", workspace }, { "file", file })
				       .at);
	return EXIT_YES;
}

int export_check_run(struct cli *cli)
{
	struct str file = cli_arg(cli, "export");
	FILE *f = fopen(arena_copy(&cli->arena, file), "re");
	struct proof_keys keys;
	struct export_check c = { 0 };
	enum export_wrong w;
	int code;

	if (!f)
		return CLI_USAGE(cli, "cli.export.unread", { "file", file },
			{ "why", str_of(strerror(errno)) });
	keys = keys_known(cli);
	c.keys = &keys;
	w = file_check(f, &c);
	fclose(f);
	code = w ? wrong_say(cli, &c, w) : right_say(cli, &c, "cli.export.sound", file);
	export_check_done(&c);
	return code;
}

/* ---- fetched ---- */

struct export_part {
	struct str file, path; /* as it will be called, and until then */
	FILE *f;
	struct proof_keys keys;
	bool got, unwritten; /* bytes came; the disk did not take them */
};

/* What the flags ask for, as a head says it. */
static struct str filter_meant(struct cli *cli)
{
	struct buf text = { 0 }, canonical = { 0 };
	struct export_filter meant = { .project = cli_arg(cli, "project") };
	const struct {
		const char *flag;
		int64_t *ms;
	} times[] = { { "from", &meant.from_ms }, { "to", &meant.to_ms } };
	const struct json *filter;

	for (size_t i = 0; i < 2; i++)
		if (cli_has(cli, times[i].flag) &&
			!time_read(cli_arg(cli, times[i].flag), times[i].ms))
			CLI_REFUSE(cli, "cli.export.time",
				{ "flag", str_of(times[i].flag) });
	export_filter_write(&(struct json_writer){ .out = &text }, &meant);
	if (!json_read(
		    buf_keep_done(&text, &cli->arena), NULL, &cli->arena, &filter, NULL))
		json_canonical(&canonical, filter);
	return buf_keep_done(&canonical, &cli->arena);
}

static void part_refuse(struct cli *cli, const struct export_part *p, const char *id)
{
	CLI_REFUSE(cli, id, { "file", p->path }, { "why", str_of(strerror(errno)) });
}

static void part_open(struct cli *cli, struct export_part *p)
{
	int fd;

	p->file = cli_word(cli, 0);
	p->path = arena_print(&cli->arena, "%.*s.part", STR_ARGS(p->file));
	if (faccessat(AT_FDCWD, arena_copy(&cli->arena, p->file), F_OK,
		    AT_SYMLINK_NOFOLLOW) == 0)
		CLI_REFUSE(cli, "cli.backup.exists", { "file", p->file });
	fd = open(p->path.at, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fchmod(fd, 0600) != 0 || !(p->f = fdopen(fd, "r+")))
		part_refuse(cli, p, "cli.export.unread");
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) part_refuse(cli, p, "cli.export.busy");
}

/* What a cut left is kept up to where the stream goes on. */
static void part_cut(struct cli *cli, struct export_part *p, const struct export_check *c)
{
	if (c->line && !str_eq(c->filter, filter_meant(cli)))
		part_refuse(cli, p, "cli.export.other");
	if (ftruncate(fileno(p->f), c->keep) != 0 || fseek(p->f, 0, SEEK_END) != 0)
		part_refuse(cli, p, "cli.export.unread");
}

static bool part_take(void *ctx, struct str bytes)
{
	struct export_part *p = ctx;

	p->got = true;
	p->unwritten |= fwrite(bytes.at, 1, bytes.len, p->f) != bytes.len;
	return !p->unwritten;
}

/* One request for what is missing. EXIT_YES also when it was cut: the check tells. */
static int part_fetch(struct cli *cli, struct export_part *p, int64_t after)
{
	struct str query = flags_query(cli, "", "from to project");
	struct api_call call = { .method = "GET",
		.path = arena_print(&cli->arena, "/v1/export?after=%lld%s%.*s",
			(long long)after, query.len ? "&" : "",
			STR_ARGS(str_from(query, query.len ? 1 : 0))),
		.hold_ms = -1,
		.take = part_take,
		.take_ctx = p };
	struct api_reply reply;
	struct fault why = { 0 };
	enum err e = client_call(cli->client, &call, &cli->arena, &reply, &why);

	p->unwritten |= fflush(p->f) != 0 || fsync(fileno(p->f)) != 0;
	if (p->unwritten) part_refuse(cli, p, "cli.export.unread");
	return !e || p->got ? EXIT_YES : cli_fail(cli, &why);
}

static int part_finish(
	struct cli *cli, struct export_part *p, const struct export_check *c)
{
	const char *to = arena_copy(&cli->arena, p->file);

	if (renameat2(AT_FDCWD, p->path.at, AT_FDCWD, to, RENAME_NOREPLACE) != 0 &&
		((errno != EINVAL && errno != ENOSYS) || link(p->path.at, to) != 0 ||
			unlink(p->path.at) != 0))
		part_refuse(cli, p, "cli.export.unread");
	return right_say(cli, c, "cli.export.done", p->file);
}

static enum export_wrong part_check(struct export_part *p, struct export_check *c)
{
	*c = (struct export_check){ .keys = &p->keys };
	rewind(p->f);
	return file_check(p->f, c);
}

static int export_run(struct cli *cli)
{
	struct export_part p = { 0 };
	struct export_check c;
	enum export_wrong w;
	int code = EXIT_YES;

	filter_meant(cli);
	cli_call_open(cli);
	p.keys = keys_known(cli);
	part_open(cli, &p);
	w = part_check(&p, &c);
	if (w) {
		part_cut(cli, &p, &c);
		code = part_fetch(cli, &p, c.keep ? c.after : 0);
		export_check_done(&c);
		if (code == EXIT_YES) w = part_check(&p, &c);
	}
	if (code == EXIT_YES)
		code = !w		 ? part_finish(cli, &p, &c)
		       : w == EXPORT_CUT ? CLI_SAY(EXIT_NO_SERVER, "cli.export.cut",
						   { "file", p.path })
					 : wrong_say(cli, &c, w);
	else if (!c.keep)
		unlink(p.path.at);
	export_check_done(&c);
	fclose(p.f);
	return code;
}

static const struct flag flags[] = { { "from", "TIME" }, { "to", "TIME" },
	{ "project", "NAME" }, { "key", "FILE" }, { "json" }, { 0 } };

const struct command export_verbs[] = {
	{ "export", export_run, "FILE", 1, 1, flags, CLIENT, "0 1 2 3 4",
		"parley export parley-2026.ndjson\n"
		"parley export shop.ndjson --project shop --from 2026-01-01T00:00:00Z" },
	{ 0 },
};
