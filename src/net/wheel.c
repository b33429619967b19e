/* wheel.c - slots of ticks, run by one libuv timer. */
#include "net/wheel.h"

static void list_init(struct tick *head)
{
	head->next = head->prev = head;
}

static void list_remove(struct tick *t)
{
	t->prev->next = t->next;
	t->next->prev = t->prev;
	t->next = t->prev = NULL;
}

static void list_add(struct tick *head, struct tick *t)
{
	t->prev = head->prev;
	t->next = head;
	head->prev->next = t;
	head->prev = t;
}

static struct tick *slot_head(struct wheel *w, int64_t slot)
{
	return &w->slots[slot % WHEEL_SLOTS];
}

/* Since the wheel began: so slots stay small numbers for thirteen years. */
static int64_t wheel_ms(const struct wheel *w)
{
	return (int64_t)uv_now(w->timer.loop) - w->began_ms;
}

static void timer_fired(uv_timer_t *);

static void wheel_arm(struct wheel *w, int64_t slot)
{
	int64_t wait = slot * WHEEL_SLOT_MS - wheel_ms(w);

	w->armed = slot;
	uv_timer_start(&w->timer, timer_fired, wait > 0 ? (uint64_t)wait : 0, 0);
}

/* Rounds up, so that nothing fires early. */
static int64_t slot_of(int64_t due_ms)
{
	return (due_ms + WHEEL_SLOT_MS - 1) / WHEEL_SLOT_MS;
}

/* What lies beyond the ring is looked at once a round. */
static void wheel_place(struct wheel *w, struct tick *t)
{
	int64_t slot = t->due;

	if (slot <= w->turned) slot = w->turned + 1;
	if (slot >= w->turned + WHEEL_SLOTS) slot = w->turned + WHEEL_SLOTS - 1;
	t->slot = (uint32_t)slot;
	list_add(slot_head(w, slot), t);
	if (slot < w->armed) wheel_arm(w, slot);
}

static void slot_run(struct wheel *w, int64_t slot, int64_t last)
{
	struct tick *head = slot_head(w, slot), due;

	if (head->next == head) return;
	due = *head;
	due.next->prev = due.prev->next = &due;
	list_init(head);
	while (due.next != &due) {
		struct tick *t = due.next;

		list_remove(t);
		if (t->due <= last)
			t->fn(t);
		else
			wheel_place(w, t);
	}
}

static void wheel_arm_next(struct wheel *w)
{
	for (int64_t slot = w->turned + 1; slot < w->turned + WHEEL_SLOTS; slot++) {
		struct tick *head = slot_head(w, slot);

		if (slot >= w->armed) return;
		if (head->next != head) {
			wheel_arm(w, slot);
			return;
		}
	}
}

static void timer_fired(uv_timer_t *timer)
{
	struct wheel *w = timer->data;
	int64_t last = wheel_ms(w) / WHEEL_SLOT_MS;

	w->armed = 0; /* what is set meanwhile does not touch the timer */
	/* After a long sleep one round passes over every slot there is. */
	if (last - w->turned > WHEEL_SLOTS) w->turned = last - WHEEL_SLOTS;
	while (w->turned < last) {
		w->turned++;
		slot_run(w, w->turned, last);
	}
	w->armed = INT64_MAX;
	wheel_arm_next(w);
}

int wheel_init(struct wheel *w, uv_loop_t *uv)
{
	for (int i = 0; i < WHEEL_SLOTS; i++)
		list_init(&w->slots[i]);
	w->began_ms = (int64_t)uv_now(uv);
	w->turned = 0;
	w->armed = INT64_MAX;
	w->timer.data = w;
	return uv_timer_init(uv, &w->timer);
}

void tick_set(struct loop *loop, struct tick *t, int64_t after_ms)
{
	struct wheel *w = loop_wheel(loop);

	t->due = (uint32_t)slot_of(wheel_ms(w) + after_ms);
	if (t->next) {
		/* Most ticks are moved later again and again and never fire: moving one costs
		 * one store. */
		if (t->slot <= t->due) return;
		list_remove(t);
	} else if (w->armed == INT64_MAX) {
		/* Nothing waits: skip the slots that passed while the wheel stood
		 * still. */
		w->turned = wheel_ms(w) / WHEEL_SLOT_MS;
	}
	wheel_place(w, t);
}

void tick_stop(struct loop *loop, struct tick *t)
{
	(void)loop;
	if (t->next) list_remove(t);
}
