// restate.mjs - the same on Restate: its server, and a service of this process whose steps it keeps.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';
import { until } from '../../tests/lib/server.mjs';
import { turns } from './loop.mjs';

/* Its SDK is for Node 22, and wants no more of it than this. */
Promise.withResolvers ??= () => {
	const made = {};
	made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
	return made;
};

const freePort = () => new Promise((done) => {
	const server = createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => done(port)); });
});
const program = () => {
	const require = createRequire(import.meta.url);
	return join(dirname(require.resolve(`@restatedev/restate-server-linux-${process.arch}/package.json`)), 'bin/restate-server');
};

export default async function onRestate(url, folder) {
	const [ingress, admin, node, own] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
	const child = spawn(program(), ['--base-dir', folder, '--node-name', 'bench'], { stdio: ['ignore', 'ignore', 'ignore'],
		env: { ...process.env, RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`, RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
			RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`, RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
			RESTATE_DISABLE_TELEMETRY: 'true', RESTATE_LOG_FILTER: 'error' } });
	process.on('exit', () => child.kill('SIGKILL'));
	const asked = new Map();
	const worker = restate.service({ name: 'worker', handlers: {
		run: (ctx, { id, text }) => turns(url, text, {
			step: (name, fn) => ctx.run(name, fn),
			answer: async () => {
				const { id: ticket, promise } = ctx.awakeable();
				asked.get(id)?.(ticket);
				return promise;
			} }) } });
	await restate.endpoint().bind(worker).setLogger(() => {}).listen(own);
	await until(async () => {
		try {
			return (await fetch(`http://127.0.0.1:${admin}/deployments`, { method: 'POST', headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ uri: `http://127.0.0.1:${own}` }) })).ok;
		} catch { return false; }
	}, 'Restate', 60_000);
	const client = clients.connect({ url: `http://127.0.0.1:${ingress}` });
	const service = client.serviceClient({ name: 'worker' }), parked = new Map();
	return {
		name: 'Restate',
		run: (id, text) => service.run({ id, text }),
		ask: async (id, text) => {
			let result;
			const ticket = await new Promise((done) => {
				asked.set(id, done);
				result = service.run({ id, text });
			});
			asked.delete(id);
			parked.set(id, { ticket, result });
		},
		answer: async (id) => {
			const { ticket, result } = parked.get(id);
			await client.resolveAwakeable(ticket, 'yes');
			return result;
		},
	};
}
