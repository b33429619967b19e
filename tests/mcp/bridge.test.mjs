// `parley mcp` on a pipe, message by message.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Bridge, CURRENT, LONG, answer, asked, question, useServer } from './lib.mjs';

const server = await useServer({ keepPort: true, flags: ['--mcp-wait', '120'] });
const bridges = [];
after(() => bridges.forEach((bridge) => bridge.kill()));

async function open(legacy, options) {
	const bridge = new Bridge(server, options);
	bridges.push(bridge);
	if (legacy) await bridge.initialize(legacy);
	return bridge;
}
const answers = ({ result }) => result.structuredContent.answers;
const down = async (signal) => {
	server.clients.forEach((client) => client.close());
	await server.signal(signal);
};
const up = async () => {
	await server.start();
	for (const [name, secret] of Object.entries(server.secrets)) server[name] = server.client(secret);
};

// Revisions before the current one say `initialize`.
for (const legacy of [undefined, '2025-11-25', '2025-06-18', '2025-03-26']) {
	const era = legacy ?? '2026-07-28';

	test(`${era}: a call that is held holds no other`, async () => {
		const bridge = await open(legacy);
		const held = bridge.call('ask_user_question', question(`Held, ${era}?`));
		await asked(server, `Held, ${era}?`);
		const list = await bridge.reply(bridge.request('tools/list'));
		assert.equal(list.result.tools.length, 9);
		assert.equal(bridge.messages.some(({ id }) => id === held), false);
		await answer(server, `Held, ${era}?`);
		assert.deepEqual(answers(await bridge.reply(held)), { [`Held, ${era}?`]: 'PostgreSQL' });
		assert.deepEqual(await bridge.end(), { code: 0, signal: null });
		assert.equal(bridge.stderr, '');
	});

	test(`${era}: a server that dies while it holds a call`, async () => {
		const bridge = await open(legacy);
		const text = `Killed, ${era}?`;
		const held = bridge.call('ask_user_question', question(text));
		const { id } = await asked(server, text);
		await down('SIGKILL');
		// What is built in is there while it is away; what is not fails, and says why.
		const listed = await bridge.reply(bridge.request('tools/list'));
		assert.equal(listed.result.tools.length, 9);
		const lost = await bridge.reply(bridge.request('prompts/list'));
		assert.equal(lost.error.code, -32000);
		assert.match(lost.error.message, /not reached/);
		await up();
		assert.equal((await answer(server, text)).id, id);
		assert.deepEqual(answers(await bridge.reply(held)), { [text]: 'PostgreSQL' });
		assert.equal((await bridge.reply(bridge.request('tools/list'))).result.tools.length, 9);
		await bridge.end();
	});
}

test('an answer given while the connection was lost is not lost, and nothing is asked twice', async () => {
	for (const legacy of [undefined, '2025-11-25']) {
		const bridge = await open(legacy);
		const text = `Between, ${legacy}?`;
		const held = bridge.call('ask_user_question', question(text));
		const { id } = await asked(server, text);
		// Stopped by a signal, it does not see that its connection is gone.
		bridge.child.kill('SIGSTOP');
		await down('SIGKILL');
		await up();
		await answer(server, text);
		bridge.child.kill('SIGCONT');
		const { result } = await bridge.reply(held);
		assert.equal(result.structuredContent.ask_id, id);
		await bridge.end();
	}
});

test('a cancelled call is dropped, its ask stays', async () => {
	for (const legacy of [undefined, '2025-11-25']) {
		const bridge = await open(legacy);
		const text = `Cancelled, ${legacy}?`;
		const requestId = bridge.call('ask_user_question', question(text));
		const { id } = await asked(server, text);
		bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
		await bridge.reply(bridge.request('tools/list'));
		await answer(server, text);
		const got = await bridge.reply(bridge.call('get_answer', { ask_id: id }));
		assert.equal(got.result.structuredContent.status, 'answered');
		assert.equal(bridge.messages.some((m) => m.id === requestId), false);
		await bridge.end();
	}
});

test('several messages in a line, blank lines, nonsense, a name of many bytes', async () => {
	const bridge = await open('2025-03-26');
	bridge.child.stdin.write('\n  \nnonsense\n');
	assert.equal((await bridge.reply(null)).error.code, -32700);
	bridge.send([{ jsonrpc: '2.0', id: 'a', method: 'ping' }, { jsonrpc: '2.0', id: 'b', method: 'ping' }]);
	assert.deepEqual((await bridge.reply('a')).result, {});
	assert.deepEqual((await bridge.reply('b')).result, {});
	bridge.legacy = false;
	const unknown = await bridge.reply(bridge.call('répondre\r\nX-Injected: 1', {}));
	assert.ok(unknown.error, JSON.stringify(unknown));
	assert.notEqual(unknown.error.code, -32000);
	bridge.child.stdin.write(`{"jsonrpc":"2.0","id":9000,"method":"ping","params":{"x":"${'y'.repeat(5 << 20)}"}}\n`);
	await bridge.until((m) => /too long/.test(m.error?.message), 'a complaint');
	assert.ok((await bridge.reply(bridge.request('tools/list'))).result);
	await bridge.end();
});

