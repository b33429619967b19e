/* mail_in.c - parley mail-in: hands a message on standard input to the server of this machine.
 * For the pipe of a mail server, which reads the exit status: 0 taken, or knowingly dropped; 65 not
 * a message; 75 try again. */
#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/admin.h"
#include "base/hash.h"
#include "base/json_pattern.h"
#include "cli/request.h"
#include "cli/verb/verbs.h"
#include "core/notify/mail_read.h"

enum { CALL_MS = 60 * 1000 };

/* All of standard input, though no more than the bound is kept: a mail server that cannot write
 * to the end takes that for a failure. */
static void input_read(struct buf *out)
{
	char piece[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, piece, sizeof piece)) > 0)
		if (out->len <= MAIL_IN_MAX) buf_add(out, str_make(piece, (size_t)n));
}

static struct str body_write(
	struct str message, struct str recipient, struct arena *arena)
{
	struct buf text = { 0 };
	struct str body;

	base64_write(&text, message);
	body = text.failed ? STR_NONE
			   : JSON_TEXT(arena, "{'message':%?,'recipient':%?}",
				     buf_str(&text), recipient);
	buf_done(&text);
	return body;
}

static int message_send(struct cli *cli, struct str message)
{
	struct arena *arena = &cli->arena;
	struct client_setup setup = { .url = admin_local_address(
					      cli->settings.data, arena),
		.via = STR("cli"),
		.stop_fd = -1 };
	struct api_call call = { .method = "POST",
		.path = STR("/v1/in/mail"),
		.body = body_write(message, cli_word(cli, 0), arena) };
	struct api_reply reply = { 0 };
	struct fault why = { 0 };
	struct client *client = call.body.len ? client_new(&setup, &why) : NULL;
	enum err e = client ? client_call(client, &call, arena, &reply, &why) : why.err;

	client_free(client);
	if (client && !e) return EX_OK;
	fprintf(stderr, "parley: %s\n", why.detail[0] ? why.detail : "out of memory");
	return EX_TEMPFAIL;
}

static int mail_in_run(struct cli *cli)
{
	struct buf message = { .max = MAIL_IN_MAX + 128 * 1024 };
	struct mail_in read_mail;
	enum mail_state state;
	int status = EX_OK;

	input_read(&message);
	state = mail_read(buf_str(&message), &cli->arena, &read_mail);
	if (message.failed || cli->arena.failed)
		status = EX_TEMPFAIL;
	else if (state == MAIL_NONE)
		status = EX_DATAERR;
	else if (state == MAIL_READ)
		status = message_send(cli, buf_str(&message));
	buf_done(&message);
	return status;
}

const struct command mail_in_verbs[] = {
	{ "mail-in", mail_in_run, "[RECIPIENT]", 0, 1, NULL, STORE, "0 2 65 75",
		"parley mail-in --data /var/lib/parley < message.eml" },
	{ 0 },
};
