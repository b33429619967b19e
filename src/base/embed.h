/* embed.h - files that are part of the program. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

/* Hidden, not local: through the table of a position-independent program two local labels
 * could come to share one entry. */
#define EMBED_LABEL(label) ".global " label "\n.hidden " label "\n" label ":\n"
/* The bytes of the file, from name_start up to name_end. */
#define EMBED(name, file)                                                                \
	__asm__(".pushsection .rodata\n.balign 16\n" EMBED_LABEL(                        \
		#name "_start") ".incbin \"" file                                        \
				"\"\n" EMBED_LABEL(#name "_end") ".popsection\n");       \
	extern const char name##_start[],                                                \
		name##_end[] __attribute__((visibility("hidden")))

#endif
