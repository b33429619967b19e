/* contact.c - contacts: bodies read, JSON written. */
#include "core/notify/contact.h"

#include "core/shared/address.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

static const char *const formats[] = {
	[FORMAT_PARLEY] = "parley",
	[FORMAT_SLACK] = "slack",
	[FORMAT_TEAMS] = "teams",
	[FORMAT_NTFY] = "ntfy",
};
enum { FORMATS = sizeof formats / sizeof *formats };

bool contact_usable(const struct contact *c)
{
	return contact_open(c) && !c->broken_ms;
}

bool contact_open(const struct contact *c)
{
	return c->verified && !c->muted;
}

static void digest_of(const struct contact *c, bool detail, char out[SHORT_DIGEST_SIZE])
{
	char created[NUMBER_SIZE];
	const struct str fields[] = { c->id, c->user, c->team,
		str_of(delivery_kind_name(c->channel)), c->address, c->format,
		c->verified ? STR("1") : STR("0"), digest_number(c->created_ms, created),
		c->detail };

	digest_fields(fields, sizeof fields / sizeof *fields - !detail, out);
}

void contact_digest(const struct contact *c, char out[SHORT_DIGEST_SIZE])
{
	digest_of(c, true, out);
}

void contact_digest_before(const struct contact *c, char out[SHORT_DIGEST_SIZE])
{
	digest_of(c, false, out);
}

enum contact_format contact_format(const struct contact *c)
{
	int i = name_find(formats, FORMATS, c->format);

	return i < 0 ? FORMAT_PARLEY : (enum contact_format)i;
}

/* ---- bodies ---- */

enum { C_CHANNEL, C_ADDRESS, C_FORMAT, C_NAME, C_SUBSCRIPTION, C_LEN };
static const struct str names[C_LEN] = { [C_CHANNEL] = STR("channel"),
	[C_ADDRESS] = STR("address"),
	[C_FORMAT] = STR("format"),
	[C_NAME] = STR("name"),
	[C_SUBSCRIPTION] = STR("subscription") };
static const struct members members = { names, C_LEN };

static void address_check(struct check *c, const struct json_place *root,
	const struct contact_body *b, bool of_team)
{
	const struct channel_address *a = channel_kinds[b->channel].address;

	if (a->valid && !a->valid(b->address, of_team))
		wrong_member(c, root, names[C_ADDRESS], "%s",
			of_team && a->team_must ? a->team_must : a->must);
}

static void format_check(
	struct check *c, const struct json_place *root, const struct contact_body *b)
{
	bool one = channel_is(b->channel, CHANNEL_FORMATS);

	if (one ? name_find(formats, FORMATS, b->format) < 0 : b->format.len > 0)
		wrong_member(c, root, names[C_FORMAT],
			one ? "must be parley, slack, teams or ntfy"
			    : "is of webhooks only");
}

/* An address; of push the browser's subscription, in which the address stands. */
static void where_read(struct check *c, const struct json_place *root,
	const struct json *const m[C_LEN], bool of_team, struct contact_body *b)
{
	if (!channel_is(b->channel, CHANNEL_BROWSER)) {
		b->address = text_read(c, root, names[C_ADDRESS], m[C_ADDRESS],
			CONTACT_ADDRESS_MAX, TEXT_LINE | TEXT_NEEDED | TEXT_FILLED);
		if (m[C_SUBSCRIPTION])
			wrong_member(c, root, names[C_SUBSCRIPTION], "is of push only");
		return;
	}
	if (of_team)
		wrong_member(c, root, names[C_CHANNEL],
			"a browser is a person's: add it to a user");
	if (m[C_ADDRESS])
		wrong_member(c, root, names[C_ADDRESS], "of push: in the subscription");
	subscription_read(c, root, m[C_SUBSCRIPTION], &b->subscription);
	b->address = b->subscription.endpoint;
}

