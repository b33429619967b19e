// /mcp: calls that wait, tasks, forms that the client shows, streams that tell what changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { events, LegacyClient, question, StatelessClient } from './lib/mcp.mjs';
import { until, useServer } from './lib/server.mjs';

const server = await useServer({ flags: ['--mcp-wait', '40s'] });
const { agent, member, secrets } = server;
const brief = await server.token('agent', 'brief', ['--agent', 'builder', '--mcp-wait', '1']);
const local = await server.token('agent', 'local2', ['--agent', 'builder', '--local']);
const now = (capabilities, token = secrets.agent) => new StatelessClient(server, token, capabilities);
const before = (version, capabilities, token = secrets.agent) =>
	new LegacyClient(server, token).open(version, capabilities);

const eras = {
	'2025-03-26': () => before('2025-03-26'),
	'2025-06-18': () => before('2025-06-18'),
	'2025-11-25': () => before('2025-11-25'),
	'2026-07-28': () => now(),
};

const asked = (text) => until(async () => (await member.get('/v1/asks?limit=200')).body.items
	.find((ask) => ask.questions[0].text === text), text);
const answer = async (text, choice = 'SQLite') => {
	const ask = await asked(text);
	const reply = await member.answer(ask, { [ask.questions[0].key]: choice });
	assert.equal(reply.status, 200);
	return ask;
};

// ---- blocking ----

for (const [version, open] of Object.entries(eras)) {
	test(`${version}: a call waits, its headers come at once, and ends with the answer`, async () => {
		const text = `Blocking ${version}?`;
		const client = await open();
		const waiting = client.request('tools/call', { name: 'ask_user_question', arguments: question(text) });
		await answer(text);
		const sent = await waiting;
		assert.equal(sent.headers['content-type'], 'text/event-stream');
		assert.equal(sent.headers['x-accel-buffering'], 'no');
		assert.equal(sent.messages.length, 1);
		assert.equal(sent.reply.result.structuredContent.answers[text], 'SQLite');
		assert.equal('resultType' in sent.reply.result, version === '2026-07-28');
		assert.equal(sent.text.includes('id: '), version !== '2026-07-28');
	});
}

test('the stream opens before there is an answer', async () => {
	const text = 'Opens?';
	const client = await before('2025-11-25');
	let first;
	const opened = new Promise((resolve) => { first = resolve; });
	const waiting = client.request('tools/call', { name: 'ask_user_question', arguments: question(text) },
		{ onText: (so) => first(so) });
	assert.match(await opened, /^id: \S+\nretry: [345]\d{3}\ndata: \n\n/);
	await answer(text);
	await waiting;
});

test('who takes JSON only gets JSON', async () => {
	const text = 'JSON only?';
	const waiting = now().request('tools/call', { name: 'ask_user_question', arguments: question(text) },
		{ headers: { accept: 'application/json' } });
	await answer(text);
	const sent = await waiting;
	assert.equal(sent.headers['content-type'], 'application/json');
	assert.equal(sent.reply.result.structuredContent.status, 'answered');
});

test('at the end of the budget the result says pending, and get_answer has the rest', async () => {
	const client = now({}, brief);
	const over = await client.call('ask_user_question', question('Budget?'));
	assert.equal(over.isError, false);
	assert.equal(over.structuredContent.status, 'pending');
	const later = now().call('get_answer', { ask_id: over.structuredContent.ask_id });
	await answer('Budget?');
	assert.equal((await later).structuredContent.status, 'answered');
	const still = await client.call('ask_user_question', question('Still?'));
	const none = await now().call('get_answer', { ask_id: still.structuredContent.ask_id, wait_s: 0 });
	assert.equal(none.structuredContent.status, 'pending');
});

test('a word back ends the wait, still pending', async () => {
	const waiting = now().call('ask_user_question', question('Back?'));
	const ask = await asked('Back?');
	await member.post(`/v1/asks/${ask.id}/replies`, { text: 'Which one do you mean?' });
	const result = await waiting;
	assert.equal(result.structuredContent.status, 'pending');
	assert.equal(result.structuredContent.replies[0].text, 'Which one do you mean?');
});

