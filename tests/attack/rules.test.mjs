// Attacks on rules and approvals: calls that an allow was not meant for, denies that are to be slipped by, votes that do not count,
// approvals used for something else.
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { useServer } from '../api/lib/server.mjs';
import { attacks, refused } from './lib/attacks.mjs';

const server = await useServer({ flags: ['--ask-rate', '0'] });
const { admin, agent, stranger, member } = server;
const call = (name, args, extra = {}) => ({ type: 'tool', name, arguments: args, ...extra });
const decided = async (operation, who = agent) => {
	const reply = await who.post('/v1/decide', { operation }, { check: false });
	return reply.status === 200 ? reply.body.effect : `${reply.status}`;
};
const ruled = async (effect, match) => {
	const reply = await admin.post('/v1/rules', { effect, match });
	assert.equal(reply.status, 201, reply.text);
	return reply.body;
};
await admin.put('/v1/policy', { mode: 'manual', auto_approve_low: false, version: (await admin.get('/v1/policy')).body.version });
await ruled('allow', { tool: ['Read(/srv/app/*)', 'Edit(/srv/app/*)', 'Write(/srv/app/*)'] });
await ruled('allow', { tool: ['WebFetch(domain:good.example)'] });
await ruled('allow', { tool: ['mcp__files__read'], arguments: { '/path': { under: '/srv/app' } } });
await ruled('allow', { tool: ['mcp__web__get'], arguments: { '/url': { host: 'good.example' } } });
await ruled('allow', { tool: ['mcp__pay__send'], arguments: { '/amount': { max: 100 } } });
await ruled('deny', { tool: ['mcp__danger__*', 'Read(/srv/app/secret/*)'] });
await ruled('allow', { tool: ['mcp__ok__*'], agent: 'builder', project: null });
const people = await Promise.all(['ann', 'ben', 'cid'].map(async (name) => {
	const { body } = await admin.post('/v1/tokens', { name, role: 'member' });
	return { id: body.user, client: server.client(body.token) };
}));
const viewer = await server.as('viewer', 'vic');
const [ann, ben, cid] = people;
const anns = server.client((await admin.post('/v1/tokens', { name: 'anns-bot', role: 'agent', user: ann.id })).body.token);

/* ---- calls that a rule was not meant for ---- */

