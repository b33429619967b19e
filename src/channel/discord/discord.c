/* discord.c - the channel of Discord: a message by the webhook of a Discord channel. Mentions are off, and
 * what agents wrote stands in a fence, where nothing is read as markup. */
#include "base/json_pattern.h"
#include "base/keep.h"
#include "channel/notify_text.h"
#include "channel/post.h"

enum { DISCORD_ROOM = 1200, DISCORD_MAX = 1800 };

/* A backtick would end the fence: a look-alike stands for it. */
static struct str content_of(const struct notify_words *words, struct arena *arena)
{
	struct str parts[] = { words->title, STR("\n\n"), words->text }, piece;
	struct buf out = { .max = 1 << 16 };

	buf_add_text(&out, "```\n");
	for (size_t i = 0; i < 3; i++)
		while (str_cut(&parts[i], '`', &piece)) {
			buf_add(&out, piece);
			if (parts[i].at) buf_add_text(&out, "\xcb\x8b");
		}
	if (out.len > DISCORD_MAX) out.len = DISCORD_MAX;
	buf_add_text(&out, "```\n");
	buf_add(&out, words->url);
	return buf_keep_done(&out, arena);
}

static void discord_done(void *ctx, const struct outbound_reply *reply)
{
	struct claimed *c = ctx;

	c->outcome.retry_after_ms = reply->retry_after_ms;
	if (reply->status == 404)
		claimed_over(c, ENDED_GONE, 404, STR("404: the webhook was deleted"));
	else
		post_over(c, reply);
}

static void discord_start(struct claimed *c)
{
	static const char *const headers[] = { "content-type: application/json", NULL };
	struct arena *arena = claimed_arena(c);
	struct buf out = { .max = 1 << 16 };
	struct json_writer w = { .out = &out };
	struct notify_words words;

	notify_text(c, DISCORD_ROOM, &words);
	JW(&w, "{'content':%s,'allowed_mentions':{'parse':[]}}",
		content_of(&words, arena));
	post_send_out(c, (struct outbound_request){
				 .url = arena_copy(arena, c->fill.contact.address),
				 .body = buf_keep_done(&out, arena),
				 .headers = headers,
				 .done = discord_done });
}

const struct channel channel_discord = {
	.slots = 8,
	.start = discord_start,
	.cut = post_cut,
};
