/* doctor_channels.c - parley doctor on how people are told: push, routes, contacts,
 * zones. */
#include "base/clock.h"
#include "base/zone.h"
#include "cli/cli_call.h"
#include "cli/verb/doctor.h"
#include "core/notify/contact.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* The reply's items, or the reply itself; NULL: it cannot be had. */
static const struct json *fetched(
	struct findings *f, struct client *client, const char *path, bool items)
{
	const struct json *reply = cli_call_quiet(f->cli, client, str_of(path), NULL);

	return items ? json_get(reply, "items") : reply;
}

/* As the server says, to people alone; NULL: it does not. */
static const struct json *push_told(struct findings *f)
{
	struct client *client = pick_client(f->cli, AS_PERSON, NULL);
	const struct json *channels = fetched(f, client, "/v1/channels", true);
	const struct json *push = NULL;

	for (const struct json *item = NULL; json_each(channels, &item);)
		if (str_is(json_text_of(item, "channel"), "push"))
			push = json_get(item, "configured");
	client_free(client);
	return push;
}

void doctor_push(struct findings *f, bool reached)
{
	const struct settings *set = &f->cli->settings;
	struct str subject = subscription_subject(set);
	const struct json *told =
		!reached || set->push_subject.len || subject.len ? NULL : push_told(f);

	if (subject.len)
		NOTE(f, GOOD, "cli.doctor.push", { "subject", subject });
	else if (set->push_subject.len)
		NOTE(f, WRONG, "cli.doctor.bad_push", { "subject", set->push_subject });
	else if (json_is(told, JSON_TRUE))
		NOTE(f, GOOD, "cli.doctor.server_push");
	else if (told || !set->url_said) /* where a server is says nothing of it */
		NOTE(f, MISSING, "cli.doctor.no_push");
}

static const struct json *list_find(
	const struct json *list, const char *member, struct str value)
{
	for (const struct json *one = NULL; json_each(list, &one);)
		if (str_eq(json_text_of(one, member), value)) return one;
	return NULL;
}

/* Does this word of a step name somebody who is there? Contacts of others are not ours to
 * see. */
static bool to_there(struct str to, const struct json *users, const struct json *teams)
{
	struct str kind, name, rest = to;

	str_cut(&rest, ':', &kind);
	if (str_is(kind, "user")) return list_find(users, "id", rest);
	if (!str_is(kind, "team")) return true;
	str_cut(&rest, '/', &name);
	return list_find(teams, "name", name);
}

/* "team:NAME/on_call": is somebody? */
static bool on_call(struct str to, const struct json *teams)
{
	struct str name = str_from(to, strlen("team:"));

	name = str_first(name, name.len - strlen("/on_call"));
	return json_text_of(list_find(teams, "name", name), "on_call").len > 0;
}

static void route_try(struct findings *f, const struct json *route,
	const struct json *users, const struct json *teams)
{
	struct str name = json_text_of(route, "name");

	for (const struct json *step = NULL; json_each(json_get(route, "steps"), &step);)
		for (const struct json *to = NULL;
			json_each(json_get(step, "to"), &to);) {
			struct str one = json_text(to);

			if (!to_there(one, users, teams))
				NOTE(f, WRONG, "cli.doctor.bad_route", { "name", name },
					{ "to", one });
			else if (str_ends(one, "/on_call") && !on_call(one, teams))
				NOTE(f, MISSING, "cli.doctor.nobody_on_call",
					{ "name", name }, { "to", one });
		}
}

static void contact_try(struct findings *f, const struct json *c)
{
	const struct json *broken = json_get(c, "broken");
	struct str name = json_text_of(c, "name");

	if (!name.len) name = json_text_of(c, "address");
	if (json_is(broken, JSON_OBJECT))
		NOTE(f, WRONG, "cli.doctor.bad_contact", { "name", name },
			{ "detail", json_text_of(broken, "reason") });
	else if (!json_is(json_get(c, "verified"), JSON_TRUE))
		NOTE(f, MISSING, "cli.doctor.unverified", { "name", name });
	else if (!json_is(json_get(c, "tested"), JSON_TRUE))
		NOTE(f, MISSING, "cli.doctor.untested", { "name", name },
			{ "id", json_text_of(c, "id") });
	else
		NOTE(f, GOOD, "cli.doctor.contact", { "name", name });
}

static void channel_try(struct findings *f, const struct json *c)
{
	const struct json *waiting = json_get(c, "waiting");
	struct str id = arena_print(&f->cli->arena, "web.deliveries.%.*s",
		STR_ARGS(json_text_of(c, "channel")));

	if (!str_is(json_text_of(c, "state"), "down")) return;
	NOTE(f, WRONG, "cli.doctor.channel_down",
		{ "channel", MSG(&f->cli->arena, id.at) },
		{ "since", time_local(ask_time(c, "since"), clock_now_ms(),
				   &f->cli->arena) },
		{ "detail", safe_line(&f->cli->arena, json_text_of(c, "error")) },
		{ "n", waiting ? waiting->text : STR("0") });
}

static void zone_try(struct findings *f, const struct json *prefs)
{
	struct str tz = json_text_of(prefs, "tz");
	const struct zone *zone = NULL;

	if (tz.len && zone_load(tz, &f->cli->arena, &zone, NULL) != OK)
		NOTE(f, WRONG, "cli.doctor.bad_zone", { "zone", tz });
}

void doctor_routes(struct findings *f)
{
	struct client *client = pick_client_person(f->cli);
	const struct json *routes, *users, *teams, *channels, *contacts, *prefs;
	int wrong = f->wrong;

	if (!client) return;
	routes = fetched(f, client, "/v1/routes", true);
	users = fetched(f, client, "/v1/users?limit=200", true);
	teams = fetched(f, client, "/v1/teams?limit=200", true);
	for (const struct json *item = NULL; users && teams && json_each(routes, &item);)
		route_try(f, item, users, teams);
	if (users && teams && routes && wrong == f->wrong)
		NOTE(f, GOOD, "cli.doctor.routes");
	channels = fetched(f, client, "/v1/channels", true);
	for (const struct json *one = NULL; json_each(channels, &one);)
		channel_try(f, one);
	contacts = fetched(f, client, "/v1/me/contacts", true);
	for (const struct json *one = NULL; json_each(contacts, &one);)
		contact_try(f, one);
	prefs = fetched(f, client, "/v1/me/notify", false);
	zone_try(f, json_get(prefs, "quiet"));
	zone_try(f, json_get(prefs, "digest"));
	client_free(client);
}
