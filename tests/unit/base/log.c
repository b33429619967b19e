#include "base/log.h"
#include "base/clock.h"
#include "base/utf8.h"

#include "oracle.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char seen[8192];
static int saved, ends[2];

static void watch(void)
{
	saved = dup(STDERR_FILENO);
	if (pipe(ends) != 0) abort();
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	dup2(ends[1], STDERR_FILENO);
}

/* What stderr got since watch. */
static struct str caught(void)
{
	ssize_t len = read(ends[0], seen, sizeof seen);

	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[0]);
	close(ends[1]);
	return str_make(seen, len > 0 ? (size_t)len : 0);
}

static void a_line_has_time_level_and_message(void **state)
{
	(void)state;
	clock_set(1794729600123);
	log_setup(false, LOG_INFO);
	watch();
	log_line(LOG_WARN, "disk %d%% full", 93);
	CHECK_STR(caught(), "2026-11-15T08:00:00.123Z warn disk 93% full\n");
}

static void a_json_line_has_the_same(void **state)
{
	(void)state;
	clock_set(1794729600123);
	log_setup(true, LOG_INFO);
	watch();
	log_line(LOG_ERROR, "a \"quoted\" \\ word");
	CHECK_STR(caught(), "{\"time\":\"2026-11-15T08:00:00.123Z\",\"level\":\"error\","
			    "\"message\":\"a \\\"quoted\\\" \\\\ word\"}\n");
}

static void levels_below_the_chosen_are_silent(void **state)
{
	(void)state;
	log_setup(false, LOG_WARN);
	watch();
	log_line(LOG_INFO, "not this");
	log_line(LOG_DEBUG, "nor this");
	CHECK_STR(caught(), "");
}

static void foreign_text_cannot_forge_a_line_or_move_the_cursor(void **state)
{
	(void)state;
	clock_set(1);
	log_setup(false, LOG_INFO);
	watch();
	log_line(LOG_INFO, "a\nb\x1b[2Jc\x7f \xc2\x9b \xff é");
	CHECK_STR(caught(), "1970-01-01T00:00:00.001Z info "
			    "a\\x0ab\\x1b[2Jc\\x7f \\xc2\\x9b \\xff é\n");
}

static void long_lines_are_cut_and_stay_whole(void **state)
{
	static const char *const units[] = { "x", "é", "€", "😀", "\"", "\\", "\x01",
		"\xff" };

	(void)state;
	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		for (int json = 0; json < 2; json++) {
			char text[5000] = "";
			struct str line;

			for (size_t at = 0; at + 8 < sizeof text; at += strlen(units[u]))
				memcpy(text + at, units[u], strlen(units[u]));
			log_setup(json, LOG_INFO);
			watch();
			log_line(LOG_INFO, "%s", text);
			line = caught();
			CHECK(line.len <= 2000 && line.len > 1980);
			CHECK(str_ends(line, "\n") && utf8_valid(line));
			CHECK(oracle_reads(line) == (json == 1));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_has_time_level_and_message),
		TEST(a_json_line_has_the_same),
		TEST(levels_below_the_chosen_are_silent),
		TEST(foreign_text_cannot_forge_a_line_or_move_the_cursor),
		TEST(long_lines_are_cut_and_stay_whole),
	};

	return RUN(tests);
}
