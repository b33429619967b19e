// Many calls wait in one server at a time: what they cost it, and that all are told.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { CURRENT, LONG, useServer } from './lib.mjs';

const CALLS = LONG ? 10_000 : 500;
const EACH = 512; // bytes of the server's memory: the goal

const server = await useServer({ flags: ['--mcp-wait', '300', '--ask-rate', '0'] });

const pss = () => 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${server.child.pid}/smaps_rollup`, 'utf8'))[1]);

/** Once what the requests themselves needed has gone back to the system. */
async function tidied() {
	if (LONG) await new Promise((done) => setTimeout(done, 1500));
	return pss();
}

function request(id, ask_id) {
	const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_answer',
		arguments: { ask_id, wait_s: 300 }, _meta: {
			'io.modelcontextprotocol/protocolVersion': CURRENT, 'io.modelcontextprotocol/clientCapabilities': {} } } });
	return [`POST /mcp HTTP/1.1`, `Host: ${server.address}`, `Authorization: Bearer ${server.secrets.agent}`,
		'Content-Type: application/json', 'Accept: application/json, text/event-stream', `MCP-Protocol-Version: ${CURRENT}`,
		'Mcp-Method: tools/call', 'Mcp-Name: get_answer', `Content-Length: ${body.length}`, '', body].join('\r\n');
}

/** Resolves when the head of the reply is there; `told` when the whole reply is. */
function hold(id, ask) {
	const call = {};
	return new Promise((resolve, reject) => {
		const socket = net.connect(server.port, '127.0.0.1', () => socket.write(request(id, ask)));
		let text = '';
		call.told = new Promise((done) => {
			socket.on('data', (bytes) => {
				text += bytes.toString('latin1');
				if (text.includes('\r\n\r\n')) resolve(call);
				if (text.includes('"result"') && text.endsWith('0\r\n\r\n')) {
					socket.destroy();
					done(text);
				}
			});
		});
		socket.on('error', reject);
	});
}

async function holdAll(ask, first, count) {
	const calls = [];
	for (let n = 0; n < count; n += 50) {
		calls.push(...await Promise.all(Array.from({ length: Math.min(50, count - n) }, (_, i) => hold(first + n + i, ask))));
	}
	return calls;
}

test(`${CALLS} calls wait in one server`, async (t) => {
	const ask = await server.agent.ask({ question: 'Which way?', type: 'text' });
	// The first half pays for what all share.
	const calls = await holdAll(ask.id, 1000, CALLS / 2);
	const before = await tidied();
	calls.push(...await holdAll(ask.id, 1000 + CALLS / 2, CALLS / 2));
	const each = (await tidied() - before) / (CALLS / 2);
	t.diagnostic(`${Math.round(each)} bytes a waiting call`);
	if (LONG) assert.ok(each <= EACH, `${each} bytes a waiting call`);
	assert.equal((await server.member.answer(ask, { q1: 'Left' })).status, 200);
	const texts = await Promise.all(calls.map(({ told }) => told));
	for (const [n, text] of texts.entries()) {
		assert.match(text, new RegExp(`"id":${1000 + n},`));
		assert.match(text, /"status":"answered"/);
		assert.match(text, /Left/);
	}
});
