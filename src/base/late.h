/* late.h - a shared library that is loaded when one of its functions is first called.
 *
 * A file lists the functions of the library that this program uses, each as
 *	X(result, otherwise, name, (parameters), (arguments))
 * and LATE_LIBRARY makes functions of these names. Callers include the library's own header and
 * do not know. Where the library is not installed they get `otherwise`. */
#ifndef BASE_LATE_H
#define BASE_LATE_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#define LATE_MEMBER(result, otherwise, name, parameters, arguments)                      \
	result(*name) parameters;
/* POSIX has dlsym give functions as objects. */
#define LATE_FIND(result, otherwise, name, parameters, arguments)                        \
	*(void **)(void *)&late.name = so ? dlsym(so, #name) : NULL;                     \
	all = all && late.name;
#define LATE_CALL(result, otherwise, name, parameters, arguments)                        \
	result name parameters                                                           \
	{                                                                                \
		if (!late_ready()) return otherwise;                                     \
		return late.name arguments;                                              \
	}

/* late_ready() says whether it is there, after a first try to load it. */
#define LATE_LIBRARY(file, FUNCTIONS)                                                    \
	static struct {                                                                  \
		FUNCTIONS(LATE_MEMBER)                                                   \
	} late;                                                                          \
	static bool late_loaded;                                                         \
                                                                                         \
	static void late_load(void)                                                      \
	{                                                                                \
		void *so = dlopen(file, RTLD_NOW | RTLD_LOCAL);                          \
		bool all = so;                                                           \
                                                                                         \
		FUNCTIONS(LATE_FIND)                                                     \
		late_loaded = all;                                                       \
		if (!all) fprintf(stderr, "parley: %s\n", dlerror());                    \
	}                                                                                \
                                                                                         \
	static bool late_ready(void)                                                     \
	{                                                                                \
		static pthread_once_t once = PTHREAD_ONCE_INIT;                          \
                                                                                         \
		pthread_once(&once, late_load);                                          \
		return late_loaded;                                                      \
	}

#endif
