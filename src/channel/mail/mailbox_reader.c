/* mailbox_reader.c - the thread that reads replies from a mailbox, every few seconds.
 *
 * 1. One process reads a mailbox at a time: it holds a lease in the store.
 * 2. Which message is being read is written down before it is fetched, because that marks it as
 *    seen: after a crash it is read again, and taking a reply twice is the same as once.
 * 3. A message that the store could not take is marked as unseen again. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "channel/mail/mail.h"
#include "core/notify/mail_read.h"
#include "desk/mail_in.h"
#include "net/mailbox.h"

enum { UIDS_MAX = 100 };

struct mailbox_reader {
	struct notify *notify;
	struct mail_server server;
	struct mailbox *box;
	struct task task; /* for what it tells the store */
	pthread_t thread;
	bool started;
	bool troubled; /* it cannot be read, and that was logged */
	atomic_bool stopping;
	int wake_fd;
};

/* ---- the store ---- */

static bool reader_claim(struct mailbox_reader *r, const char *reads, char reading[32])
{
	struct mailbox_claim c = { .name = str_of(r->server.url),
		.by = str_of(r->notify->by),
		.alone = !r->notify->with.shared,
		.reads = reads };
	bool ours;

	r->task.checked = &c;
	desk_wait(r->notify->desk, &use_mailbox_claim, &r->task);
	ours = !r->task.job.err && c.ours;
	task_empty(&r->task);
	if (reading) memcpy(reading, c.reading, sizeof c.reading);
	return ours;
}

/* ---- one message ---- */

static void reader_trouble(struct mailbox_reader *r, const struct fault *why)
{
	if (why && !r->troubled && !atomic_load(&r->stopping))
		log_line(LOG_WARN, "the mailbox cannot be read: %s", why->detail);
	if (!why && r->troubled) log_line(LOG_INFO, "the mailbox can be read again");
	r->troubled = why;
}

/* False: not now. */
static bool message_take(struct mailbox_reader *r, int64_t uid)
{
	struct buf message = { .max = MAIL_IN_MAX + 1 };
	enum mail_outcome outcome = MAIL_UNREADABLE;
	struct fault why = { 0 };
	char name[32];
	enum err e;

	snprintf(name, sizeof name, "%lld", (long long)uid);
	if (!reader_claim(r, name, NULL)) return false;
	e = mailbox_fetch(r->box, uid, &message, &why);
	if (e) {
		reader_trouble(r, &why);
	} else if (message.failed) {
		/* Beyond the bounds: cut off, so it may not have been marked. */
		mailbox_mark(r->box, uid, true, NULL);
	} else {
		e = mail_in_receive(
			r->notify->desk, buf_str(&message), STR_NONE, &outcome, &why);
		if (e) mailbox_mark(r->box, uid, false, NULL);
	}
	if (!e) log_line(LOG_INFO, "mail: %s", mail_outcome_name(outcome));
	buf_done(&message);
	return !e;
}

static void mailbox_read(struct mailbox_reader *r)
{
	int64_t uids[UIDS_MAX], left = 0;
	char reading[32] = "";
	struct fault why = { 0 };
	size_t len = 0;
	bool some = false;

	if (!reader_claim(r, NULL, reading)) return;
	if (str_to_int(str_of(reading), 1, UINT32_MAX, &left)) {
		if (!message_take(r, left)) return;
		some = true;
	}
	if (mailbox_unseen(r->box, uids, UIDS_MAX, &len, &why)) {
		reader_trouble(r, &why);
		return;
	}
	reader_trouble(r, NULL);
	for (size_t i = 0; i < len && !atomic_load(&r->stopping); i++) {
		if (uids[i] == left) continue;
		if (!message_take(r, uids[i])) return;
		some = true;
	}
	if (some) reader_claim(r, "", NULL);
}

/* ---- the thread ---- */

static void *reader_main(void *ctx)
{
	struct mailbox_reader *r = ctx;

	while (!atomic_load(&r->stopping)) {
		struct pollfd wake = { .fd = r->wake_fd, .events = POLLIN };

		mailbox_read(r);
		poll(&wake, 1, (int)r->notify->set.imap_poll_ms);
	}
	return NULL;
}

static struct mailbox_reader *reader_free(struct mailbox_reader *r)
{
	if (!r) return NULL;
	mailbox_free(r->box);
	if (r->wake_fd >= 0) close(r->wake_fd);
	mem_free(r);
	return NULL;
}

static struct mail_sending *mail_sending(const struct notify *n)
{
	return n->state[DELIVERY_EMAIL];
}

enum err mailbox_reader_start(struct notify *n, struct fault *why)
{
	const struct settings *m = &n->set;
	struct mailbox_reader *r;

	if (!m->imap_url.len) return OK;
	r = mem_alloc(sizeof *r);
	if (!r) return fail(why, ERR_MEMORY, "out of memory");
	r->notify = n;
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake_fd < 0 ||
		!mail_server_read(m->imap_url, m->imap_password, &n->arena, &r->server)) {
		reader_free(r);
		return fail(why, ERR_INVALID, "imap_url cannot be read");
	}
	r->box = mailbox_new(&r->server, &r->stopping, why);
	if (!r->box || pthread_create(&r->thread, NULL, reader_main, r) != 0) {
		if (r->box) fail(why, ERR_UNAVAILABLE, "cannot start a thread");
		reader_free(r);
		return why->err;
	}
	pthread_setname_np(r->thread, "mailbox");
	mail_sending(n)->reader = r;
	return OK;
}

void mailbox_reader_stop(struct notify *n)
{
	const uint64_t one = 1;
	struct mailbox_reader *r = mail_sending(n) ? mail_sending(n)->reader : NULL;

	if (!r) return;
	atomic_store(&r->stopping, true);
	while (write(r->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		continue;
	pthread_join(r->thread, NULL);
	mail_sending(n)->reader = reader_free(r);
}