test('a connection that is lost, and a cancel, drop the waiter only', async () => {
	const abort = new AbortController();
	const lost = now().request('tools/call', { name: 'ask_user_question', arguments: question('Lost?') },
		{ signal: abort.signal }).catch(() => 'lost');
	const ask = await asked('Lost?');
	abort.abort();
	assert.equal(await lost, 'lost');
	assert.equal((await agent.read(ask)).status, 'pending');
	const client = await before('2025-06-18');
	const waiting = client.request('tools/call', { name: 'ask_user_question', arguments: question('Cancelled?') },
		{ id: 'c1' });
	await asked('Cancelled?');
	const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c1' } };
	assert.equal((await client.send('POST', note, client.headers())).status, 202);
	assert.deepEqual((await waiting).messages, []);
	assert.equal((await asked('Cancelled?')).status, 'pending');
	assert.equal((await client.send('POST', note, client.headers())).status, 202);
});

for (const how of ['lost', 'restarted']) {
	test(`a stream that was ${how} goes on with Last-Event-ID and brings the answer`, async () => {
		const text = `Cut ${how}?`;
		const client = await before('2025-11-25');
		let id;
		const cut = client.request('tools/call', { name: 'ask_user_question', arguments: question(text) },
			{ id: 'cut-1', onText: (so, request) => {
				id = /^id: (\S+)/.exec(so)[1];
				if (how === 'lost') request.destroy();
			} }).catch(() => 'cut');
		const ask = await asked(text);
		await until(() => id);
		if (how === 'restarted') await server.crash();
		await cut;
		const resume = () => client.send('GET', undefined, { ...client.headers(), 'last-event-id': id });
		const waiting = resume();
		await member.answer(ask, { [ask.questions[0].key]: 'PostgreSQL' });
		for (const sent of [await waiting, await resume()]) {
			assert.equal(sent.status, 200);
			assert.equal(sent.reply.id, 'cut-1');
			assert.equal(sent.reply.result.structuredContent.answers[text], 'PostgreSQL');
		}
		const stranger = await before('2025-11-25', {}, secrets.stranger);
		const other = await stranger.send('GET', undefined, { ...stranger.headers(), 'last-event-id': id });
		assert.ok(other.reply.error);
		const forged = await client.send('GET', undefined, { ...client.headers(), 'last-event-id': `${id}x` });
		assert.equal(forged.status, 400);
	});
}

/** The approval of this command. */
const askedTo = (command) => until(async () => (await member.get('/v1/asks?limit=200')).body.items
	.find((one) => JSON.stringify(one.operation ?? '').includes(command)));

test('a permission prompt that was cut gets one text, and nothing beside it, when it comes back', async () => {
	const client = await before('2025-11-25');
	let id;
	const cut = client.request('tools/call', { name: 'request_approval',
		arguments: { tool_name: 'Bash', input: { command: 'ls resumed' }, tool_use_id: 'tu_1' } },
	{ id: 'cut-2', onText: (so, request) => {
		id = /^id: (\S+)/.exec(so)[1];
		request.destroy();
	} }).catch(() => 'cut');
	await until(() => id);
	await cut;
	const ask = await askedTo('ls resumed');
	const waiting = client.send('GET', undefined, { ...client.headers(), 'last-event-id': id });
	assert.equal((await member.answer(ask, { decision: 'approve' })).status, 200);
	const { result } = (await waiting).reply;
	assert.equal(JSON.parse(result.content[0].text).behavior, 'allow');
	assert.equal(result.structuredContent, undefined);
});

