/* approval.c - asks for an approval and checks that what was approved is what we asked
 * for. */
#include "cli/approval.h"

#include "cli/request.h"

static bool digest_fits(const struct approval *ap)
{
	struct str session = json_text_of(ap->asking.ask, "session");
	char ours[DIGEST_SIZE];

	operation_digest(ap->operation, NULL, session, ours);
	return str_is(json_text_of(ap->asking.ask, "digest"), ours);
}

const struct json *approval_operation(
	struct cli *cli, const char *type, struct str name, struct str arguments)
{
	struct str text = BODY(cli, { "type", str_of(type) }, { "name", .text = name },
		{ "arguments", .raw = arguments });
	const struct json *operation;
	struct fault why = { 0 };

	if (!arguments.at) CLI_REFUSE(cli, "cli.too_long");
	if (json_read(text, NULL, &cli->arena, &operation, &why)) cli_fail_end(cli, &why);
	return operation;
}

/* With its risk. */
static struct str operation_text(struct approval *ap)
{
	return request_without(&ap->asking.cli->arena, ap->operation, "",
		(const struct body_member[]){
			{ "risk", cli_arg(ap->asking.cli, "risk") }, { 0 } });
}

struct str decide_body(struct approval *ap, struct str session)
{
	return BODY(ap->asking.cli, { "operation", .raw = operation_text(ap) },
		{ "session", session });
}

void approval_ask(struct approval *ap)
{
	struct asking *a = &ap->asking;
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };
	struct str session = asking_open(a);

	jw_object(&w);
	jw_put_text(&w, "kind", "approval");
	jw_put_raw(&w, "operation", operation_text(ap));
	asking_members(a, &w, session, ap->diff);
	jw_object_end(&w);
	if (body.failed) CLI_REFUSE(a->cli, "cli.too_long");
	asking_post(a, buf_str(&body));
	buf_done(&body);
	if (!digest_fits(ap))
		cli_end(a->cli, CLI_SAY(EXIT_NOT_ALLOWED, "cli.digest.wrong"));
}

/* The answer to the one question of an approval. */
static const struct json *decision_of(const struct json *ask)
{
	const struct json *answer = json_get(ask, "answer");

	return json_is(answer, JSON_OBJECT) && answer->count == 1
		       ? &answer->members[0].value
		       : NULL;
}

const struct json *approval_edited(const struct json *ask)
{
	return json_get(decision_of(ask), "arguments");
}

bool approval_digest(const struct approval *ap, char out[DIGEST_SIZE])
{
	const struct json *ask = ap->asking.ask, *edited = approval_edited(ask);
	struct str session = json_text_of(ask, "session");
	struct str said = json_text_of(ask, "approved_digest");

	if (!str_is(json_text_of(ask, "status"), "answered") ||
		!str_is(json_text_of(decision_of(ask), "value"), "approve") ||
		!digest_fits(ap))
		return false;
	operation_digest(ap->operation, edited, session, out);
	return edited || said.len > 0 ? str_is(said, out) : true;
}

int approval_use(struct approval *ap, const char *digest)
{
	struct cli *cli = ap->asking.cli;
	struct str body = BODY(cli, { "digest", str_of(digest) }, { "for", ap->target });
	struct fault conflict = { 0 };
	struct api_reply reply;
	int status = cli_call_by(cli, ap->asking.client, "POST",
		ask_path(cli, ap->asking.id, "/use"), body, &reply, &conflict);

	if (conflict.err != OK) {
		struct str type = json_text_of(reply.json, "type");

		ap->refused = arena_str(&cli->arena, str_of(conflict.detail));
		ap->forbidden = str_ends(type, "/stopped") || str_ends(type, "/denied");
		return CLI_SAY(EXIT_NOT_ALLOWED, "cli.gate.used",
			{ "detail", str_of(conflict.detail) });
	}
	if (status == EXIT_YES && reply.status != 200) return EXIT_NOT_ALLOWED;
	if (status == EXIT_YES)
		ap->token = arena_str(&cli->arena, json_text_of(reply.json, "approval"));
	return status;
}