const STEPS = ['..', '../..', './..', '.../..', 'x/../..', '..//', '%2e%2e', '..%2f', '.%2e', '..\\', '..;', '\u2024\u2024', '．．', '. .', '..\u200b'];
const TARGETS = ['etc/passwd', 'etc/cron.d/x', 'root/.ssh/id_ed25519', 'srv/other/x', 'srv/app2/x', 'srv/app', 'proc/self/environ'];
/* The folder itself is within. */
const outside = (path) => !`${posix.normalize(path).replace(/^\/\//, '/')}/`.startsWith('/srv/app/');
/** A path that is not below /srv/app, however it is read. */
function astray(a) {
	for (;;) {
		const path = a.pick([
			() => `/srv/app/${Array.from({ length: 2 + a.below(4) }, () => a.pick(STEPS.slice(0, 6))).join('/')}/${a.pick(TARGETS)}`,
			() => `/${a.pick(TARGETS)}`, () => a.pick(TARGETS), () => `//${a.pick(TARGETS)}`, () => `/srv/app${a.pick(['2', '.bak', '-x', ' '])}/x`, () => `/srv/APP/${a.pick(TARGETS)}`,
			() => `~/srv/app/x`, () => `file:///srv/app/x/../../../${a.pick(TARGETS)}`, () => `./srv/app/${a.pick(TARGETS)}`, () => `srv/app/../../../${a.pick(TARGETS)}`,
			() => `/srv/app/x\u0000/../../${a.pick(TARGETS)}`, () => `/srv/./app/../app2/${a.pick(TARGETS)}`, () => `/srv//app/../other`, () => `\n/srv/app/x`, () => ` /etc/passwd`])();
		if (outside(path)) return path;
	}
}
const HOSTS = ['evil.example', 'good.example.evil.example', 'evilgood.example', 'good-example', 'good.exampl', 'xgood.example', '127.0.0.1', '[::1]', 'gооd.example', 'good.example.', 'www.good.example.co'];
/** An address whose host is another one, by a parser that others wrote. */
function elsewhere(a) {
	for (;;) {
		const host = a.pick(HOSTS);
		const url = a.pick([() => `https://${host}/`, () => `https://good.example@${host}/`, () => `https://good.example:pw@${host}/x`, () => `https://${host}/https://good.example/`,
			() => `https://${host}?good.example`, () => `https://${host}#@good.example/`, () => `https://${host}\\@good.example/`, () => `//${host}/`, () => `https:${host}`, () => `https:/${host}`,
			() => `https://${host}:443/good.example`, () => `javascript:fetch("https://${host}")//good.example`, () => `https://good.example%2e${host}/`, () => `https://good.example%00.${host}/`,
			() => ` https://${host}/`, () => `https://good\u3002example.${host}/`, () => `HTTPS://${host.toUpperCase()}/`, () => `ftp://${host}/`, () => `https://good.example\t.${host}/`])();
		try {
			if (new URL(url).hostname.replace(/\.$/, '') === 'good.example') continue;
		} catch { /* no address at all: nothing to be allowed */ }
		return url;
	}
}
const AMOUNTS = [101, 1e9, -0.0 + 100.5, '50', '1', null, true, [1], { value: 1 }, 1e308, '0x10', undefined, '100 ', [100], 100.0001];
const shapes = (a) => a.pick([
	() => ({ operation: call(a.pick(['Read', 'Edit', 'Write']), { file_path: astray(a) }) }),
	() => ({ operation: call('Read', { file_path: ['/srv/app/x', astray(a)] }) }),
	() => ({ operation: call('Read', { file_path: { path: '/srv/app/x' }, path: astray(a) }) }),
	() => ({ operation: call('read', { file_path: '/srv/app/x', note: astray(a) }, { type: 'tool', risk: 'critical' }) }),
	() => ({ operation: call(a.pick(['READ', 'Read ', 'Read\u200b', 'Reаd', 'Read(/srv/app/x)', 'Readx', 'xRead']), { file_path: astray(a) }) }),
	() => ({ operation: call('WebFetch', { url: elsewhere(a) }) }), () => ({ operation: call('WebFetch', { url: [elsewhere(a)] }) }),
	() => ({ operation: call('mcp__web__get', { url: elsewhere(a) }) }), () => ({ operation: call('mcp__files__read', { path: astray(a) }) }),
	() => ({ operation: call('mcp__files__read', { Path: '/srv/app/x', path: astray(a) }) }), () => ({ operation: call('mcp__files__read', { 'path ': '/srv/app/x' }) }),
	() => ({ operation: call('mcp__pay__send', { amount: a.pick(AMOUNTS) }) }), () => ({ operation: call('mcp__pay__send', { Amount: 1 }) }),
	() => ({ operation: call(a.pick(['mcp__danger__drop', 'mcp__danger__', 'mcp__danger__\u200bx']), {}), denied: true }),
	() => ({ operation: call('Read', { file_path: a.pick(['/srv/app/secret/x', '/srv/app/./secret/x', '/srv/app//secret/x', '/srv/app/y/../secret/x', '/srv/app/secret/../secret/x']) }), denied: true }),
	() => ({ operation: call('mcp__ok__go', {}), who: a.pick([stranger, anns]) }),
	() => ({ operation: call(a.pick(['mcp__OK__go', 'mcp_ok__go', 'mcp__okgo', 'xmcp__ok__go', 'mcp__ok_go']), {}) }),
	() => ({ operation: call('mcp__ok__go', {}, { type: a.pick(['plan', 'mandate']) }) }), () => ({ operation: call('mcp__ok__go', {}, { risk: a.pick(['critical', 'high']) }) }),
])();
attacks('rule bypasses by names, paths, addresses, numbers and shapes', { small: 20, long: 4000 }, async (a) => {
	/* What the allows were meant for. */
	for (const meant of [call('Read', { file_path: '/srv/app/x' }), call('WebFetch', { url: 'https://good.example/' }), call('mcp__files__read', { path: '/srv/app/x' }),
		call('mcp__web__get', { url: 'https://good.example/' }), call('mcp__pay__send', { amount: 100 }), call('mcp__ok__go', {})]) assert.equal(await decided(meant), 'allow', JSON.stringify(meant));
	await a.all(() => {
		const { operation, who, denied } = shapes(a);
		return [JSON.stringify(operation), async () => {
			const effect = await decided(operation, who);
			assert.notEqual(effect, 'allow');
			if (denied) assert.ok(effect === 'deny' || effect === 'ask', effect);
		}];
	});
});
attacks('the same calls as asks: no rule answers them yes', { small: 10, long: 1000 }, async (a) => {
	await a.all(() => {
		const { operation, who = agent } = shapes(a);
		return [JSON.stringify(operation), async () => {
			const reply = await who.post('/v1/asks', { kind: 'approval', operation }, { check: false });
			if (reply.status !== 201) return refused(reply);
			return assert.notEqual(reply.body.answer?.decision?.value, 'approve');
		}];
	});
});

