// dbos.mjs - the same on DBOS, whose workflows and their steps are rows of PostgreSQL.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { turns } from './loop.mjs';

export default async function onDbos(url, database) {
	DBOS.setConfig({ name: 'bench', systemDatabaseUrl: database, runAdminServer: false, logLevel: 'error' });
	const asked = new Map();
	const work = DBOS.registerWorkflow((id, text) => turns(url, text, {
		step: (name, fn) => DBOS.runStep(fn, { name }),
		answer: () => {
			asked.get(id)?.();
			return DBOS.recv('answer', 3600);
		} }), { name: 'worker' });
	await DBOS.launch();
	const start = (id, text) => DBOS.startWorkflow(work, { workflowID: id })(id, text);
	const parked = new Map();
	return {
		name: 'DBOS',
		run: async (id, text) => (await start(`run-${id}`, text)).getResult(),
		ask: async (id, text) => {
			const waits = new Promise((done) => { asked.set(id, done); });
			parked.set(id, await start(id, text));
			await waits;
			asked.delete(id);
		},
		answer: async (id) => {
			await DBOS.send(id, 'yes', 'answer');
			return parked.get(id).getResult();
		},
	};
}
