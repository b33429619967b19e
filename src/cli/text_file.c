/* text_file.c - reads the small files that settings name. */
#include "cli/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keep.h"
#include "core/shared/body.h"
#include "text/msg.h"

enum { FILE_MAX = 64 << 20, PIECE = 65536 };

enum err text_file_read(const char *path, bool secret, struct arena *arena,
	struct str *out, struct fault *why)
{
	struct buf text = { .max = FILE_MAX };
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
					: open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	*out = STR_NONE;
	if (fd < 0) return OK;
	if (secret && (fstat(fd, &st) || (st.st_mode & 077))) {
		close(fd);
		return FAIL_MSG(why, arena, "setting.key_file", { "file", str_of(path) });
	}
	do {
		if (!buf_reserve(&text, PIECE)) break;
		n = read(fd, text.at + text.len, PIECE);
		if (n > 0) text.len += (size_t)n;
	} while (n > 0);
	if (n < 0 || text.failed) {
		buf_done(&text);
		close(fd);
		return OK;
	}
	close(fd);
	*out = buf_keep_done(&text, arena);
	return OK;
}
