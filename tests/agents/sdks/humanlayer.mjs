// HumanLayer: its client puts calls and contacts to a server, and looks there until they are decided.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { humanlayer } from '@humanlayer/sdk';
import { CITY } from './send.mjs';

export const dialect = 'humanlayer';
export const asking = 'humanlayer';

/** Runs `use` with a client of a server at which `decide` says how each call ends. */
async function layered(decide, use) {
	const decided = new Map();
	const server = createServer(async (request, response) => {
		const body = [];
		for await (const bytes of request) body.push(bytes);
		const text = Buffer.concat(body).toString();
		if (request.method === 'POST') {
			const call = JSON.parse(text);
			decided.set(call.call_id, await decide(call).catch(() => null));
			response.statusCode = decided.get(call.call_id) ? 200 : 500;
			response.end(text);
		} else {
			response.end(JSON.stringify(decided.get(request.url.split('/').at(-1))));
		}
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	try {
		return await use(humanlayer({ apiKey: 'x', apiBaseUrl: `http://127.0.0.1:${server.address().port}/humanlayer/v1`, runId: 'run-1', sleep: async () => {} }));
	} finally {
		server.close();
	}
}

export function approval({ execute, decide }) {
	return layered(decide, (layer) => {
		const send = layer.requireApproval()(async function send(input) { return execute(input); });
		return send({ to: 'ada', text: 'Hi' });
	});
}

export function suspended({ execute, decide }) {
	return layered(decide, async (layer) => {
		const city = await layer.humanAsTool()({ message: CITY.text });
		return /^Skipped/.test(city) ? city : execute({ city });
	});
}