test('a task of a client that may show forms asks by itself, and takes the answer', async () => {
	const text = 'Asked by its task?';
	const client = now({ elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }, local);
	const call = await client.call('ask_question', { question: text, responseType: 'choice',
		options: [{ label: 'Red' }, { label: 'Blue' }] });
	assert.equal(call.resultType, 'task');
	const seen = await client.result('tasks/get', { taskId: call.taskId });
	assert.equal(seen.status, 'input_required');
	const [field] = Object.entries(seen.inputRequests.q.params.requestedSchema.properties)[0];
	await client.result('tasks/update', { taskId: call.taskId,
		inputResponses: { q: { action: 'accept', content: { [field]: 'no such choice' } } } });
	assert.equal((await client.result('tasks/get', { taskId: call.taskId })).status, 'input_required');
	const [choice] = seen.inputRequests.q.params.requestedSchema.properties[field].oneOf;
	await client.result('tasks/update', { taskId: call.taskId,
		inputResponses: { q: { action: 'accept', content: { [field]: choice.const } } } });
	const done = await client.result('tasks/get', { taskId: call.taskId });
	assert.equal(done.status, 'completed');
	assert.match(JSON.stringify(done.result), /Red/);
});

test('a server that stops tells the calls that wait that they are pending', async () => {
	const clients = [now(), await before('2025-11-25')];
	const waiting = clients.map((client, i) => client.call('ask_user_question', question(`Stopped ${i}?`)));
	const prompt = clients[0].call('request_approval',
		{ tool_name: 'Bash', input: { command: 'ls stopped' }, tool_use_id: 'tu_2' });
	for (const i of [0, 1]) await asked(`Stopped ${i}?`);
	await askedTo('ls stopped');
	await server.stop();
	const ids = (await Promise.all(waiting)).map((result) => result.structuredContent);
	assert.deepEqual(ids.map((one) => one.status), ['pending', 'pending']);
	const prompted = await prompt;
	assert.equal(JSON.parse(prompted.content[0].text).behavior, 'deny');
	assert.equal(prompted.structuredContent, undefined);
	await server.start();
	for (const i of [0, 1]) assert.equal((await asked(`Stopped ${i}?`)).id, ids[i].ask_id);
});

test('progress is told while the call waits, with a sign of life', { skip: !process.env.PARLEY_LONG }, async () => {
	const text = 'Slow?';
	const waiting = (await before('2025-06-18')).request('tools/call', { name: 'ask_user_question',
		arguments: question(text), _meta: { progressToken: 'p1' } });
	const seen = now().request('tools/call', { name: 'ask_user_question', arguments: question(text) });
	await asked(text);
	await new Promise((resolve) => { setTimeout(resolve, 31_000); });
	await answer(text);
	const sent = await waiting;
	const told = sent.messages.filter((m) => m.method === 'notifications/progress');
	assert.deepEqual(told.map((m) => [m.params.progressToken, m.params.progress]), [['p1', 1], ['p1', 2]]);
	assert.match(sent.text, /\n: waiting\n/);
	assert.equal(new Set(events(sent.text).map((e) => e.id)).size, 3);
	assert.equal((await seen).messages.length, 1);
});

// ---- tasks ----

