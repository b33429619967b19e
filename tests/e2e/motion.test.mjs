// What moves, and that nothing does for who asked for less of it.
import assert from 'node:assert/strict';
import { until } from './lib.mjs';
import { area, beside } from './matrix.mjs';

const MOVES_MS = 10;

/** What runs at this moment for longer than nobody would notice. */
const moving = (page) => page.evaluate((limit) => document.getAnimations()
	.filter((one) => one.playState === 'running' && one.effect.getComputedTiming().endTime > limit)
	.map((one) => `${one.constructor.name} ${one.animationName ?? one.transitionProperty} on ${one.effect.target.className}`), MOVES_MS);

/** From the next document on, whatever begins to move is noted, for as short as it may last. */
const watched = (page) => page.addInitScript(() => {
	window.moved = [];
	for (const type of ['animationstart', 'transitionrun'])
		addEventListener(type, (event) => window.moved.push(`${type} ${event.animationName ?? event.propertyName} on ${event.target.className}`), true);
});

/** A session that runs, so that its dot would pulse. */
async function furnish(desk) {
	const session = await desk.agent.session('at work');
	const ask = await desk.agent.ask({ session: session.id, question: 'Go on?', type: 'boolean' });
	await desk.admin.post(`/v1/asks/${ask.id}/answer`, { answer: true });
	desk.running = session.id;
}

/* Each as a person comes to it. */
const screens = {
	'the list of sessions': (me) => me.visit('/sessions'),
	'a session': (me, desk) => me.visit(`/sessions/${desk.running}`),
	'the inbox': (me) => me.visit('/inbox'),
	'activity': (me) => me.visit('/activity'),
	'insights': (me) => me.visit('/insights'),
	'agents': (me) => me.visit('/agents'),
	'settings': (me) => me.visit('/settings'),
	'deliveries': (me) => me.visit('/settings/deliveries'),
	'an approval': async (me) => {
		await me.open({ kind: 'approval', title: 'Roll out', operation: { name: 'x', risk: 'critical', arguments: { a: 1 } } });
		await me.action('approval.edit');
	},
	'the help': async (me) => {
		await me.visit('/inbox');
		await me.key('?');
		await me.dialog.waitFor();
	},
	'a dialog that opens by itself': async (me, desk) => {
		await me.visitLive('/activity');
		await desk.agent.ask({ question: 'Now?', type: 'boolean' });
		await me.dialog.waitFor();
	},
	'a toast': async (me, desk) => {
		await me.visitLive('/sessions');
		if (!me.wide) await me.press(me.button('sessions.search'));
		await me.write(me.page.getByRole('searchbox'), 'a');
		await desk.agent.ask({ question: 'Seen?', type: 'boolean' });
		await me.toasts.getByText('Seen?').waitFor();
	},
};

area('motion', (scenario) => {
	for (const [name, arrange] of Object.entries(screens))
		scenario(`reduced, ${name}: nothing moves`, { settings: { opens: name.startsWith('a dialog') || name === 'a toast' } }, async (me, desk) => {
			await watched(me.page);
			await arrange(me, desk);
			assert.deepEqual(await moving(me.page), []);
			assert.deepEqual(await me.page.evaluate(() => window.moved), []);
		});

	scenario('otherwise the dot of what runs pulses', async (me) => {
		await beside(me, { reducedMotion: 'no-preference' }, async (own) => {
			await own.visit('/sessions');
			await until(async () => (await moving(own.page)).some((one) => /CSSAnimation .*pulse.* on .*working/.test(one)), 'a pulse');
		});
	});
}, { furnish });