/* ---- votes, teams, scopes, delegation, use ---- */

let serial = 0;
const wanted = (extra = {}) => ({ kind: 'approval', operation: call('shell', { cmd: `make deploy ${serial++}` }), ...extra });
const approve = (who, ask, extra = {}) => who.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: 'approve' }, ...extra }, { check: false });
const status = async (ask) => (await admin.get(`/v1/asks/${ask.id}`)).body;
const approved = ({ status: now, answer }) => now === 'answered' && answer?.decision?.value === 'approve';
const two = [{ approvals: 2 }];
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

const VOTES = {
	'one person, twice': async () => {
		const ask = await agent.ask(wanted({ require: two }));
		for (let i = 0; i < 3; i++) await approve(ann.client, ask);
		return ask;
	},
	'one person, at once': async () => {
		const ask = await agent.ask(wanted({ require: two }));
		await Promise.all(Array.from({ length: 6 }, () => approve(ann.client, ask)));
		return ask;
	},
	'a vote taken back': async () => {
		const ask = await agent.ask(wanted({ require: two }));
		await approve(ann.client, ask);
		await ann.client.post(`/v1/asks/${ask.id}/retract`, {}, { check: false });
		await approve(ben.client, ask);
		return ask;
	},
	'the requester and one more': async () => {
		const ask = await anns.ask(wanted({ require: two }));
		await Promise.all([approve(ann.client, ask), approve(ben.client, ask)]);
		return ask;
	},
	'the requester alone': async () => {
		const ask = await anns.ask(wanted());
		await approve(ann.client, ask);
		return ask;
	},
	'somebody not named': async () => {
		const ask = await agent.ask(wanted({ require: [{ approvals: 1, from: [`user:${ann.id}`] }] }));
		await Promise.all([approve(ben.client, ask), approve(cid.client, ask), approve(admin, ask)]);
		return ask;
	},
	'a viewer and agents': async () => {
		const ask = await agent.ask(wanted());
		await Promise.all([viewer, agent, stranger, anns].map((who) => approve(who, ask)));
		return ask;
	},
	'a delegate who appointed himself': async () => {
		const ask = await agent.ask(wanted({ require: [{ approvals: 1, from: [`user:${cid.id}`] }] }));
		await admin.put(`/v1/users/${cid.id}/away`, { until: tomorrow(), delegate: (await admin.get('/v1/me')).body.user.id });
		await approve(admin, ask);
		await admin.delete(`/v1/users/${cid.id}/away`);
		return ask;
	},
	'many at once': async () => {
		const asks = await Promise.all(Array.from({ length: 3 }, () => agent.ask(wanted({ require: two }))));
		await ann.client.post('/v1/asks/settle-many', { asks: asks.map(({ id, digest }) => ({ id, digest })), answer: 'approve' }, { check: false });
		return asks[0];
	},
	'an operation changed in the answer': async () => {
		const ask = await agent.ask(wanted({ require: two }));
		await approve(ann.client, ask);
		await ben.client.post(`/v1/asks/${ask.id}/answer`, { answers: { decision: { value: 'approve', arguments: { cmd: 'rm -rf /' } } } }, { check: false });
		const now = await status(ask);
		if (approved(now)) assert.equal(now.approved_digest, ask.digest, 'ann approved something else');
		return approved(now) ? undefined : ask;
	},
	'a stale digest': async () => {
		const ask = await agent.ask(wanted());
		await approve(member, ask, { digest: `sha256:${'0'.repeat(64)}` });
		return ask;
	},
	'a scope wider than a member may give': async () => {
		const ask = await agent.ask(wanted());
		for (const scope of [{ for: '9h' }, { for: 'forever' }, { for: '8h', agents: '*' }, { for: '8h', what: 'everything' }, { for: -1 }]) refused(await approve(member, ask, { scope }));
		return ask;
	},
};
attacks('votes, self-approval, delegation, scopes', { small: 12, long: 600 }, async (a) => {
	const names = Object.keys(VOTES);
	/* One after the other: some change who is away. */
	for (let i = 0; i < a.want; i++) {
		const name = i < names.length ? names[i] : a.pick(names);
		await a.one(name, async () => {
			const ask = await VOTES[name]();
			if (ask) assert.ok(!approved(await status(ask)), 'approved');
		});
	}
});

