// A session of an agent that Parley runs: started, watched as it works, written to, asked by, stopped. The model
// follows a script; all the rest is real.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { first, results, say, ScriptModel, think, use } from '../lib/script_model.mjs';
import { bypass, complaints } from './axe.mjs';
import { until } from './lib.mjs';
import { area } from './matrix.mjs';

/** What the model does, by the first words of its run. */
const scripts = {};
const model = await new ScriptModel((request) => {
	const name = Object.keys(scripts).find((words) => first(request).startsWith(words));
	return name ? scripts[name](request) : [say('Hello.')];
}).start();
after(() => model.stop());

let serial = 0;
/* None is the beginning of another. */
const fresh = (name) => `${name} ${String(++serial).padStart(3, '0')}`;
/** A model that waits for a word: what it has sent is on the page before the rest. */
function gate() {
	let open;
	const opened = new Promise((done) => { open = done; });
	return { open, opened };
}
const box = (me, id, params) => me.page.getByRole('textbox', { name: me.t(id, params), exact: true });
const chat = (me) => me.region('chat');
/** What the head of the session says. */
const state = (me, status) => me.page.locator('header .chip').getByText(me.t(`status.${status}`), { exact: true }).waitFor();
const cards = (me) => chat(me).getByRole('article');
const approveIn = (me, where) => where.getByRole('button', { name: new RegExp(`^${me.t('approval.approve')}`) }).first();
/** Presses Approve of a card until it is settled: what moves between the look and the press takes none. A pointer
 *  that rests where the last one was is moved first. */
async function approve(me, where) {
	do {
		if (!me.byKeys) await me.page.mouse.move(1, 1);
		await me.armed(approveIn(me, where));
		await me.press(approveIn(me, where));
	} while (!await where.waitFor({ state: 'detached', timeout: 10_000 }).then(() => true, () => false));
}
const got = async (desk, path) => (await desk.admin.get(path)).body;
const tab = async (me, name) => {
	if (!me.wide) await me.press(me.page.getByRole('tab', { name: new RegExp(`^${me.t(`chat.tab.${name}`)}`) }));
};

/** A new session by its dialog. → its id */
async function begin(me, message, agent = 'helper') {
	await me.visit('/sessions');
	await me.pressOr(me.button('session.new'), 'c');
	await me.pick(me.dialog.getByRole('combobox'), agent);
	await me.write(me.dialog.getByLabel(me.t('session.new.message')), message);
	await me.pressOr(me.button('session.new.start', {}, me.dialog), 'Control+Enter');
	await me.heading(message).waitFor();
	return me.page.url().split('/').at(-1);
}
/** The same without the dialog, and a look at it. */
async function started(me, desk, message, agent = 'helper') {
	const { status, body } = await desk.marie.post('/v1/sessions', { agent, message });
	assert.equal(status, 201, JSON.stringify(body));
	await me.visit(`/sessions/${body.id}`);
	await me.heading(message).waitFor();
	return body.id;
}
const ended = (desk, id, status = 'completed') =>
	until(async () => (await got(desk, `/v1/sessions/${id}`)).status === status, `${id} ${status}`);

/** So many top-level runs work at once. */
async function atOnce(desk, n) {
	desk.token ??= await desk.server.token('admin', 'policy');
	const { version } = await got(desk, '/v1/policy');
	const put = await fetch(`${desk.server.url}/v1/policy`, { method: 'PUT',
		headers: { authorization: `Bearer ${desk.token}`, 'content-type': 'application/json' },
		body: JSON.stringify({ version, at_once: { auto: n, manual: n, selective: n } }) });
	assert.equal(put.status, 200, await put.text());
}

