// The same bytes, cut at random places, to the vendors' own SDKs and to our reader: equal messages, calls and usage.
import { test } from 'node:test';
import { random as seeded } from '../lib/random.mjs';
import { compare, judges } from './lib/judges.mjs';
import { reply, streams } from './lib/replies.mjs';

const RUNS = process.env.PARLEY_LONG ? 3000 : 150;

for (const kind of Object.keys(judges)) {
	test(`${kind}: ${RUNS} made-up replies are read as the vendor's SDK reads them`, async () => {
		const random = seeded(Number(process.env.SEED ?? 7));
		for (let n = 0; n < RUNS; n++) await compare(kind, streams[kind](random, reply(random)), random);
	});
}
