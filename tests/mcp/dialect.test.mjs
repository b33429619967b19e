// `parley ask --dialect`: a foreign request in, its reply out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked, question, until, useServer } from './lib.mjs';

const server = await useServer();
const ask = (args, input) => server.run(['ask', '--dialect', ...args], { input,
	env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent } });
const settle = async (fits, path, body) => {
	const found = await until(async () => (await server.member.get('/v1/asks')).body.items.find(fits), 'the ask');
	assert.equal((await server.member.post(`/v1/asks/${found.id}/${path}`, body)).status, 200);
	return found;
};

test('the request on stdin, the reply on stdout', async () => {
	const request = { action_requests: [{ name: 'send_email', args: { to: 'a@b.org' } }],
		review_configs: [{ action_name: 'send_email', allowed_decisions: ['approve', 'edit', 'reject'] }] };
	const running = ask(['langchain_hitl', '--session', 'mails'], JSON.stringify(request));
	const found = await settle(({ operation }) => operation?.name === 'send_email', 'answer', { answer: 'approve' });
	const { code, stdout } = await running;
	assert.equal(code, 0);
	assert.deepEqual(JSON.parse(stdout), { decisions: [{ type: 'approve' }] });
	assert.equal((await server.agent.get(`/v1/sessions/${found.session}`)).body.external_id, 'mails');
});

test('the request as a word; skipping it is a no', async () => {
	const running = ask(['ask_user_question', JSON.stringify(question('As a word?'))]);
	await asked(server, 'As a word?');
	await settle(({ questions: [q] }) => q.text === 'As a word?', 'skip', {});
	const { code, stdout } = await running;
	assert.equal(code, 1);
	assert.deepEqual(JSON.parse(stdout).answers, {});
});

test('what does not block, and what is not waited for', async () => {
	const later = await ask(['ask_question'], JSON.stringify({ question: 'Colour?', type: 'non_blocking', responseType: 'text' }));
	assert.equal(later.code, 0, later.stderr);
	assert.ok(JSON.parse(later.stdout).questionId);
	const left = await ask(['ask_user_question', '--no-wait'], JSON.stringify(question('Left?')));
	assert.match(left.stdout, /^ask_\w+\n$/);
});

test('wrong uses', async () => {
	assert.equal((await ask(['nonsense'], '{}')).code, 2);
	assert.equal((await ask(['ask_user_question'], 'no JSON')).code, 2);
	assert.equal((await ask(['ask_user_question', '--title', 'x'], '{}')).code, 2);
	assert.equal((await ask(['ask_user_question', '--strict'],
		JSON.stringify({ questions: [{ question: 'No mark', header: 'A', options: ['x', 'y'] }] }))).code, 2);
	assert.equal((await server.run(['ask'])).code, 2);
});
