// Calls through the gateway that a person must approve run once, whatever dies meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Once } from '../lib/gateway_once.mjs';
import { useServer } from './lib/server.mjs';

const LONG = Boolean(process.env.PARLEY_LONG), seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1e6);
const calls = LONG ? 1000 : 100, callers = LONG ? 40 : 20, kills = LONG ? 30 : 3;
const folder = mkdtempSync(join(tmpdir(), 'parley-once-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const server = await useServer({ keepPort: true, env: { PARLEY_ASK_RATE: '0' } });

test(`${calls} held calls by ${callers} callers, ${kills} kills: none without an approval, none twice, each with an end`, async () => {
	const { token } = (await server.admin.post('/v1/tokens', { role: 'agent', name: 'once', mcp_wait: '2s', again: 3600 })).body;
	const as = (secret) => (method, path, body) => server.call(secret, method, path, body);
	const once = new Once({ nodes: [server], folder, token, calls, callers, kills, seed, admin: as(server.secrets.admin), member: as(server.secrets.member) });
	after(() => once.stop());
	try {
		await once.open();
		await once.play();
		const { ran, cut, anew } = await once.check();
		console.log(`seed ${seed}: ${ran} ran, ${cut} cut off before they ran, ${anew} sent anew after their outcome was out, ${once.cuts} connections cut`);
		assert.equal(ran + cut, calls);
	} catch (e) { throw new Error(`seed ${seed}: ${e.message}`, { cause: e }); }
});
