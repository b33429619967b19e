// Calls that are cut at random moments, and a server that is killed now and then: every ask can
// be answered, every answer reaches whoever comes back for it, and nothing is asked twice.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { random } from '../lib/random.mjs';
import { CURRENT, LONG, until, useServer } from './lib.mjs';

const CALLS = LONG ? 1000 : 60;
const KILLS = LONG ? 20 : 2;
const SIDE_BY_SIDE = 12;
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1e9);

const below = random(SEED);

const server = await useServer({ keepPort: true, flags: ['--mcp-wait', '300', '--ask-rate', '0'] });

const meta = {
	'io.modelcontextprotocol/protocolVersion': CURRENT,
	'io.modelcontextprotocol/clientInfo': { name: 'cut', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
};
let session;

/** One HTTP exchange; cut after `ms` when given. → {messages, last (event id), cut} */
function exchange(method, { body, headers, ms }) {
	return new Promise((resolve) => {
		const got = { messages: [], last: undefined, cut: false };
		const request = http.request(`${server.url}/mcp`, { method, agent: false, headers: {
			authorization: `Bearer ${server.secrets.agent}`, accept: 'application/json, text/event-stream',
			...(body && { 'content-type': 'application/json' }), ...headers } });
		const end = (cut) => {
			got.cut ||= cut;
			resolve(got);
		};
		request.on('error', () => end(true));
		request.on('response', (response) => {
			got.headers = response.headers;
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (part) => {
				text += part;
				if (!/event-stream/.test(response.headers['content-type'])) return;
				const frames = text.split('\n\n');
				text = frames.pop();
				for (const frame of frames) {
					got.last = /^id: (.*)$/m.exec(frame)?.[1] ?? got.last;
					const data = /^data: (.+)$/m.exec(frame)?.[1];
					if (data) got.messages.push(JSON.parse(data));
				}
			});
			response.on('end', () => {
				if (text.trim().startsWith('{')) got.messages.push(JSON.parse(text));
				end(!response.complete);
			});
			response.on('error', () => end(true));
		});
		if (ms !== undefined) setTimeout(() => { end(true); request.destroy(); }, ms);
		request.end(body && JSON.stringify(body));
	});
}

async function post(legacy, name, args, { key, ms } = {}) {
	const body = { jsonrpc: '2.0', id: 7, method: 'tools/call',
		params: { name, arguments: args, ...(!legacy && { _meta: meta }) } };
	const headers = legacy
		? { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
		: { 'mcp-protocol-version': CURRENT, 'mcp-method': 'tools/call', 'mcp-name': name };
	return exchange('POST', { body, ms, headers: { ...headers, ...(key && { 'idempotency-key': key }) } });
}
const resume = (last) => exchange('GET', { headers: { 'mcp-session-id': session,
	'mcp-protocol-version': '2025-11-25', 'last-event-id': last } });
const result = ({ messages }) => messages.find((m) => m.id === 7)?.result?.structuredContent;

/** Tries until there is an answer: the server is killed now and then. */
const insist = (fn, what) => until(async () => {
	try {
		return await fn();
	} catch {
		return undefined;
	}
}, what, 60_000);

const find = async (text) => {
	const { body } = await server.member.get(`/v1/asks?status=all&limit=200&q=${encodeURIComponent(text)}`);
	return body.items.filter((ask) => ask.questions[0].text === text);
};

async function settle(text, value) {
	const ask = await insist(async () => (await find(text))[0], `the ask ${text}`);
	await insist(async () => {
		const reply = await server.member.post(`/v1/asks/${ask.id}/answer`, { answer: value });
		return [200, 409].includes(reply.status);
	}, `the answer to ${text}`);
	return ask;
}

/** Whoever comes back, in one of the ways there are; → what they were told. */
async function comeBack({ text, args, legacy, key, last, way }) {
	return insist(async () => {
		if (way === 'event' && last) {
			const got = await resume(last);
			last = got.last ?? last;
			return result(got);
		}
		if (way === 'list') {
			const [ask] = await find(text);
			if (ask) return result(await post(legacy, 'get_answer', { ask_id: ask.id, wait_s: 60 }));
		}
		return result(await post(legacy, 'ask_user_question', args, { key }));
	}, `the result of ${text}`);
}

async function one(n) {
	const text = `Cut ${n} of ${SEED}?`;
	const value = below(2) ? 'SQLite' : 'PostgreSQL';
	const call = { text, legacy: below(2) === 1, key: `cut-${SEED}-${n}`, way: ['key', 'event', 'list'][below(3)],
		args: { questions: [{ question: text, header: 'Cut', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }] } };
	const first = await post(call.legacy, 'ask_user_question', call.args, { key: call.key, ms: below(4) ? below(40) : below(400) });
	call.last = first.last;
	let told;
	if (below(2) && (await find(text).catch(() => [])).length) {
		await settle(text, value); // nobody waits at this moment
		told = await comeBack(call);
	} else {
		[told] = await Promise.all([comeBack(call), settle(text, value)]);
	}
	assert.equal(told.status, 'answered', `${text} ${call.way} ${JSON.stringify(told)}`);
	assert.deepEqual(told.answers, { [text]: value }, `${text} ${call.way}`);
	assert.equal((await insist(() => find(text))).length, 1, `${text} was asked twice (${call.way})`);
}

test(`${CALLS} calls cut at random, ${KILLS} kills (PARLEY_SEED=${SEED})`, async () => {
	const opened = await exchange('POST', { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {
		protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cut', version: '1' } } } });
	session = opened.headers['mcp-session-id'];
	let next = 0;
	let killed = 0;
	const worker = async () => {
		while (next < CALLS) await one(next++);
	};
	const killer = async () => {
		while (killed < KILLS) {
			await until(() => next >= ((killed + 1) * CALLS) / (KILLS + 1), 'the next kill', 600_000);
			killed += 1;
			server.clients.forEach((client) => client.close());
			await server.signal('SIGKILL');
			await server.start();
		}
	};
	await Promise.all([...Array.from({ length: SIDE_BY_SIDE }, worker), killer()]);
	const left = (await server.member.get('/v1/asks')).body.items;
	assert.deepEqual(left.map(({ questions: [q] }) => q.text), []);
});