test('2026-07-28: with the tasks extension an ask is a task', async () => {
	const client = now({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
	const task = await client.call('ask_user_question', question('Task?'));
	assert.equal(task.resultType, 'task');
	assert.equal(task.status, 'working');
	assert.equal(task.ttlMs, null);
	assert.ok(task.pollIntervalMs > 0 && !('result' in task) && !('requestState' in task));
	const working = await client.result('tasks/get', { taskId: task.taskId });
	assert.equal(working.status, 'working');
	assert.equal(working.resultType, 'complete');
	await answer('Task?');
	const done = await client.result('tasks/get', { taskId: task.taskId });
	assert.equal(done.status, 'completed');
	assert.equal(done.result.structuredContent.answers['Task?'], 'SQLite');
	const empty = await client.result('tasks/cancel', { taskId: task.taskId });
	assert.deepEqual(Object.keys(empty).sort(), ['_meta', 'resultType']);
	const other = await client.call('ask_user_question', question('To cancel?'));
	await client.result('tasks/cancel', { taskId: other.taskId });
	assert.equal((await client.result('tasks/get', { taskId: other.taskId })).status, 'cancelled');
	assert.equal((await agent.read({ id: other.taskId })).status, 'cancelled');
	assert.equal((await client.request('tasks/get', { taskId: 'ask_none' })).reply.error.code, -32602);
	assert.equal((await client.request('tasks/list')).status, 404);
});

test('2025-11-25: a call with task is one of its tasks', async () => {
	const client = await before('2025-11-25');
	const { task } = await client.call('ask_user_question', question('Old task?'), { task: { ttl: 60000 } });
	assert.equal(task.status, 'working');
	assert.equal(task.ttl, null);
	assert.ok((await client.result('tasks/list')).tasks.some((t) => t.taskId === task.taskId));
	assert.equal((await client.result('tasks/get', { taskId: task.taskId })).status, 'working');
	const waiting = client.result('tasks/result', { taskId: task.taskId });
	await answer('Old task?');
	const result = await waiting;
	assert.equal(result.structuredContent.status, 'answered');
	assert.equal(result._meta['io.modelcontextprotocol/related-task'].taskId, task.taskId);
	const other = await client.call('ask_user_question', question('Old to cancel?'), { task: {} });
	assert.equal((await client.result('tasks/cancel', { taskId: other.task.taskId })).status, 'cancelled');
	assert.ok((await client.request('tasks/cancel', { taskId: other.task.taskId })).reply.error);
});

// ---- forms of the client's own ----

const form = { elicitation: {} };

test('2026-07-28: for a local token the result asks for the form, and the retry settles it', async () => {
	const client = now(form, local);
	const params = { name: 'ask_user_question', arguments: question('Form?') };
	const first = await client.result('tools/call', params);
	assert.equal(first.resultType, 'input_required');
	const { method, params: shown } = first.inputRequests.q;
	assert.equal(method, 'elicitation/create');
	const [key] = Object.keys(shown.requestedSchema.properties);
	assert.deepEqual(shown.requestedSchema.properties[key].oneOf.map((o) => o.title), ['SQLite', 'PostgreSQL']);
	const retry = (q, state = first.requestState) => client.request('tools/call',
		{ ...params, inputResponses: q ? { q } : {}, requestState: state });
	assert.equal((await retry(null)).reply.result.resultType, 'input_required');
	assert.equal((await retry({ action: 'accept', content: { [key]: 'nonsense' } })).reply.result.resultType,
		'input_required');
	assert.equal((await retry(null, `${first.requestState}x`)).reply.error.code, -32602);
	const thief = await now(form, secrets.agent).request('tools/call',
		{ ...params, inputResponses: {}, requestState: first.requestState });
	assert.equal(thief.reply.error.code, -32602);
	const id = shown.requestedSchema.properties[key].oneOf[1].const;
	const done = (await retry({ action: 'accept', content: { [key]: id } })).reply.result;
	assert.equal(done.structuredContent.answers['Form?'], 'PostgreSQL');
	assert.equal(done.structuredContent.answered_by.via, 'mcp');
	assert.equal((await retry({ action: 'decline' })).reply.result.structuredContent.status, 'answered');
});

test('declining a form skips the ask; the inbox may be first', async () => {
	const client = now(form, local);
	const call = (text, more) => client.result('tools/call',
		{ name: 'ask_user_question', arguments: question(text), ...more });
	const first = await call('Decline?');
	const skipped = await call('Decline?', { requestState: first.requestState,
		inputResponses: { q: { action: 'decline' } } });
	assert.equal(skipped.structuredContent.status, 'skipped');
	const second = await call('Inbox first?');
	await answer('Inbox first?');
	const late = await call('Inbox first?', { requestState: second.requestState,
		inputResponses: { q: { action: 'decline' } } });
	assert.equal(late.structuredContent.answers['Inbox first?'], 'SQLite');
});

test('what a form cannot show is a page', async () => {
	const args = question('Page?');
	args.questions[0].options[0].preview = 'a preview';
	const first = await now({ elicitation: { form: {}, url: {} } }, local).call('ask_user_question', args);
	const ask = await asked('Page?');
	assert.deepEqual(first.inputRequests.q.params.mode, 'url');
	assert.equal(first.inputRequests.q.params.url, ask.url);
});

for (const version of ['2025-06-18', '2025-11-25']) {
	test(`${version}: the form is a request on the stream of the call`, async () => {
		const text = `Form ${version}?`;
		const client = await before(version, form, local);
		let show;
		const shown = new Promise((resolve) => { show = resolve; });
		const waiting = client.request('tools/call', { name: 'ask_user_question', arguments: question(text) },
			{ onText: (so) => {
				const found = events(so).find((e) => e.message.method === 'elicitation/create');
				if (found) show(found.message);
			} });
		const request = await shown;
		const [[key, field]] = Object.entries(request.params.requestedSchema.properties);
		const value = field.enum ? field.enum[0] : field.oneOf[0].const;
		const sent = await client.send('POST', { jsonrpc: '2.0', id: request.id,
			result: { action: 'accept', content: { [key]: value } } }, client.headers());
		assert.equal(sent.status, 202);
		const { messages, reply } = await waiting;
		assert.equal(reply.result.structuredContent.answers[text], 'SQLite');
		assert.equal(messages.length, 2);
	});

	test(`${version}: a form that the inbox was faster than is withdrawn`, async () => {
		const text = `Faster ${version}?`;
		const waiting = (await before(version, form, local)).request('tools/call',
			{ name: 'ask_user_question', arguments: question(text) });
		await answer(text);
		const [shown, gone, reply] = (await waiting).messages;
		assert.equal(gone.method, 'notifications/cancelled');
		assert.equal(gone.params.requestId, shown.id);
		assert.equal(reply.result.structuredContent.answers[text], 'SQLite');
	});
}

test('without --local, and for an approval, no form settles anything', async () => {
	const plain = await now(form, brief).call('ask_user_question', question('No form?'));
	assert.equal(plain.structuredContent.status, 'pending');
	const risky = now(form, local).request('tools/call', { name: 'request_approval',
		arguments: { tool_name: 'shell', input: { cmd: 'rm' } } });
	const ask = await askedTo('"rm"');
	await member.answer(ask, { decision: 'reject' });
	assert.equal((await risky).reply.result.structuredContent.behavior, 'deny');
});

// ---- listening ----

test('subscriptions/listen tells of the asks that were named, and of new ones', async () => {
	const client = now();
	const { structuredContent: { ask_id: id } } = await now({}, brief).call('ask_user_question', question('Watched?'));
	let seen = '';
	const abort = new AbortController();
	const listening = client.request('subscriptions/listen', { notifications: { resourcesListChanged: true,
		toolsListChanged: true, resourceSubscriptions: [`parley://asks/${id}`, 'other://x'] } },
	{ id: 'sub', signal: abort.signal, onText: (so) => { seen = so; } }).catch(() => 'over');
	await until(() => events(seen).length >= 1);
	const [ack] = events(seen).map((e) => e.message);
	assert.equal(ack.method, 'notifications/subscriptions/acknowledged');
	assert.deepEqual(ack.params.notifications,
		{ resourcesListChanged: true, resourceSubscriptions: [`parley://asks/${id}`] });
	await answer('Watched?');
	const told = await until(() => {
		const all = events(seen).map((e) => e.message);
		return all.some((m) => m.method === 'notifications/resources/list_changed') && all;
	});
	const update = told.find((m) => m.method === 'notifications/resources/updated');
	assert.equal(update.params.uri, `parley://asks/${id}`);
	assert.ok(told.every((m) => m.params._meta['io.modelcontextprotocol/subscriptionId'] === 'sub'));
	abort.abort();
	await listening;
});

test('until 2025-11-25 the GET stream tells that the list has changed, to whom it concerns', async () => {
	const client = await before('2025-11-25');
	const other = await before('2025-11-25', {}, secrets.stranger);
	let seen = '';
	let foreign = '';
	const abort = new AbortController();
	const streams = [[client, (so) => { seen = so; }], [other, (so) => { foreign = so; }]]
		.map(([who, onText]) => who.send('GET', undefined, who.headers(), { signal: abort.signal, onText })
			.catch(() => 'over'));
	await until(() => seen && foreign);
	await agent.ask();
	await until(() => events(seen).some((e) => e.message.method === 'notifications/resources/list_changed'));
	assert.deepEqual(events(foreign), []);
	abort.abort();
	await Promise.all(streams);
});
