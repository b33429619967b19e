/* delivery.c - names, JSON, retry pauses and signatures of deliveries. */
#include "core/delivery/delivery.h"

#include "base/hash.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#define NAME_ROW(kind, name, ...) [DELIVERY_##kind] = #name,
const char *const channel_names[DELIVERY_KINDS] = { CHANNELS(NAME_ROW) };

static const char *const others[] = {
	[DELIVERY_RESUMER] = "resumer",
	[DELIVERY_VERIFIER] = "verifier",
	[DELIVERY_ROUTE] = "route",
};

static const char *const statuses[] = {
	[DELIVERY_WAITING] = "waiting",
	[DELIVERY_DONE] = "done",
	[DELIVERY_DEAD] = "dead",
	[DELIVERY_DROPPED] = "dropped",
};

static const char *const purposes[] = {
	[DELIVERY_SETTLED] = "settled",
	[DELIVERY_REPLIED] = "replied",
	[DELIVERY_LATE] = "late",
	[DELIVERY_VERIFY] = "verify",
	[DELIVERY_ASK] = "ask",
	[DELIVERY_REMINDER] = "reminder",
	[DELIVERY_THREAD] = "thread",
	[DELIVERY_VOTED] = "voted",
	[DELIVERY_DIGEST] = "digest",
	[DELIVERY_SUMMARY] = "summary",
	[DELIVERY_CODE] = "code",
	[DELIVERY_ALERT] = "alert",
	[DELIVERY_TEST] = "test",
	[DELIVERY_ENDED] = "ended",
	[DELIVERY_FINISHED] = "finished",
	[DELIVERY_PROGRESS] = "progress",
};

#define LEN(table) (sizeof(table) / sizeof *(table))

const char *delivery_kind_name(enum delivery_kind k)
{
	return channel_names[k] ? channel_names[k] : others[k];
}

bool delivery_kind_is_channel(enum delivery_kind k)
{
	return channel_names[k] != NULL;
}

bool delivery_kind_read(struct str name, enum delivery_kind *out)
{
	int i = name_find(channel_names, LEN(channel_names), name);

	if (i < 0) i = name_find(others, LEN(others), name);
	if (i >= 0) *out = (enum delivery_kind)i;
	return i >= 0;
}

ENUM_NAMES(delivery_status, statuses)
ENUM_NAMES(delivery_purpose, purposes)

void delivery_write(struct json_writer *w, const struct delivery *d)
{
	jw_object(w);
	jw_put_str(w, "id", d->id);
	jw_put_text(w, "kind", delivery_kind_name(d->kind));
	jw_put_text(w, "status", delivery_status_name(d->status));
	show_text(w, "session", d->session);
	show_text(w, "ask", delivery_of_alert(d) ? STR_NONE : d->ask);
	show_text(w, "alert", delivery_of_alert(d) ? d->ask : STR_NONE);
	jw_put_text(w, "purpose", delivery_purpose_name(d->purpose));
	show_text(w, "user", d->user);
	show_text(w, "contact", d->contact);
	show_number(w, "step", d->step, d->contact.len || d->kind == DELIVERY_ROUTE);
	jw_put_str(w, "target", d->target);
	jw_put_int(w, "attempts", d->attempts);
	show_time(w, "next_at", d->status == DELIVERY_WAITING ? d->next_ms : 0);
	show_text(w, "last_error", d->last_error);
	show_number(w, "last_status", d->last_status, d->last_status >= 0);
	show_time(w, "created_at", d->created_ms);
	show_time(w, "done_at", d->done_ms);
	jw_object_end(w);
}

/* ---- retries ---- */

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

/* A bit over three days in all: a receiver may be down over a weekend. */
static const int64_t pauses_ms[] = { 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE,
	2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR };

/* People wait for a verifier: three tries of 20 s, within 90 s. */
static const int64_t verifier_pauses_ms[] = { 1 * SECOND, 3 * SECOND };

int64_t delivery_pause_ms(enum delivery_kind kind, int64_t attempts, uint64_t random)
{
	bool soon = kind == DELIVERY_VERIFIER;
	size_t len = soon ? LEN(verifier_pauses_ms) : LEN(pauses_ms);
	int64_t pause;

	if (attempts < 1 || attempts > (int64_t)len) return -1;
	if (soon)
		pause = verifier_pauses_ms[attempts - 1];
	else
		pause = pauses_ms[attempts - 1];
	return pause + (int64_t)(random % (uint64_t)(pause / 5 + 1));
}

int64_t delivery_person_pause_ms(enum delivery_kind kind, int64_t attempts)
{
	static const int64_t people_ms[DELIVERY_SOON] = { 5 * SECOND, 30 * SECOND,
		2 * MINUTE, 10 * MINUTE };
	/* Within six hours of the first. */
	const int64_t mail_most = DELIVERY_SOON + 11;

	if (attempts < 1) return -1;
	if (attempts <= DELIVERY_SOON) return people_ms[attempts - 1];
	return kind == DELIVERY_EMAIL && attempts <= mail_most ? 30 * MINUTE : -1;
}

bool delivery_of_alert(const struct delivery *d)
{
	return str_starts(d->ask, "alr_");
}

bool delivery_shows_ask(const struct delivery *d)
{
	return d->contact.len && !d->carrier.len &&
	       (d->purpose == DELIVERY_ASK || d->purpose == DELIVERY_REMINDER ||
		       d->purpose == DELIVERY_THREAD || d->purpose == DELIVERY_ALERT);
}

/* ---- signatures ---- */

void webhook_sign(struct buf *out, struct str key, struct str id, int64_t timestamp_s,
	struct str body)
{
	struct buf text = { 0 };
	uint8_t mac[SHA256_SIZE];

	buf_print(&text, "%.*s.%lld.", STR_ARGS(id), (long long)timestamp_s);
	buf_add(&text, body);
	if (text.failed) out->failed = true;
	hmac_sha256(key, buf_str(&text), mac);
	buf_done(&text);
	if (out->len) buf_add_char(out, ' ');
	buf_add(out, STR("v1,"));
	base64_write(out, str_make((const char *)mac, sizeof mac));
}

struct str webhook_secret(struct str key, struct arena *arena)
{
	struct buf out = { .max = 256 };

	buf_add(&out, STR("whsec_"));
	base64_write(&out, key);
	return buf_keep_done(&out, arena);
}