enum err contact_body_read(const struct json *body, bool of_team,
	struct contact_body *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	const struct json *m[C_LEN];
	struct contact_body b = { 0 };

	if (members_read(&c, &root, body, &members, NULL, m)) {
		if (!delivery_kind_read(json_text(m[C_CHANNEL]), &b.channel) ||
			!delivery_kind_is_channel(b.channel))
			wrong_member(&c, &root, names[C_CHANNEL], CHANNEL_MUST);
		where_read(&c, &root, m, of_team, &b);
		b.name = text_read(
			&c, &root, names[C_NAME], m[C_NAME], CONTACT_NAME_MAX, TEXT_LINE);
		b.format =
			text_read(&c, &root, names[C_FORMAT], m[C_FORMAT], 20, TEXT_LINE);
		if (channel_is(b.channel, CHANNEL_FORMATS) && !b.format.len)
			b.format = str_of(formats[FORMAT_PARLEY]);
		if (!c.failed) address_check(&c, &root, &b, of_team);
		if (!c.failed) format_check(&c, &root, &b);
	}
	enum err e = check_end(&c, NULL);
	if (!e) *out = b;
	return e;
}

static void patch_check(const struct shape_reading *r)
{
	struct contact_patch *p = r->out;

	p->has_name = json_get(r->json, "name") != NULL;
	p->has_muted = shape_said(r, "muted");
	if (!p->has_name && !p->has_muted) wrong(r->check, r->at, "nothing to change");
}

static const struct shape_member patch_members[] = {
	{ STR("name"), OF_TEXT, AT(contact_patch, name), 0, CONTACT_NAME_MAX, TEXT_LINE },
	{ STR("muted"), OF_BOOL, AT(contact_patch, muted) },
};
/* As ContactPatch in openapi.json. */
static const struct shape contact_patch_shape = { SHAPE(patch_members, contact_patch),
	.together = patch_check };

enum err contact_patch_read(
	const struct json *body, struct contact_patch *out, struct fault *why)
{
	struct contact_patch p = { 0 };
	enum err e = shape_take(&contact_patch_shape, body, NULL, NULL, &p, why);

	if (!e) *out = p;
	return e;
}

static const char *const lookup_channels[] = { [DELIVERY_SLACK] = "slack" };

static const struct shape_member lookup_members[] = {
	{ STR("channel"), OF_WORD, AT(contact_lookup, channel), .flags = TEXT_NEEDED,
		WORDS(lookup_channels), .must = "must be slack" },
	{ STR("email"), OF_NAME, AT(contact_lookup, email), .fits = mail_address_valid,
		.must = "must be one e-mail address" },
};

/* As ContactLookup in openapi.json. */
static const struct shape lookup_shape = { SHAPE(lookup_members, contact_lookup) };

enum err contact_lookup_read(const struct json *body, struct contact_lookup *out,
	struct arena *arena, struct fault *why)
{
	return shape_take(&lookup_shape, body, NULL, arena, out, why);
}

/* ---- shown ---- */

struct str contact_target(const struct contact *c)
{
	if (c->name.len) return c->name;
	return c->team.len && channel_is(c->channel, CHANNEL_IDS) ? c->address : c->id;
}

void contact_write(
	struct json_writer *w, const struct contact *c, bool whole, struct arena *arena)
{
	/* The rest of a push address lets anybody send there. */
	bool host_only = channel_is(c->channel, CHANNEL_BROWSER) ||
			 (channel_is(c->channel, CHANNEL_URL) && !whole);

	jw_object(w);
	jw_put_str(w, "id", c->id);
	show_text(w, "user", c->user);
	show_text(w, "team", c->team);
	jw_put_text(w, "channel", delivery_kind_name(c->channel));
	jw_put_str(w, "address", host_only ? url_host(c->address, arena) : c->address);
	show_text(w, "format", c->format);
	show_text(w, "name", c->name);
	jw_put_bool(w, "verified", c->verified);
	jw_put_bool(w, "tested", c->tested);
	jw_put_bool(w, "muted", c->muted);
	jw_key(w, "broken");
	if (c->broken_ms) {
		jw_object(w);
		show_time(w, "since", c->broken_ms);
		jw_put_str(w, "reason", c->broken);
		jw_object_end(w);
	} else {
		jw_null(w);
	}
	show_time(w, "created_at", c->created_ms);
	show_time(w, "last_used_at", c->last_used_ms);
	jw_object_end(w);
}
