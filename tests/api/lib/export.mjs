// export.mjs - another reader of exports than ours, by what the contract says: the chain, digests, receipts, counts, the signed end.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { canonical, claimsOf, eventHash, judged, sha256 } from './proof.mjs';

/** The lines of a file, which may be larger than a text. */
export async function* linesOf(path) {
	let rest = '';
	for await (const part of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
		const lines = (rest + part).split('\n');
		rest = lines.pop();
		yield* lines;
	}
	assert.equal(rest, '', 'the last line has an end');
}

/** Throws at what is wrong. seen: told of each line that is right, as {event}, {ask}, {receipt} or {head}. → the end */
export async function verified(lines, jwks, seen = () => {}) {
	let first, end, hash, last, ws, since, sum, event;
	for await (const line of lines) {
		const j = JSON.parse(line);
		assert.ok(!end, 'nothing follows the end');
		if (j.line === 'head') {
			assert.equal(j.v, 1);
			if (first) assert.deepEqual([j.after, j.before, j.workspace, j.filter], [last, hash, first.workspace, first.filter]);
			if (!j.after) assert.equal(j.before, '0'.repeat(64));
			first ??= j;
			({ before: hash, after: last, ws } = j);
			since = { events: 0, asks: 0, receipts: 0 };
			sum = Buffer.alloc(32);
			seen({ head: j });
		} else if (j.line === 'event') {
			const data = line.slice(line.indexOf(',"data":') + 8, -1);
			assert.equal(j.n, last + 1);
			if (j.data !== null) assert.equal(j.digest, sha256(data));
			assert.equal(j.hash, eventHash({ ...j, ws }, hash, Buffer.from(j.digest, 'hex')));
			[hash, last, event] = [j.hash, j.n, j];
			since.events++;
			seen({ event: j });
		} else if (j.line === 'ask') {
			assert.deepEqual([event.type, event.ask], ['ask.created', j.ask.id]);
			since.asks++;
			seen({ ask: j.ask });
		} else if (j.line === 'receipt') {
			const said = await judged(j.receipt, jwks, { unlogged: event.data.decision === undefined });
			assert.deepEqual([said.event.n, said.event.hash, said.ask], [last, hash, event.ask]);
			since.receipts++;
			seen({ receipt: said });
		} else {
			const { signature, ...rest } = j;
			assert.equal(j.line, 'end');
			const { typ, ...claims } = await claimsOf(signature, jwks);
			assert.deepEqual([typ, claims], ['parley-export', rest]);
			assert.equal(Buffer.from(signature.split('.')[1], 'base64url').toString(), canonical(rest));
			assert.deepEqual({ events: j.events, asks: j.asks, receipts: j.receipts, last: j.last, hash: j.hash }, { ...since, last, hash });
			assert.equal(j.lines, sum.toString('hex'));
			end = j;
		}
		sum = createHash('sha256').update(sum).update(`${line}\n`).digest();
	}
	assert.ok(end, 'there is an end');
	return end;
}

/** Where a stream that was cut goes on: the bytes that stay, and the event behind which it does. */
export function resumed(bytes) {
	const last = bytes.lastIndexOf('\n{"line":"event"', bytes.lastIndexOf('\n') - 1) + 1;
	const before = bytes.lastIndexOf('\n{"line":"event"', last - 2) + 1;
	if (!before) return ['', 0];
	return [bytes.slice(0, last), Number(bytes.slice(before).match(/"n":(\d+)/)[1])];
}
