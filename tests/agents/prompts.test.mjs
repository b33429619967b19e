// Real agents in a terminal, with `parley connect NAME --hook prompts`: what they ask is open at the desk, too, and the
// first answer counts. One agent makes all the calls of its tests, one after the other, as its model is told.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AGENTS } from './agents.mjs';
import { Desk, asked, byCommand, byText, chosen, question, restart, serverFor, settle, until } from './lib.mjs';
import { use } from '../lib/script_model.mjs';
import { random } from '../lib/random.mjs';
import { Terminal, sleep } from '../tui/lib.mjs';

const LONG = Boolean(process.env.PARLEY_LONG);
const RACES = LONG ? 200 : 2;
const APART_MS = 50;
const LATE_MS = 1000;
/** A terminal with an agent costs more than all the rest: they are here in the long run, or when agents are named. */
const agents = chosen(AGENTS).filter(({ prompts }) => prompts && (LONG || process.env.PARLEY_AGENTS));
const server = await serverFor(agents, { keepPort: true });

/** The way to the desk: open; slow, when nothing comes back; broken, with 503; away. */
async function openDoor() {
	const door = { is: 'open' };
	const listener = http.createServer((request, response) => {
		if (door.is === 'slow') return;
		if (door.is === 'away') return void response.socket.destroy();
		if (door.is === 'broken') return void response.writeHead(503).end('{}');
		const { method, url: path, headers } = request;
		const behind = http.request({ host: '127.0.0.1', port: server.port, method, path, headers: { ...headers, host: server.address } }, (reply) => {
			response.writeHead(reply.statusCode, reply.headers);
			reply.pipe(response);
		});
		behind.on('error', () => response.destroy());
		response.on('close', () => behind.destroy());
		request.pipe(behind);
	});
	await new Promise((done) => { listener.listen(0, '127.0.0.1', done); });
	listener.unref();
	door.url = `http://127.0.0.1:${listener.address().port}`;
	door.close = () => listener.closeAllConnections();
	return door;
}

/** An agent in a terminal, whose model makes one call whenever the test says so. */
class Seat {
	constructor(agent) {
		this.agent = agent;
		this.desk = new Desk(server, { ...agent, setUp: agent.prompts.setUp ?? agent.setUp });
		this.calls = 0;
	}

	async open() {
		const { desk, agent } = this;
		this.door = await openDoor();
		await desk.open(['--hook', 'prompts', '--url', this.door.url], ...Array(10_000).fill((got) => this.turn(got)));
		const { TERM, ...env } = desk.env({ PARLEY_URL: this.door.url });
		void TERM;
		this.terminal = new Terminal(server, `cd '${desk.work}' && '${agent.bin}' ${agent.prompts.words}`, { columns: 120, rows: 45, env });
		await this.terminal.shows(agent.prompts.ready);
		await this.go();
	}

	async close() {
		this.terminal?.close();
		this.door?.close();
		await this.desk.close();
	}

	/** The person lets it go on. */
	async go() {
		this.terminal.type('Go on.');
		await sleep(500); // what comes with the text would be part of it
		this.terminal.press('Enter');
	}

	/** Of the model: what the last call gave back; what it says next is the test's. */
	turn(got) {
		this.got = got ?? '';
		return new Promise((next) => { this.next = next; });
	}

	/** Until the agent wants to know what to do. After a no in the terminal the person has to say something first. */
	async free() {
		for (let looks = 0; !this.next || !this.desk.model.open; looks++) {
			await sleep(50);
			if (looks % 40 === 39 && await this.idle()) await this.go();
			if (looks > 1200) assert.fail(`the agent asks for nothing:\n${await this.terminal.look()}`);
		}
		return this.got;
	}

	/** It waits for the person: for nothing of its model, and for no decision. */
	async idle() { return !this.desk.model.open && this.agent.prompts.idle(await this.terminal.look()); }

	async use(name, input) {
		await this.free();
		const { next } = this;
		this.next = undefined;
		next(use(name, input));
	}

