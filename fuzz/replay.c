/* replay.c - a fuzz target without the fuzzer: each file of its corpus, then the same files changed
 * at random, 10,000 of them or as many as two seconds of processor time allow; PARLEY_LONG: all.
 * Any compiler builds it, so that every build with sanitizers runs the targets.
 *
 *   TARGET FOLDER [CHANGED [SEED]]
 *
 * What is being tried lies in TARGET.input as long as it runs: after a crash it is the input to
 * mend and to add to the corpus. */
#include "random.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 65536, FILES_MAX = 1024, CHANGED = 10000, SECONDS = 2, EDITS_MAX = 4 };

struct input {
	uint8_t *data;
	size_t len;
};

/* Mapped to a file, so that it outlives us; the data is copied for the target, whose reads beyond
 * the end are then seen. */
struct scratch {
	char path[256];
	int fd;
	uint8_t *data;
};

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static struct input input_read(const char *folder, const char *name)
{
	struct input in = { .data = malloc(INPUT_MAX) };
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!in.data || !f) fail(path);
	in.len = fread(in.data, 1, INPUT_MAX, f);
	fclose(f);
	return in;
}

static size_t corpus_read(const char *folder, struct input *inputs)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);
	size_t len = 0;

	if (n < 0) fail(folder);
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && len < FILES_MAX)
			inputs[len++] = input_read(folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return len;
}

static void scratch_open(struct scratch *s, const char *program)
{
	const char *slash = strrchr(program, '/');

	snprintf(s->path, sizeof s->path, "%s.input", slash ? slash + 1 : program);
	s->fd = open(s->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (s->fd < 0 || ftruncate(s->fd, INPUT_MAX)) fail(s->path);
	s->data = mmap(NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->data == MAP_FAILED) fail(s->path);
}

static void try_input(struct scratch *s, const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy || ftruncate(s->fd, (off_t)len)) fail(s->path);
	if (len) {
		memcpy(s->data, data, len);
		memcpy(copy, data, len);
	}
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

/* A stretch of one input in the place of a stretch of another. */
static void stretch_put(struct input *to, const struct input *from, uint64_t *random)
{
	size_t at = random_below(random, to->len + 1);
	size_t gone = random_below(random, to->len - at + 1);
	size_t start = random_below(random, from->len + 1);
	size_t taken = random_below(random, from->len - start + 1);
	size_t rest = to->len - at - gone;

	if (at + taken + rest > INPUT_MAX) return;
	memmove(to->data + at + taken, to->data + at + gone, rest);
	memcpy(to->data + at, from->data + start, taken);
	to->len = at + taken + rest;
}

static void edit(struct input *to, const struct input *from, uint64_t *random)
{
	static const uint8_t recipients[] =
		"\0\n\r\"\\{}[],:;&=%#?<>-+0919.eE\x7f\x80\xff";

	if (!to->len || random_below(random, 4) == 0)
		stretch_put(to, from, random);
	else if (random_below(random, 2))
		to->data[random_below(random, to->len)] =
			recipients[random_below(random, sizeof recipients)];
	else
		to->data[random_below(random, to->len)] ^=
			(uint8_t)(1u << random_below(random, 8));
}

static void changed_try(
	struct scratch *s, const struct input *inputs, size_t n, uint64_t *random)
{
	static uint8_t room[INPUT_MAX];
	const struct input *like = &inputs[random_below(random, n)];
	struct input in = { room, like->len };

	memcpy(in.data, like->data, like->len);
	for (uint64_t edits = 1 + random_below(random, EDITS_MAX); edits; edits--)
		edit(&in, &inputs[random_below(random, n)], random);
	try_input(s, in.data, in.len);
}

int main(int argc, char **argv)
{
	static struct input inputs[FILES_MAX];
	struct scratch s;
	size_t n, changed, done = 0;
	uint64_t random;
	bool whole;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER [CHANGED [SEED]]\n", argv[0]);
		return 2;
	}
	n = corpus_read(argv[1], inputs);
	changed = argc > 2 ? strtoul(argv[2], NULL, 10) : CHANGED;
	whole = argc > 2 || getenv("PARLEY_LONG");
	random = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	scratch_open(&s, argv[0]);
	for (size_t i = 0; i < n; i++)
		try_input(&s, inputs[i].data, inputs[i].len);
	for (; n && done < changed && (whole || clock() < SECONDS * CLOCKS_PER_SEC);
		done++)
		changed_try(&s, inputs, n, &random);
	printf("%zu files, %zu changed\n", n, done);
	unlink(s.path);
	for (size_t i = 0; i < n; i++)
		free(inputs[i].data);
	return n ? 0 : 1;
}
