/* What each thread keeps for itself (arena blocks, randomness) and what all share (the
 * hash key, the log's settings), under ThreadSanitizer. */
#include "base/arena.h"
#include "base/id.h"
#include "base/queue.h"
#include "base/table.h"

#include "unit.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 500 };

struct parcel {
	struct arena arena;
	struct str text;
	struct link link;
};

static void *pack(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct arena arena = { 0 };
		struct parcel *p = ARENA_NEW(&arena, struct parcel);

		p->text = arena_print(&arena, "%d%0*d", i, 5000, 7);
		p->arena = arena;
		queue_put(arg, &p->link);
	}
	return NULL;
}

static void arenas_may_be_filled_here_and_emptied_there(void **state)
{
	struct queue *q = queue_new();
	pthread_t threads[THREADS];
	int left = THREADS * ROUNDS;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, pack, q);
	while (left) {
		struct link *l = queue_take(q, 10000);

		while (l) {
			struct parcel *p = LINK_OF(l, struct parcel, link);
			struct arena arena = p->arena;

			l = l->next;
			left--;
			CHECK_INT(p->text.at[p->text.len - 1], '7');
			arena_done(&arena);
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	queue_free(q);
}

static void *hash_and_draw(void *arg)
{
	struct ids ids = { 0 };
	char id[ID_SIZE];

	for (int i = 0; i < ROUNDS; i++)
		id_make(&ids, "ask", 1000 + i, id);
	*(uint64_t *)arg = str_hash(STR("the same in all threads"));
	return NULL;
}

static void all_threads_hash_alike(void **state)
{
	pthread_t threads[THREADS];
	uint64_t hashes[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hash_and_draw, &hashes[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < THREADS; i++)
		CHECK(hashes[i] == hashes[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arenas_may_be_filled_here_and_emptied_there),
		TEST(all_threads_hash_alike),
	};

	return RUN(tests);
}