const MUTATIONS = [(d) => d.replace(/.$/, (c) => (c === '0' ? '1' : '0')), (d) => d.toUpperCase(), () => `sha256:${'0'.repeat(64)}`, (d) => d.slice(0, -1), (d) => `${d} `, (d) => d.replace('sha256:', ''),
	() => '', () => null, (d) => [d], (d) => ({ digest: d }), (d) => d.replace('sha256', 'sha1')];
attacks('approvals used for something else, twice, by others, after they were taken back or stopped', { small: 12, long: 900 }, async (a) => {
	await a.all((i) => {
		const kind = a.pick(['mutated', 'twice', 'stranger', 'revoked', 'pending', 'rejected', 'race', 'person']), mutate = a.pick(MUTATIONS);
		return [`${kind} ${i}`, async () => {
			const ask = await agent.ask(wanted());
			const use = (digest = ask.digest, who = agent) => who.post(`/v1/asks/${ask.id}/use`, { digest }, { check: false });
			if (kind === 'pending') return refused(await use());
			await member.post(`/v1/asks/${ask.id}/answer`, { answer: kind === 'rejected' ? 'reject' : 'approve' });
			if (kind === 'rejected') return refused(await use());
			if (kind === 'mutated') return refused(await use(mutate(ask.digest)));
			if (kind === 'stranger') return refused(await use(ask.digest, stranger));
			if (kind === 'person') return refused(await use(ask.digest, a.pick([member, admin, viewer])));
			if (kind === 'revoked') {
				await admin.post(`/v1/asks/${ask.id}/revoke`, { reason: 'no' });
				return refused(await use());
			}
			const all = kind === 'race' ? await Promise.all([use(), use(), use()]) : [await use(), await use()];
			return assert.equal(all.filter((one) => one.status === 200).length, 1);
		}];
	});
	const stop = (await admin.post('/v1/stops', { reason: 'incident', match: { agent: 'builder' } })).body;
	await a.one('allowed while stopped', async () => assert.notEqual(await decided(call('mcp__ok__go', {})), 'allow'));
	await admin.delete(`/v1/stops/${stop.id}`);
});