async function furnish(desk) {
	await atOnce(desk, 16); // none waits for another's place
	const made = async (path, body) => assert.equal((await desk.admin.post(path, body)).status, 201);
	await made('/v1/providers', { name: 'script', kind: 'anthropic', url: model.url, key: 'sk-test-0123456789abcdef',
		models: [{ id: 'm', context: 1000, output: 100, price: { input: 3, output: 15 } }] });
	const tools = ['ask_user_question', 'memory', 'todo', 'parallel_tasks', 'spawn_agent'];
	await made('/v1/agents', { name: 'helper', provider: 'script', model: 'm', prompt: 'Help.', tools });
	await made('/v1/agents', { name: 'careful', provider: 'script', model: 'm', prompt: 'Help.', tools, validation: { mode: 'manual' } });
	await made('/v1/agents', { name: 'steps', provider: 'script', model: 'gone', fallbacks: ['script/m'], prompt: 'Help.', tools: ['todo', 'memory'],
		validation: { mode: 'manual', auto_approve_low: true }, limits: { context: 1500, turns: 40 } });
	await made('/v1/agents', { name: 'quick', provider: 'script', model: 'm', prompt: 'Help.', tools: [], on_error: 'fail' });
}

area('chat', (scenario) => {
	scenario('a new session: text as it comes, reasoning folded, then the message; tokens and cost', async (me, desk) => {
		const message = fresh('Write a haiku');
		scripts[message] = () => [think('Five, seven, five.'), say('An old **silent** pond.')];
		const id = await begin(me, message);
		await chat(me).getByText('silent', { exact: true }).waitFor();
		await ended(desk, id);
		const thought = chat(me).locator('details', { hasText: me.t('chat.reasoned') });
		assert.equal(await thought.evaluate((one) => one.open), false);
		await me.press(thought.locator('summary'));
		await chat(me).getByText('Five, seven, five.').waitFor();
		const bar = me.page.locator('dl', { hasText: me.t('usage.out') });
		await bar.getByText('100', { exact: true }).first().waitFor();
		assert.equal(await chat(me).getByText('silent', { exact: true }).count(), 1, 'said once, not beside its message');
	});

	scenario('what is being said is seen before it is said to its end', async (me, desk) => {
		const message = fresh('Say it slowly');
		scripts[message] = () => ({ blocks: [say('Begun and then the rest of it comes, much later.')], hang: true });
		await started(me, desk, message);
		await chat(me).getByText('Begun and then').waitFor();
		await state(me, 'running');
		/* Figures that go on: nobody knows what it costs before its first turn ends. */
		const clock = me.page.locator('header .worked');
		await clock.waitFor();
		const before = await clock.innerText();
		await until(async () => await clock.innerText() !== before, 'the clock goes on');
		const bar = me.page.locator('dl', { hasText: me.t('usage.out') });
		await bar.getByText(me.t('usage.costsoon.name')).waitFor({ state: 'attached' });
		assert.doesNotMatch(await bar.innerText(), new RegExp(me.t('usage.noprice')));
		await me.press(me.button('session.stop'));
		await me.dialog.getByRole('heading', { name: me.t('session.stop.sure', { title: message }) }).waitFor();
		await me.dialog.getByText(me.t('session.stop.words')).waitFor();
		await me.press(me.button('session.stop', {}, me.dialog));
		await state(me, 'cancelled');
		/* What one was reading stays, and is said not to be kept. */
		await chat(me).getByRole('note').filter({ hasText: me.t('chat.lost') }).getByText('Begun and then').waitFor();
		await until(() => model.open === 0, 'the model’s connection closed');
	});

	scenario('it asks; answered in the chat it goes on', async (me, desk) => {
		const message = fresh('Ask me');
		scripts[message] = (request) => (results(request).length ? [say(`You said ${/blue/i.test(results(request)[0].text) ? 'blue' : '?'}.`)]
			: [say('One thing first.'), use('ask_user_question', { questions: [{ question: 'Which colour?', header: 'Colour', multiSelect: false,
				options: [{ label: 'Blue', description: 'As the sky' }, { label: 'Red', description: 'As a rose' }] }] })]);
		const id = await started(me, desk, message);
		await chat(me).getByText('One thing first.').waitFor();
		const card = chat(me).getByRole('article');
		await me.check(card.getByRole('radio', { name: /Blue/ }));
		await me.send();
		await chat(me).getByText('You said blue.').waitFor();
		await ended(desk, id);
		await chat(me).locator('summary', { hasText: 'Which colour?' }).getByText('Blue').waitFor();
		assert.equal(await cards(me).count(), 0, 'what is settled is a line');
	});

	scenario('all that it asks stands in the stream; what is settled is a line at once, and the next one is there', async (me, desk) => {
		const message = fresh('Carefully');
		const create = (name) => use('todo', { operation: 'create', name });
		scripts[message] = (request) => (results(request).length ? (results(request).length > 1 ? [say('And one more.'), create('Third')] : [say('All created.')])
			: [say('Two tasks.'), create('First'), create('Second')]);
		const id = await started(me, desk, message, 'careful');
		const cardOf = (name) => cards(me).filter({ hasText: name });
		const title = (name) => me.t('own.approve.todo.create', { text: name });
		await cardOf('First').getByRole('heading', { name: title('First') }).waitFor();
		await cardOf('Second').waitFor();
		await me.page.getByRole('button', { name: me.tn('chat.below', 1) }).waitFor();
		/* What decides ends what it decides on: it sticks nowhere. */
		assert.match(await cardOf('First').locator('.actions').evaluate((bar) => getComputedStyle(bar).position), /^(static|relative)$/);
		await approve(me, cardOf('First'));
		await cardOf('First').waitFor({ state: 'detached' });
		/* An agent of ours has it at once, and that is what is said. */
		await me.toasts.getByText(me.t('fetched.used', { agent: 'careful' })).first().waitFor();
		await chat(me).locator('summary', { hasText: title('First') }).waitFor();
		await approve(me, cardOf('Second'));
		await approve(me, cardOf('Third'));
		await chat(me).getByText('All created.').waitFor();
		await ended(desk, id);
		assert.equal(await cards(me).count(), 0);
		const line = chat(me).locator('details', { hasText: title('Third') });
		await me.press(line.locator('summary'));
		await line.getByRole('link', { name: me.t('call.ask') }).waitFor();
	});

	scenario('the next message can have another agent and fewer turns', async (me, desk) => {
		const message = fresh('Begin');
		const id = await started(me, desk, message);
		await ended(desk, id);
		await me.press(me.page.locator('summary').and(me.page.getByLabel(me.t('chat.options'))));
		const turns = me.page.getByRole('spinbutton', { name: me.t('chat.options.turns') });
		await me.write(turns, '3');
		await me.press(me.page.getByRole('combobox', { name: me.t('chat.options.agent') }));
		await me.page.getByRole('option', { name: /quick/ }).click();
		const line = box(me, 'chat.message', { agent: 'quick' });
		await me.write(line, 'and now you');
		await me.send(me.button('chat.send'));
		const run = await until(async () => (await got(desk, `/v1/runs?session=${id}`)).items.find(({ agent }) => agent.name === 'quick'), 'a run of the other agent');
		assert.equal(run.limits.turns, 3);
		await ended(desk, id);
	});

	scenario('sub-agents: a tree with what each does; one that is chosen shows what it said', async (me, desk) => {
		const message = fresh('Measure two');
		scripts[message] = (request) => (results(request).length ? [say('Both are measured.')]
			: [use('parallel_tasks', { tasks: [{ id: 'a', prompt: 'You measure.', task: `one of ${message}` },
				{ id: 'b', prompt: 'You measure.', task: `two of ${message}` }] })]);
		scripts[`one of ${message}`] = () => [say('The first is 7.')];
		scripts[`two of ${message}`] = () => [say('The second is 8.')];
		const id = await started(me, desk, message);
		/* Starting sub-agents is a high risk, and said in words: a row each, with all that it is told. */
		await cards(me).getByRole('heading', { name: me.t('own.approve.agents', { n: '2' }) }).waitFor();
		await cards(me).getByRole('listitem').filter({ hasText: `one of ${message}` }).getByText('You measure.').waitFor();
		assert.equal(await cards(me).getByText('parallel_tasks').count(), 0);
		await approve(me, cards(me));
		await chat(me).getByText('Both are measured.').waitFor();
		await ended(desk, id);
		await tab(me, 'agents');
		const { items } = await got(desk, `/v1/runs?session=${id}`);
		assert.equal(items.filter((run) => run.parent).length, 2);
		const tree = me.page.locator('aside');
		await tree.getByText('The second is 8.').waitFor();
		await me.press(tree.getByRole('button', { name: /The first is 7\./ }));
		await chat(me).getByText('The first is 7.').waitFor();
		await chat(me).getByText('Both are measured.').waitFor({ state: 'detached' });
		await me.press(me.button('chat.back'));
		await chat(me).getByText('Both are measured.').waitFor();
	});

	scenario('tasks and activity; a tool’s card opens', async (me, desk) => {
		const message = fresh('Plan it');
		scripts[message] = (request) => (results(request).length ? [think('Planned.'), say('<b>There</b> is a plan.\nIt is long.')]
			: [use('todo', { operation: 'create', name: 'Read the results', priority: 1 })]);
		const id = await started(me, desk, message);
		await ended(desk, id);
		const tool = chat(me).locator('details', { hasText: me.t('own.approve.todo.create', { text: 'Read the results' }) });
		await me.press(tool.locator('summary'));
		await me.page.getByRole('group', { name: me.t('operation.arguments') }).getByText('Read the results').waitFor();
		await tab(me, 'tasks');
		await me.page.locator('aside').getByText('Read the results', { exact: true }).waitFor();
		/* A line a turn, which opens. */
		await tab(me, 'activity');
		const line = (words) => me.page.getByRole('log').getByRole('listitem').filter({ hasText: words });
		await line('<b>There</b> is a plan.').first().waitFor();
		const turn = line('<b>There</b> is a plan.').getByRole('button').first();
		/* A line that becomes another one while the log is still read is closed again. */
		await until(async () => {
			if (await turn.getAttribute('aria-expanded') === 'false') await me.press(turn);
			return me.page.getByRole('log').getByText('Planned.').isVisible();
		}, 'its steps');
		await me.visit('/activity');
		await me.page.getByRole('group', { name: message }).getByText('<b>There</b> is a plan.', { exact: true }).waitFor();
	});

	scenario('a message while it works waits its turn, and is kept if it cannot be sent', async (me, desk) => {
		const message = fresh('Work on');
		const [begun, rest] = [gate(), gate()];
		scripts[message] = async (request) => {
			begun.open();
			if (JSON.stringify(request.messages).includes('and also this')) return [say('That, too.')];
			await rest.opened;
			return [say('Done with the first.')];
		};
		const id = await started(me, desk, message);
		const line = box(me, 'chat.message', { agent: 'helper' });
		await me.write(line, 'and also this');
		await me.page.reload();
		await until(async () => await line.inputValue() === 'and also this', 'what was typed');
		await begun.opened; // what is written before its first turn is part of that
		await line.focus();
		await me.send(me.button('chat.send'));
		await chat(me).getByText(me.t('chat.unread')).waitFor();
		rest.open();
		await chat(me).getByText('That, too.').waitFor();
		await ended(desk, id);
		await chat(me).getByText(me.t('chat.unread')).waitFor({ state: 'detached' });
		assert.equal(await line.inputValue(), '');
	});

	scenario('one that fails says why, is told elsewhere, and can be tried again', async (me, desk) => {
		const message = fresh('Fail once');
		let tries = 0;
		scripts[message] = () => (tries++ ? [say('Now it works.')]
			: { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'no such thing' } } });
		await me.visitLive('/activity');
		const { body } = await desk.marie.post('/v1/sessions', { agent: 'quick', message });
		const told = me.toasts.getByText(me.t('colon', { words: me.t('toast.failed'), text: message }));
		await told.waitFor();
		await me.toasts.getByText(/no such thing/).waitFor();
		await me.visit('/sessions');
		await me.page.getByRole('listitem').filter({ hasText: message }).getByText(/no such thing/).waitFor();
		await me.visit(`/sessions/${body.id}`);
		await chat(me).getByText('no such thing').waitFor();
		await me.press(me.button('run.retry'));
		await chat(me).getByText('Now it works.').waitFor();
		await ended(desk, body.id);
	});

	scenario('a provider in trouble: it says when it tries again, and can be told to try now', async (me, desk) => {
		const message = fresh('Overloaded');
		let down = true;
		scripts[message] = () => (down ? { status: 529, headers: { 'retry-after': '900' },
			body: { type: 'error', error: { type: 'overloaded_error', message: 'Too many at once' } } } : [say('Back again.')]);
		const id = await started(me, desk, message);
		await chat(me).getByRole('status').filter({ hasText: 'Too many at once' }).waitFor();
		assert.deepEqual(await complaints(me), []);
		down = false;
		await me.press(me.button('run.again.now'));
		await chat(me).getByText('Back again.').waitFor();
		await ended(desk, id);
	});

	scenario('what a run does by itself has a line: switched, summarised, continued, arguments changed', async (me, desk) => {
		const message = fresh('Step by step');
		let n = 0;
		scripts[message] = (q) => {
			if (q.model === 'gone') return { status: 404 };
			if (n++ < 9) return { blocks: [use('memory', { operation: 'search', q: `Part ${n} ${'x'.repeat(180)}` })], tokens: String(Math.ceil(JSON.stringify(q).length / 9)) };
			if (n === 10) return [use('todo', { operation: 'create', name: 'Wrong' })];
			return n === 12 ? [say(' a half.')] : { blocks: [say('One and')], stop: 'max_tokens' };
		};
		const id = await started(me, desk, message, 'steps');
		const edit = async () => (await got(desk, `/v1/sessions/${id}`)).pending_asks[0];
		const ask = await until(edit, 'the approval');
		const answer = await desk.marie.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { operation: 'create', name: 'Right' } } } });
		assert.equal(answer.status, 200, answer.text);
		await ended(desk, id);
		const switched = me.t('chat.switched', { from: 'script/gone', to: 'script/m' });
		await chat(me).getByRole('note').filter({ hasText: switched }).waitFor();
		await chat(me).getByRole('note').filter({ hasText: me.t('chat.asked.cut') }).waitFor();
		await chat(me).locator('summary', { hasText: 'Right' }).getByText(/Marie/).first().waitFor({ state: 'attached' });
		const sum = chat(me).locator('details').filter({ has: me.page.locator('summary', { hasText: new RegExp(me.tn('chat.summary', 7).replace('7', '\\d+')) }) }).first();
		await me.press(sum.locator('summary'));
		await sum.getByText('Hello.').waitFor(); // the model's, to what no script is for
		assert.deepEqual(await complaints(me), []);
	});

	scenario('one that stands in the queue says its place, and starts when it is its turn', async (me, desk) => {
		const [long, short] = [fresh('Take long'), fresh('Wait for it')];
		const rest = gate();
		scripts[long] = async () => {
			await rest.opened;
			return [say('At last.')];
		};
		await atOnce(desk, 1);
		const { body } = await desk.marie.post('/v1/sessions', { agent: 'helper', message: long });
		await until(async () => (await got(desk, `/v1/runs?session=${body.id}`)).items[0].status === 'running', 'at work');
		const id = await started(me, desk, short);
		const place = me.t('run.place', { place: me.lang === 'fr' ? '1er' : '1st' });
		await me.page.locator('header .chip').getByText(place).waitFor();
		await me.visit('/sessions');
		await me.page.getByRole('listitem').filter({ hasText: short }).getByText(place).first().waitFor();
		rest.open();
		await ended(desk, id);
		await atOnce(desk, 16);
		await me.page.getByRole('listitem').filter({ hasText: short }).getByText(me.t('status.completed')).first().waitFor();
	});

	scenario('axe finds nothing in a session that waits and one that has ended', { ...bypass, resizes: true }, async (me, desk) => {
		const message = fresh('Look at it');
		scripts[message] = (request) => (results(request).length ? [think('Hm.'), say('# Title\n\nWith `code`.')]
			: [use('todo', { operation: 'create', name: 'One' }), use('ask_user_question', { questions: [{ question: 'Go on?', header: 'Go',
				multiSelect: false, options: [{ label: 'Yes', description: '' }, { label: 'No', description: '' }] }] })]);
		const id = await started(me, desk, message);
		const card = chat(me).getByRole('article');
		await card.waitFor();
		assert.deepEqual(await complaints(me), []);
		await me.check(card.getByRole('radio', { name: /Yes/ }));
		await me.send();
		await ended(desk, id);
		await chat(me).getByText('With').waitFor();
		assert.deepEqual(await complaints(me), []);
	});
}, { furnish });