	/** A call of a command that leaves a file, after `first`. → its name, once its prompt is there, and its card */
	async call({ card = true, first = '' } = {}) {
		const file = `ran-${++this.calls}.txt`;
		const { prompts, shell: [tools, input] } = this.agent;
		const args = input(`${first}touch ${file}`);
		await this.use(tools, prompts.more ? (name) => ({ ...args(name), ...prompts.more }) : args);
		if (!prompts.after && !await this.opens(file)) return this.call({ card, first });
		return { file, ask: card && await asked(server, byCommand(`touch ${file}`)) };
	}

	/** Until its prompt is there. False: a no that came late has stopped the agent before. */
	async opens(file) {
		let quiet = 0;
		const seen = await until(async () => {
			const text = await this.terminal.look();
			if (text.includes(file) && this.agent.prompts.open.test(text)) return 'open';
			quiet = await this.idle() ? quiet + 1 : 0;
			return quiet > 30 && 'stopped';
		}, `the prompt of ${file}`);
		return seen === 'open';
	}

	ran(file) { return existsSync(join(this.desk.work, file)); }
	yes() { this.terminal.press(...this.agent.prompts.yes); }
	no() { this.terminal.press(...this.agent.prompts.no); }
}

const state = async (id) => (await server.member.get(`/v1/asks/${id}`)).body;
const settled = (id) => until(async () => {
	const ask = await state(id);
	return ask.status !== 'pending' && ask;
}, `the end of ${id}`);
const approve = (ask) => settle(server, ask, 'answer', { answer: 'approve' });
const reject = (ask, text) => settle(server, ask, 'answer', { answer: { value: 'reject', ...(text ? { text } : {}) } });
const inTerminal = async ({ id }) => {
	const { status, reason } = await settled(id);
	assert.deepEqual([status, reason], ['cancelled', 'decided in the terminal']);
};

for (const agent of agents.filter(({ prompts }) => prompts.after)) {
	describe(`${agent.name} in a terminal`, { skip: !agent.installed && 'not installed' }, () => {
		const seat = new Seat(agent);
		before(() => seat.open());
		after(() => seat.close());

		test('the desk says yes, no, and something else, before the prompt opens', async () => {
			const yes = await seat.call();
			await approve(yes.ask);
			await seat.free();
			assert.ok(seat.ran(yes.file), seat.got);
			const no = await seat.call();
			await reject(no.ask, 'Not on a Friday');
			assert.match(await seat.free(), /Not on a Friday/);
			const other = await seat.call();
			await settle(server, other.ask, 'answer', { answer: { value: 'approve', arguments: { ...other.ask.operation.arguments, command: 'touch edited.txt' } } });
			assert.match(await seat.free(), /a person changed it to .*touch edited\.txt/);
			assert.deepEqual([no.file, other.file, 'edited.txt'].map((file) => seat.ran(file)), [false, false, false]);
		});

		test('nobody decides there, or it is away: the prompt opens, and its yes counts', async () => {
			const { file, ask } = await seat.call();
			assert.ok(await seat.opens(file));
			seat.yes();
			await seat.free();
			assert.ok(seat.ran(file), seat.got);
			assert.equal((await settled(ask.id)).status, 'expired');
			seat.door.is = 'away';
			const away = await seat.call({ card: false });
			assert.ok(await seat.opens(away.file));
			seat.yes();
			await seat.free();
			assert.ok(seat.ran(away.file), seat.got);
		});
	});
}

