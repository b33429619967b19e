/* host_modes.c - follows the terminal modes that a hosted agent sets. */
#include "cli/verb/host_modes.h"

/* Private modes (CSI ? n h and l), in the order they are switched off. The alternate
 * screen goes first off and last on, so that what it saves is not ours. */
static const struct {
	int number;
	bool starts_on;
} modes[] = {
	{ 1049, false }, { 1047, false }, { 47, false },
	{ 1, false },	 /* application cursor keys */
	{ 25, true },	 /* the cursor is shown */
	{ 1000, false }, /* mouse: clicks, drags, moves, and how they are written */
	{ 1002, false }, { 1003, false }, { 1005, false }, { 1006, false },
	{ 1015, false }, { 1004, false }, /* focus */
	{ 2004, false },		  /* bracketed paste */
	{ 2031, false },		  /* reports of the colour scheme */
	{ 5, false },			  /* reverse video */
	{ 7, true },			  /* wraps at the margin */
};
_Static_assert(sizeof modes / sizeof *modes == HOST_MODES, "one flag a mode");

static void private_set(struct host_modes *m, struct str numbers, bool on)
{
	struct str one;
	int64_t n;

	while (str_cut(&numbers, ';', &one))
		for (size_t i = 0; i < HOST_MODES && str_to_int(one, 0, 99999, &n); i++)
			if (modes[i].number == n)
				m->changed[i] = on != modes[i].starts_on;
}

static unsigned number_or(struct str text, unsigned none)
{
	int64_t n;

	return str_to_int(text, 0, 9999, &n) ? (unsigned)n : none;
}

static void keys_push(struct host_modes *m, unsigned flags)
{
	if (m->keys_len == HOST_KEYS_DEEP) {
		memmove(m->keys, m->keys + 1, sizeof m->keys - sizeof *m->keys);
		m->keys_len--;
	}
	m->keys[m->keys_len++] = flags;
}

static void keys_pop(struct host_modes *m, unsigned n)
{
	m->keys_len -= n < m->keys_len ? n : m->keys_len;
}

/* The body of CSI … final, with both. */
static void csi_take(struct host_modes *m, struct str text)
{
	char final = text.at[text.len - 1], mark = text.at[0];
	struct str rest = str_make(text.at + 1, text.len - (text.len > 1 ? 2 : 1)), first;

	if (mark == '?' && (final == 'h' || final == 'l')) {
		private_set(m, rest, final == 'h');
	} else if (mark == '>' && final == 'u') {
		keys_push(m, number_or(rest, 0));
	} else if (mark == '<' && final == 'u') {
		keys_pop(m, number_or(rest, 1));
	} else if (mark == '>' && final == 'm') {
		str_cut(&rest, ';', &first);
		if (str_is(first, "4")) m->modify_keys = number_or(rest, 0);
	} else if (mark == '!' && final == 'p') { /* soft reset */
		*m = (struct host_modes){ 0 };
	}
}

static void escape_take(struct host_modes *m, char ch)
{
	m->at = HOST_TEXT;
	m->sequence_len = 0;
	switch (ch) {
	case '[': m->at = HOST_CSI; break;
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_': m->at = HOST_STRING; break;
	case '=': m->keypad = true; break;
	case '>': m->keypad = false; break;
	case 'c': *m = (struct host_modes){ 0 }; break; /* full reset */
	default: break;
	}
}

static void byte_take(struct host_modes *m, char ch)
{
	unsigned char byte = (unsigned char)ch;

	if (m->at == HOST_STRING_ESCAPE) {
		m->at = HOST_TEXT;
		if (ch != '\\') escape_take(m, ch);
	} else if (m->at == HOST_STRING) {
		if (byte == 7) m->at = HOST_TEXT;
		if (byte == 27) m->at = HOST_STRING_ESCAPE;
	} else if (byte == 27) {
		m->at = HOST_ESCAPE;
	} else if (m->at == HOST_ESCAPE) {
		escape_take(m, ch);
	} else if (m->at == HOST_CSI) {
		if (m->sequence_len < HOST_SEQUENCE_MAX)
			m->sequence[m->sequence_len++] = ch;
		if (byte < 0x40 || byte > 0x7e) return;
		m->at = HOST_TEXT;
		if (m->sequence[m->sequence_len - 1] == ch)
			csi_take(m, str_make(m->sequence, m->sequence_len));
	}
}

void host_modes_read(struct host_modes *m, struct str printed)
{
	for (size_t i = 0; i < printed.len; i++)
		byte_take(m, printed.at[i]);
}

static void mode_add(struct buf *out, size_t i, bool on)
{
	buf_print(out, "\033[?%d%c", modes[i].number, on ? 'h' : 'l');
}

void host_modes_off(const struct host_modes *m, struct buf *out)
{
	for (size_t i = 0; i < HOST_MODES; i++)
		if (m->changed[i]) mode_add(out, i, modes[i].starts_on);
	if (m->keypad) buf_add_text(out, "\033>");
	if (m->keys_len > 0) buf_print(out, "\033[<%zuu", m->keys_len);
	if (m->modify_keys) buf_add_text(out, "\033[>4;0m");
	buf_add_text(out, "\033[0m");
}

void host_modes_on(const struct host_modes *m, struct buf *out)
{
	for (size_t i = 0; i < m->keys_len; i++)
		buf_print(out, "\033[>%uu", m->keys[i]);
	if (m->modify_keys) buf_print(out, "\033[>4;%um", m->modify_keys);
	if (m->keypad) buf_add_text(out, "\033=");
	for (size_t i = HOST_MODES; i > 0; i--)
		if (m->changed[i - 1]) mode_add(out, i - 1, !modes[i - 1].starts_on);
}
