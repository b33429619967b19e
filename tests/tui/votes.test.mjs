// Approvals that need several, in the terminal: how many there are, whose is missing, who may not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval, useTerminals } from './lib.mjs';

const server = await useTerminals();
const secret = await server.token('member', 'mia-2');
const mia = { env: { PARLEY_TOKEN: secret }, id: (await server.client(secret).get('/v1/me')).body.user.id };

test('a vote is kept, the card says what is still missing, in English and in French', async () => {
	const second = await server.token('member', 'second');
	const other = server.client(second);
	const ops = await server.admin.post('/v1/teams', { name: 'ops',
		members: [{ user: mia.id }, { user: (await other.get('/v1/me')).body.user.id }] });
	assert.equal(ops.status, 201, ops.text);
	const ask = await server.agent.ask(approval('low', { title: 'Two of ops', require: [{ approvals: 2, from: ['team:ops'] }] }));
	const inbox = await server.inbox({ columns: 80, env: mia.env });
	await inbox.shows('Two of ops');
	inbox.press('Enter');
	await inbox.armed('▸ ( ) 1 Approve');
	await inbox.shows('0 of 2 · 2 more from ops');
	inbox.press('a');
	await inbox.shows('Approval of “Two of ops” saved: 1 of 2 · one more from ops.');
	await inbox.shows('1 of 2 · you ✓ · one more from ops');
	assert.equal((await server.agent.read(ask)).status, 'pending');
	inbox.close();
	const french = await server.inbox({ columns: 80, lang: 'fr', env: mia.env });
	await french.shows('Two of ops');
	french.press('Enter');
	await french.shows('1 sur 2 · vous ✓ · encore une, de ops');
	const theirs = await server.inbox({ columns: 80, env: { PARLEY_TOKEN: second } });
	await theirs.shows('Two of ops');
	theirs.press('Enter');
	await theirs.shows('1 of 2 · mia-2 ✓ · one more from ops');
	theirs.close();
	assert.equal((await other.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' } })).body.ask.status, 'answered');
	french.close();
	await server.admin.delete(`/v1/teams/${ops.body.id}`);
});

test('who may not settle it reads why, and their keys decide nothing', async () => {
	const session = await server.agent.session({ project: 'closed' });
	const team = await server.admin.post('/v1/teams', { name: 'closed', projects: ['closed'], members: [] });
	const ask = await server.agent.ask({ ...approval('low', { title: 'Not mine' }), session: session.id });
	const inbox = await server.inbox({ columns: 80, env: mia.env });
	await inbox.shows('Not mine');
	inbox.press('Enter');
	await inbox.shows('A team covers the project closed');
	inbox.press('a', 'a');
	await inbox.taken();
	assert.equal((await server.agent.read(ask)).status, 'pending');
	inbox.close();
	await server.admin.delete(`/v1/teams/${team.body.id}`);
	await server.agent.post(`/v1/asks/${ask.id}/cancel`, {});
});