test('many calls wait side by side', async () => {
	const bridge = await open('2025-11-25');
	const texts = Array.from({ length: 40 }, (_, n) => `Side by side ${n}?`);
	const ids = texts.map((text) => bridge.call('ask_user_question', question(text)));
	for (const text of texts.toReversed()) await answer(server, text);
	for (const [n, id] of ids.entries()) {
		assert.deepEqual(answers(await bridge.reply(id)), { [texts[n]]: 'PostgreSQL' });
	}
	await bridge.end();
});

test('progress is passed on', { skip: !LONG && 'it comes every 15 s' }, async () => {
	for (const legacy of [undefined, '2025-11-25']) {
		const bridge = await open(legacy);
		const text = `Progress, ${legacy}?`;
		const held = bridge.call('ask_user_question', question(text), { _meta: { progressToken: 'p' } });
		const { params } = await bridge.until(({ method }) => method === 'notifications/progress', 'progress', 30_000);
		assert.equal(params.progressToken, 'p');
		await answer(server, text);
		await bridge.reply(held);
		await bridge.end();
	}
});

test('without a token, without a server: errors that say so', async () => {
	const refused = await open(undefined, { env: { PARLEY_TOKEN: 'prl_wrong' } });
	assert.match((await refused.reply(refused.request('tools/list'))).error.message, /token/i);
	const nowhere = await open(undefined, { env: { PARLEY_URL: '', PARLEY_TOKEN: '' }, flags: ['--data', '/nonexistent'] });
	assert.match((await nowhere.reply(nowhere.request('prompts/list'))).error.message, /parley serve/);
	await Promise.all([refused.end(), nowhere.end()]);
});

test('it finds the server of this machine by itself, also when that comes back elsewhere', async () => {
	const here = { env: { PARLEY_URL: '', PARLEY_TOKEN: '' }, flags: ['--data', server.data] };
	const [one, two] = [await open(undefined, here), await open('2025-11-25', here)];
	for (const bridge of [one, two]) assert.ok((await bridge.reply(bridge.request('tools/list'))).result);
	await down('SIGTERM');
	await server.start();
	for (const [name, secret] of Object.entries(server.secrets)) server[name] = server.client(secret);
	for (const bridge of [one, two]) {
		for (;;) {
			const { error, result } = await bridge.reply(bridge.request('prompts/list'));
			if (result) break;
			assert.match(error.message, /not reached/);
		}
		assert.deepEqual(await bridge.end(), { code: 0, signal: null });
	}
});

test('strict questions are refused, others mended', async () => {
	const ask = { questions: [{ question: 'Strict', header: 'A', options: ['x', 'y'] }] };
	const strict = await open(undefined, { flags: ['--strict'] });
	const { result } = await strict.reply(strict.call('ask_user_question', ask));
	assert.equal(result.isError, true);
	await strict.end();
});

test('signals end it', async () => {
	const bridge = await open();
	await bridge.reply(bridge.request('tools/list'));
	bridge.child.kill('SIGTERM');
	assert.equal((await bridge.exited).code, 143);
});

for (const era of ['2026-07-28', '2025-11-25', '2025-03-26']) {
	test(`${era}: started before the server, it has its tools, and a call waits for it`, async () => {
		await down('SIGTERM');
		const bridge = new Bridge(server);
		if (era !== CURRENT) {
			const greeting = await bridge.initialize(era);
			assert.equal(greeting.protocolVersion, era);
			assert.equal(greeting.serverInfo.name, 'parley');
			assert.match(greeting.instructions, /ask_user_question/);
		} else {
			assert.ok((await bridge.reply(bridge.request('server/discover'))).result.supportedVersions.includes(era));
		}
		const { tools } = (await bridge.reply(bridge.request('tools/list'))).result;
		assert.deepEqual(tools.map(({ name }) => name).sort(), ['UserQuestionTool', 'ask_question', 'ask_user_question',
			'cancel_ask', 'get_answer', 'list_asks', 'report_progress', 'request_approval', 'request_mandate']);
		const text = `Before the server, ${era}?`;
		const call = bridge.call('ask_user_question', question(text), { _meta: { progressToken: 'p' } });
		const told = await bridge.until((m) => m.method === 'notifications/progress', 'that it waits');
		assert.match(told.params.message, /server is away/);
		await up();
		const ask = await answer(server, text);
		assert.deepEqual(answers(await bridge.reply(call)), { [text]: 'PostgreSQL' });
		const { title } = (await server.member.get(`/v1/sessions/${ask.session}`)).body;
		assert.equal(title, 'pipe');
		assert.equal(bridge.messages.filter((m) => m.id === 1 && m.result).length, 1);
		await bridge.end();
	});
}

test('a server that never comes is told as the result of the tool', { skip: !LONG && 'it takes 45 s' }, async () => {
	const bridge = new Bridge(server, { env: { PARLEY_URL: 'http://127.0.0.1:9' } });
	const { result } = await bridge.reply(bridge.call('ask_user_question', question('Anyone?')), 90_000);
	assert.equal(result.isError, true);
	assert.match(result.content[0].text, /not reached.*parley serve/);
	await bridge.end();
});
