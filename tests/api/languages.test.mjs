// What the server says of a problem, in the language of who asks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { approval } from './lib/samples.mjs';
import { useServer } from './lib/server.mjs';

const server = await useServer();
const { agent, admin, member, nobody } = server;
const repo = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, repo), 'utf8');
const [en, fr] = ['en', 'fr'].map((lang) => JSON.parse(read(`messages/${lang}.json`)));
const french = { headers: { 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.5' } };

const said = async (reply) => {
	const { status, body, headers } = await reply;
	assert.equal(headers['content-language'], 'fr');
	return [status, body.detail];
};

test('a problem is told in French to who asks for it, in English to everyone else', async () => {
	const taken = { name: 'Nina', role: 'member' };
	assert.equal((await admin.post('/v1/users', taken)).status, 201);
	assert.deepEqual(await said(admin.post('/v1/users', taken, french)), [409, fr['problem.user.exists'].replace('{name}', 'Nina')]);
	for (const accept of ['en-US,en;q=0.9,fr;q=0.5', '*', 'de', '']) {
		const reply = await admin.post('/v1/users', taken, { headers: { 'accept-language': accept } });
		assert.deepEqual([reply.status, reply.body.detail, reply.headers['content-language']],
			[409, en['problem.user.exists'].replace('{name}', 'Nina'), 'en'], accept);
	}
});

test('values keep their place, and roles and states are words of that language', async () => {
	assert.deepEqual(await said(member.post('/v1/users', { name: 'x' }, french)),
		[403, 'le rôle membre ne permet pas cette action']);
	const ask = (await agent.post('/v1/asks', approval())).body;
	assert.equal((await admin.post(`/v1/asks/${ask.id}/answer`, { answer: 'reject' })).status, 200);
	assert.deepEqual(await said(member.post(`/v1/asks/${ask.id}/answer`, { answer: 'approve' }, french)),
		[409, `la demande ${ask.id} est déjà traitée (réponse donnée)`]);
	assert.deepEqual(await said(admin.get('/v1/sessions/ses_none', french)), [404, 'aucune session ses_none']);
});

test('what is wrong with a body, too', async () => {
	const { status, body } = await admin.post('/v1/users', { name: 'Ola', password: 'short' }, french);
	assert.deepEqual([status, body.detail, body.errors], [422, fr['problem.user.password'],
		[{ pointer: '/password', detail: fr['problem.user.password'] }]]);
	const ask = (await agent.post('/v1/asks', { question: 'How many?', type: 'number', max: 9 })).body;
	assert.deepEqual(await said(member.post(`/v1/asks/${ask.id}/answer`, { answer: 12 }, french)), [422, 'au plus 9']);
});

test('why an agent and its provider cannot be used, too', async () => {
	const made = await admin.post('/v1/providers', { name: 'keyless', kind: 'anthropic' }, french);
	assert.deepEqual([made.status, made.body.why], [201, fr['problem.provider.no_key']]);
	const agent = await admin.post('/v1/agents', { name: 'mute', provider: 'keyless', model: 'm' }, french);
	assert.deepEqual([agent.status, agent.body.why], [201, fr['problem.provider.no_key']]);
	for (const path of ['/v1/agents/mute', '/v1/providers/keyless']) {
		assert.equal((await member.get(path, french)).body.why, fr['problem.provider.no_key']);
		assert.equal((await member.get(path)).body.why, en['problem.provider.no_key']);
	}
	assert.equal((await member.get('/v1/agents', french)).body.items[0].why, fr['problem.provider.no_key']);
	assert.deepEqual(await said(member.post('/v1/sessions', { agent: 'mute', message: 'Go' }, french)), [422, fr['problem.provider.no_key']]);
});

test('a login is refused in French', async () => {
	assert.deepEqual(await said(nobody.post('/v1/login', { name: 'nobody', password: 'wrong-password' }, french)),
		[401, fr['problem.login.wrong']]);
});

/* Where people act on the page. What only programs meet stays in English. */
const files = ['core/ask/ask.c', 'core/ask/reply.c', 'desk/shared/common.c', 'desk/notify/contacts.c', 'desk/delivery/deliveries.c', 'desk/people/login.c', 'desk/ask/mark.c',
	'desk/shared/page.c', 'desk/people/people.c', 'desk/ask/routing.c', 'desk/approval/settle.c', 'desk/people/tokens.c', 'desk/ask/views.c',
	'desk/run/agents.c', 'desk/run/providers.c', 'serve/gate.c', 'serve/login.c', 'serve/password_pool.c'];
const forPrograms = [/ERR_(INTERNAL|MEMORY|UNAVAILABLE)/, /"\/(rotate|kind|purpose|status|login|version|disabled|language|mcp_wait|again|local|tools|user|workspace)"/,
	/"no %s %/ /* the callers of desk_missing say which */, /out of memory/, /comes with a password/, /only a login can log out/, /is needed"/, /array of option ids/];

/** The arguments of each call of these functions, as they stand in a source. */
function* callsOf(source, names) {
	for (const match of source.matchAll(new RegExp(`\\b(?:${names})\\(`, 'g'))) {
		let depth = 1, quoted = false, at = match.index + match[0].length;
		const from = at;
		for (; depth > 0 && at < source.length; at++) {
			const char = source[at];
			if (quoted && char === '\\') at++;
			else if (char === '"') quoted = !quoted;
			else if (!quoted) depth += char === '(' ? 1 : char === ')' ? -1 : 0;
		}
		yield source.slice(from, at - 1);
	}
}

/** The format among the arguments of a call: literals side by side are one. */
function formatOf(call) {
	const literals = [...call.replace(/"\s+"/g, '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text);
	return literals.find((text) => text && text !== '%s' && !text.startsWith('/'));
}

test('every refusal that people can meet on the page is in the catalogue', () => {
	const known = new Set(Object.entries(en).filter(([id]) => id.startsWith('problem.'))
		.map(([, text]) => text.replace(/\{\w+\}/g, '%')));
	const missing = [];
	for (const file of files) {
		const source = read(`src/${file}`).replace(/desk_missing\("([\w ]+)",/g, 'fail("no $1 %s",');
		for (const call of callsOf(source, 'fail|fail_at|wrong|request_refuse|desk_conflict|desk_person')) {
			const text = forPrograms.some((pattern) => pattern.test(call)) ? null : formatOf(call);
			if (!text) continue;
			const pattern = text.replaceAll('\\"', '"').replace(/%(\.\*|\.\d+)?(ll|z)?[a-z]/g, '%');
			if (!known.has(pattern)) missing.push(`${file}: ${text}`);
		}
	}
	assert.deepEqual(missing, []);
});
