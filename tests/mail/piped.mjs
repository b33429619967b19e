// piped.mjs - a server whose replies Postfix hands over, and people who are reached by mail.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../api/lib/client.mjs';
import { codeOf, isCode } from '../api/lib/mail.mjs';
import { BIN, Server } from '../lib/server.mjs';
import { DOMAIN } from './post_office.mjs';

const NOBODY = 65534; // pipe(8) runs nothing as root

/** Not started yet: its folder has to be known to Postfix. */
export function pipedServer() {
	const piped = new Server({ as: { uid: NOBODY, gid: NOBODY }, parent: '/tmp' });
	// The program may lie where nobody else can go: a copy runs.
	piped.bin = join(piped.home, 'parley');
	copyFileSync(BIN, piped.bin);
	chmodSync(piped.bin, 0o755);
	chmodSync(piped.home, 0o755);
	return piped;
}

/** What Postfix runs for it. */
export const pipeOf = (piped) => [piped.bin, 'mail-in', '--data', piped.data, '${recipient}'];

/** Starts it. → clients: agent, member, admin, owner */
export async function pipedStart(piped) {
	const secrets = [];
	for (const [role, name] of [['agent', 'builder'], ['member', 'mia'], ['admin', 'ada'], ['owner', 'olga']]) {
		secrets.push([role, await piped.token(role, name)]);
	}
	for (const name of readdirSync(piped.data)) chownSync(join(piped.data, name), NOBODY, NOBODY);
	for (const path of [piped.home, join(piped.home, 'run'), piped.data]) chownSync(path, NOBODY, NOBODY);
	await piped.start();
	return Object.fromEntries(secrets.map(([role, secret]) => [role, new Client(piped, secret)]));
}

/** mia@DOMAIN is a contact of this client's person, verified. */
export async function linked(office, client, server) {
	const address = `mia@${DOMAIN}`;
	const made = await client.post('/v1/me/contacts', { channel: 'email', address });
	assert.equal(made.status, 201, made.text);
	const got = await office.take('mia', ({ mail }) => isCode(mail) && mail.text.includes(server.url));
	assert.equal((await client.post(`/v1/me/contacts/${made.body.id}/verify`, { code: codeOf(got) })).status, 200, got.mail.text);
}

/** Everybody is told at once. */
export const routed = async (client) => client.put('/v1/routes', { version: (await client.get('/v1/routes')).body.version,
	items: [{ match: {}, steps: [{ after: '0s', to: ['all'] }] }] });