for (const agent of agents.filter(({ prompts }) => !prompts.after)) {
	describe(`${agent.name} in a terminal`, { skip: !agent.installed && 'not installed' }, () => {
		const seat = new Seat(agent);
		before(() => seat.open());
		after(() => seat.close());

		test('the desk says yes, no, and something else', async () => {
			const yes = await seat.call();
			assert.equal(yes.ask.context.beside, 'terminal');
			await approve(yes.ask);
			await seat.free();
			assert.ok(seat.ran(yes.file), seat.got);
			assert.ok((await state(yes.ask.id)).used_at);
			const no = await seat.call();
			await reject(no.ask, 'Not on a Friday');
			assert.match(await seat.free(), /Not on a Friday/);
			assert.equal(seat.ran(no.file), false);
			const other = await seat.call();
			const edited = JSON.parse(JSON.stringify(other.ask.operation.arguments).replace(other.file, 'edited.txt'));
			await settle(server, other.ask, 'answer', { answer: { value: 'approve', arguments: edited } });
			await seat.free();
			assert.deepEqual([seat.ran(other.file), seat.ran('edited.txt')], [false, true], seat.got);
		});

		test('the terminal says yes, and no: the card goes away', async () => {
			const yes = await seat.call();
			seat.yes();
			await seat.free();
			assert.ok(seat.ran(yes.file), seat.got);
			await inTerminal(yes.ask);
			assert.equal((await server.member.post(`/v1/asks/${yes.ask.id}/answer`, { answer: 'approve' })).status, 409);
			const no = await seat.call();
			seat.no();
			await inTerminal(no.ask);
			await seat.free();
			assert.equal(seat.ran(no.file), false);
		});

		test('the terminal says yes, and the desk no while it runs: overtaken', async () => {
			const { file, ask } = await seat.call({ first: 'while [ ! -e go.txt ]; do sleep 0.1; done; ' });
			seat.yes();
			await seat.terminal.shows((text) => !agent.prompts.open.test(text));
			await reject(ask);
			writeFileSync(join(seat.desk.work, 'go.txt'), '');
			await seat.free();
			assert.ok(seat.ran(file), seat.got);
			await until(async () => (await state(ask.id)).overtaken?.by === 'terminal', 'that it was overtaken');
		});

		test('a question is answered at the desk, and in the terminal', async () => {
			await seat.use('AskUserQuestion', question('Which one here?'));
			const here = await asked(server, byText('Which one here?'));
			await settle(server, here, 'answer', { answer: 'PostgreSQL' });
			assert.match(await seat.free(), /PostgreSQL/);
			await seat.use('AskUserQuestion', question('Which one there?'));
			const there = await asked(server, byText('Which one there?'));
			await seat.terminal.shows(/Which one there/);
			seat.terminal.press('1');
			await inTerminal(there);
			assert.match(await seat.free(), /SQLite/);
		});

		test('the desk is slow, broken, away, killed: the terminal works', async () => {
			for (const is of ['slow', 'broken', 'away']) {
				seat.door.is = is;
				const { file } = await seat.call({ card: false });
				seat.yes();
				await seat.free();
				assert.ok(seat.ran(file), is);
			}
			seat.door.is = 'open';
			const { file, ask } = await seat.call();
			await restart(server);
			seat.yes();
			await seat.free();
			assert.ok(seat.ran(file), 'killed');
			await inTerminal(ask);
		});

		test('both answer at once: nothing runs that nobody allowed, no card stays', { timeout: 3_600_000 }, async (t) => {
			const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);
			const below = random(seed);
			const count = {};
			for (let i = 0; i < RACES; i++) {
				const [here, there] = [below(2) ? 'approve' : 'reject', below(2) ? 'yes' : 'no'];
				const { file, ask } = await seat.call();
				const [first, second] = [below(APART_MS), below(APART_MS)];
				await Promise.all([sleep(first).then(() => seat[there]()),
					sleep(second).then(() => server.member.post(`/v1/asks/${ask.id}/answer`, { answer: here }))]);
				const end = await settled(ask.id);
				/* A key that came too late for this prompt is none for the next. */
				await sleep(LATE_MS);
				await seat.free();
				const ran = seat.ran(file);
				const says = `seed ${seed}, race ${i}: desk ${here} after ${second} ms, terminal ${there} after ${first} ms, ran ${ran}, ${end.status}, used ${(await state(ask.id)).used_at}`;
				assert.ok(here === 'approve' || there === 'yes' || !ran, says);
				if (ran && there === 'no') assert.ok((await state(ask.id)).used_at, says);
				if (here === 'approve' && there === 'yes') assert.ok(ran, says);
				if (ran && end.status === 'answered' && here === 'reject')
					await until(async () => (await state(ask.id)).overtaken, `${says}: overtaken`);
				const what = `${here}/${there}: ${ran ? 'ran' : 'did not run'}, ${end.status}`;
				count[what] = (count[what] ?? 0) + 1;
			}
			t.diagnostic(`seed ${seed}, ${RACES} races: ${JSON.stringify(count)}`);
		});

		test('the agent is killed: its card goes away', async () => {
			const { ask } = await seat.call();
			seat.terminal.close();
			const { status, reason } = await settled(ask.id);
			assert.equal(status, 'cancelled');
			assert.match(reason, /the agent ended|decided in the terminal/);
		});
	});
}
