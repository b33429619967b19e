/* slowdisk.c - preloaded into a server: counts its syncs, and lets each take longer.
 *
 * SYNC_COUNT names a file of eight bytes that holds the count; SYNC_SLEEP_US is how long
 * a sync sleeps after the real one. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *count;
static useconds_t nap_us;
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("SYNC_COUNT"), *nap = getenv("SYNC_SLEEP_US");
	int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	void *at = MAP_FAILED;

	real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
	if (nap) nap_us = (useconds_t)strtoul(nap, NULL, 10);
	if (fd >= 0 && ftruncate(fd, sizeof *count) == 0)
		at = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0) close(fd);
	if (at != MAP_FAILED) count = at;
}

static int synced(int result)
{
	if (count) __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
	if (nap_us) usleep(nap_us);
	return result;
}

int fsync(int fd)
{
	return synced(real_fsync(fd));
}

int fdatasync(int fd)
{
	return synced(real_fdatasync(fd));
}
