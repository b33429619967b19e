// Requests that real frameworks and agents sent (tests/dialects/captured, with package and version): each is
// taken without a repair and kept whole, and each end of its ask has a reply in the dialect's shape.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { useServer } from './lib/server.mjs';

const folder = new URL('../dialects/captured/', import.meta.url);
const schemas = JSON.parse(readFileSync(new URL('../dialects/replies.json', import.meta.url), 'utf8'));
const ajv = new Ajv({ strict: false });
const server = await useServer();

const ENDS = {
	approval: [['answer', { answers: { decision: 'approve' } }], ['answer', { answers: { decision: { value: 'reject', text: 'Not now' } } }], ['skip', { reason: 'Later' }], ['cancel', {}]],
	blocking: [['skip', { reason: 'Later' }], ['cancel', {}]],
};

for (const file of readdirSync(folder).sort()) {
	const { dialect, from, request, answer } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
	test(`${file.replace('.json', '')}: ${dialect}, captured from ${from}`, async () => {
		const fits = ajv.compile(schemas[dialect]);
		const first = await server.agent.post(`/v1/asks?dialect=${dialect}`, request);
		assert.equal(first.status, 201, first.text);
		assert.deepEqual(first.body.repairs ?? [], []);
		assert.deepEqual(first.body.foreign.request ?? first.body.foreign, request);
		const approval = first.body.kind === 'approval';
		const seen = [];
		for (const [how, body] of [...(approval ? ENDS.approval : ENDS.blocking), ...(answer ? [['answer', { answer }]] : [])]) {
			const made = await server.agent.post(`/v1/asks?dialect=${dialect}`, request);
			const who = how === 'cancel' ? server.agent : server.member;
			const settled = await who.post(`/v1/asks/${made.body.id}/${how}`, body);
			assert.equal(settled.status, 200, settled.text);
			const { reply } = (await server.agent.get(`/v1/asks/${made.body.id}?dialect=${dialect}`)).body;
			assert.ok(fits(reply), `${how}: ${JSON.stringify(reply)}\n${JSON.stringify(fits.errors)}`);
			seen.push(JSON.stringify(reply));
		}
		// No other end reads like an approval, or like an answer.
		const good = seen.at(approval ? 0 : -1);
		if (approval || answer) assert.equal(seen.filter((one) => one === good).length, 1, seen.join('\n'));
	});
}
