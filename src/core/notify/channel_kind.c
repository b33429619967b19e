/* channel_kind.c - the table of channels, and what an address of each is. */
#include "core/notify/channel_kind.h"

#include "core/delivery/resumer.h"
#include "core/shared/address.h"

static bool atom(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("!#$%&'*+/=?^_`{|}~-.", c));
}

bool mail_address_valid(struct str address)
{
	struct str local = str_first(address, 0), host;
	size_t at = 0;

	while (at < address.len && address.at[at] != '@')
		at++;
	local = str_first(address, at);
	host = str_from(address, at + 1);
	if (!local.len || local.len > 64 || !host.len || host.len > 253) return false;
	for (size_t i = 0; i < local.len; i++)
		if (!atom(local.at[i])) return false;
	for (size_t i = 0; i < host.len; i++)
		if (!atom(host.at[i]) || strchr("!#$%&'*+/=?^_`{|}~", host.at[i]))
			return false;
	return local.at[0] != '.' && host.at[0] != '.' && host.at[0] != '-' &&
	       str_find(address, STR("..")) < 0 && host.at[host.len - 1] != '.';
}

static bool mail_valid(struct str address, bool of_team)
{
	(void)of_team;
	return mail_address_valid(address);
}

static bool slack_valid(struct str id, bool of_team)
{
	const char *first = of_team ? "UWCG" : "UW";

	if (id.len < 3 || id.len > 30 || !strchr(first, id.at[0])) return false;
	for (size_t i = 0; i < id.len; i++)
		if (!((id.at[i] >= 'A' && id.at[i] <= 'Z') ||
			    (id.at[i] >= '0' && id.at[i] <= '9')))
			return false;
	return true;
}

static bool url_valid(struct str address, bool of_team)
{
	struct url url;

	(void)of_team;
	return url_split(address, &url);
}

static bool name_valid(struct str name, bool of_team)
{
	(void)of_team;
	return resumer_name_valid(name);
}

static const struct channel_address address_mail = { mail_valid,
	"must be one e-mail address", NULL };
static const struct channel_address address_slack = { slack_valid,
	"must be the Slack id of a person: U… or W…",
	"must be a Slack id: U…, W…, C… or G…" };
static const struct channel_address address_url = { url_valid,
	"must be a URL (http or https)", NULL };
static const struct channel_address address_name = { name_valid,
	"must be the name of a command of [channels]", NULL };
static const struct channel_address address_browser = { 0 };

#define ROW(kind, name, address, order, flags)                                           \
	[DELIVERY_##kind] = { &address, order, flags },
const struct channel_kind channel_kinds[DELIVERY_KINDS] = { CHANNELS(ROW) };

enum delivery_kind channel_ranked(int i)
{
	int k = 0;

	while (channel_kinds[k].rank != i + 1)
		k++;
	return (enum delivery_kind)k;
}
