// Every body that is written is compiled as the vendor's own type: members that do not exist there fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random as seeded } from '../lib/random.mjs';
import { request } from './lib/replies.mjs';
import { compile, head, typed, types } from './lib/types.mjs';
import { wire } from './lib/wire.mjs';

const OUTPUT = { type: 'object', additionalProperties: false, required: ['n'], properties: { n: { type: 'integer', minimum: 1 }, t: { enum: ['a', 'b'] } } };
const BODIES = process.env.PARLEY_LONG ? 500 : 40;

test(`${4 * BODIES} bodies have the vendors' types`, async () => {
	const random = seeded(Number(process.env.SEED ?? 3));
	let source = head;
	for (const kind of Object.keys(types)) {
		for (let n = 0; n < BODIES; n++) {
			const written = await wire({ write: kind, request: { ...request(random, kind), ...(n % 3 ? {} : { output_schema: OUTPUT }) } });
			assert.ok(written.body, JSON.stringify(written));
			source += typed(kind, n, written);
		}
	}
	assert.equal(compile(source), '');
});

test('the judge refuses members that a vendor does not know', () => {
	assert.match(compile(`${head}export const a: Anthropic.MessageCreateParamsStreaming = { model: 'm', max_tokens: 1, stream: true, messages: [], nonsense: 1 };\n`),
		/nonsense/);
});
