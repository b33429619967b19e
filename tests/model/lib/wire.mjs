// wire.mjs - src/model as a process that answers line by line.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';

const BIN = resolve(process.env.PARLEY_WIRE ?? fileURLToPath(new URL('../../../build/tests/model/wire', import.meta.url)));

const child = spawn(BIN, { stdio: ['pipe', 'pipe', 'inherit'] });
child.unref();
child.stdin.unref();
child.stdout.unref();
const waiting = [];
createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()(JSON.parse(line)));

/** One job of tests/model/wire.c. */
export function wire(job) {
	return new Promise((done) => {
		child.stdout.ref();
		waiting.push((reply) => {
			if (!waiting.length) child.stdout.unref();
			done(reply);
		});
		child.stdin.write(`${JSON.stringify(job)}\n`);
	});
}

/** Places to cut so many bytes at, in order. */
export function cuts(random, length) {
	const places = new Set();
	for (let n = random(12); n > 0; n--) places.add(1 + random(Math.max(1, length - 1)));
	return [...places].sort((a, b) => a - b);
}

/** A fetch that answers everything with this text, in pieces. */
export function cutFetch(text, random) {
	const bytes = Buffer.from(text);
	return async () => new Response(new ReadableStream({
		start(controller) {
			let at = 0;
			for (const to of [...cuts(random, bytes.length), bytes.length]) {
				controller.enqueue(bytes.subarray(at, to));
				at = to;
			}
			controller.close();
		},
	}), { status: 200, headers: { 'content-type': 'text/event-stream' } });
}
