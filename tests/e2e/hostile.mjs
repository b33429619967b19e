// Three hundred strings that mean no good, and a way to put one into every field: as it is, or, where
// the server refuses it, trimmed to what it accepts. What became of each is counted.
import assert from 'node:assert/strict';

const KB = 1000;
const seeds = [
	/* script and markup */
	'<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '"><svg onload=alert(1)>', 'javascript:alert(1)',
	'<iframe srcdoc="<script>alert(1)</script>">', '<style>*{display:none}</style>', '<base href=https://evil.example>',
	'<meta http-equiv=refresh content=0>', '{{7*7}}', '${alert(1)}', '{@html "<b>x</b>"}', '</textarea><script>alert(1)</script>',
	'&lt;script&gt;alert(1)&lt;/script&gt;', '<a href="https://evil.example">bank</a>', 'data:text/html,<script>alert(1)</script>',
	/* markdown and links */
	'[click](javascript:alert(1))', '![x](https://evil.example/x.png)', '| a | b |\n|-|-|\n| <img src=x onerror=alert(1)> | c |',
	'```\n</pre><script>alert(1)</script>\n```', '> '.repeat(100), '#'.repeat(150), '`'.repeat(150), '*'.repeat(150), '['.repeat(150),
	'- '.repeat(60), 'file:///etc/passwd',
	/* what the eye does not see, or sees wrongly */
	'\u202egnp.exe', '\u2066\u2067\u2068\u2069', 'a\u200bb\u200cc\u200d', '\ufeffbom', '\u001b[31mred\u001b[0m', '\u001b]0;title\u0007',
	'\u0007\u0008\r', '\u{e0041}\u{e0042}', 'שלום עולם', 'مرحبا \u202d abc', 'Z\u0351\u036b\u0343\u036a\u0302'.repeat(60),
	/* far too much */
	'\ufdfd'.repeat(40), 'W'.repeat(200), '\n'.repeat(100) + 'end', '\t'.repeat(80),
	'word '.repeat(10 * KB), 'W'.repeat(50 * KB), '<b>'.repeat(16 * KB),
	/* names that programs trip over */
	'__proto__', 'constructor', 'null', '1e309', "'; DROP TABLE asks; --", 'nul\u0000byte',
];
const wraps = [(s) => s, (s) => `**${s}**`, (s) => `\`${s}\``, (s) => `[${s}](${s})`, (s) => `${s} ${s}`, (s) => `\u202e${s}\u200b`];

export const strings = wraps.flatMap((wrap) => seeds.map(wrap));
/** Each seed once; `wraps` by turns, each with seeds of both halves. */
export const oneOfEach = seeds.map((seed, i) => wraps[(i >> 1) % wraps.length](seed));

const NEAR = 50;
/** How the page has to name what hides near the beginning of a text, where no field cuts it off. */
export const hidden = (text) => [...text.slice(0, NEAR).matchAll(/[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu)]
	.map(([mark]) => `U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`);

const TAME = 'tame', REFUSED = 3;
/** Without what a line must not hold, and no longer than the field. */
const trim = (text, max) => Array.from(text.slice(0, 2 * max).replace(/\p{Cc}|[\u2028\u2029]/gu, ' ')).slice(0, max).join('').trim() || TAME;

/** Names of people and agents must not hold what nobody sees, either. */
const seen = (text, max) => trim(text.replace(/[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu, ''), max);

/** How often each field took a string whole, trimmed, trimmed to what is seen, or not at all. */
export class Tally {
	fields = new Map();

	/**
	 * Sends what `make` builds with `put(field, pointer, max)` until the server takes it: the fields
	 * that it points at are trimmed, trimmed to what is seen, then made tame.
	 */
	async send(text, post, make) {
		const level = new Map();
		for (;;) {
			const places = [];
			const put = (field, pointer, max, end = '') => {
				places.push([field, pointer]);
				const room = max - end.length;
				return [text, trim(text, room), seen(text, room), TAME][level.get(field) ?? 0] + end;
			};
			const { status, body } = await post(make(put));
			if (status < 300) {
				for (const field of new Set(places.map(([name]) => name))) this.count(field, level.get(field) ?? 0);
				return body;
			}
			/* What is no JSON to it is pointed at as a whole. */
			const errors = body.errors ?? [{ pointer: '' }];
			const hit = places.filter(([field, pointer]) => level.get(field) !== REFUSED && errors.some((one) =>
				!one.pointer || one.pointer === pointer || one.pointer.startsWith(`${pointer}/`)));
			if (status !== 422 || !hit.length) throw new Error(`${status} ${JSON.stringify(body)} for ${JSON.stringify(text.slice(0, 80))}`);
			for (const field of new Set(hit.map(([name]) => name))) level.set(field, (level.get(field) ?? 0) + 1);
		}
	}

	count(field, level) {
		if (!this.fields.has(field)) this.fields.set(field, [0, 0, 0, 0]);
		this.fields.get(field)[level]++;
	}

	/** Each string was in each field, if only trimmed. */
	complete(n) {
		for (const [field, counts] of this.fields) {
			assert.deepEqual([counts[0] + counts[1] + counts[2], counts[REFUSED]], [n, 0], field);
			/* Only names are so strict. */
			if (!/name/.test(field)) assert.equal(counts[2], 0, field);
		}
	}

	get lines() {
		return [...this.fields].map(([field, [whole, trimmed, visible, refused]]) =>
			`${field}: ${whole} whole, ${trimmed + visible} refused and then trimmed, ${refused} refused`);
	}
}
