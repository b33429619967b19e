// Why a person is asked, in the terminal; and that the risk of an operation is the policy's, not the agent's word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approval, useTerminals } from './lib.mjs';

const server = await useTerminals();
const { admin, agent } = server;
const policy = (await admin.get('/v1/policy')).body;
const put = await admin.put('/v1/policy', { version: policy.version, risks: [{ tool: ['drop'], risk: 'critical' }, ...policy.risks] });
assert.equal(put.status, 200, put.text);
const rule = await admin.post('/v1/rules', { effect: 'ask', match: { tool: ['pay'] }, note: 'Payments', ask: { require: [{ approvals: 2 }] } });
assert.equal(rule.status, 201, rule.text);
const ask = (name, risk, more = {}) => agent.ask(approval(risk, { title: `Call ${name}`,
	operation: { type: 'tool', name, arguments: { n: 1 }, risk }, ...more }));
const opened = async (title, options = {}) => {
	const inbox = await server.inbox({ columns: 80, ...options });
	await inbox.shows(title);
	inbox.press('Enter');
	return inbox;
};

test('the rule that wants a person is named, in English, in French and by parley show', async () => {
	const { id } = await ask('pay', 'high');
	const inbox = await opened('Call pay');
	await inbox.shows('Why you are asked: the rule Payments.');
	inbox.close();
	const french = await opened('Call pay', { lang: 'fr' });
	await french.shows('Pourquoi on vous le demande\u00a0: la règle Payments.');
	french.close();
	const shown = await server.run(['show', id], { env: { PARLEY_TOKEN: server.secrets.member, PARLEY_URL: server.url, LANG: 'C.UTF-8' } });
	assert.match(shown.stdout, /^Why you are asked: the rule Payments\.$/m);
	await agent.post(`/v1/asks/${id}/cancel`, {});
	/* It is kept: neither its end nor the rule's changes it. */
	await server.admin.patch(`/v1/rules/${rule.body.id}`, { note: 'Renamed', version: rule.body.version });
	const later = await server.run(['show', id], { env: { PARLEY_TOKEN: server.secrets.member, PARLEY_URL: server.url, LANG: 'C.UTF-8' } });
	assert.match(later.stdout, /^Why you are asked: the rule Payments\.$/m);
});

test('an agent that wants more approvals itself is said to', async () => {
	const { id } = await ask('share', 'high', { require: [{ approvals: 2 }] });
	const inbox = await opened('Call share');
	await inbox.shows(/Why you are asked: \S+ itself asked for these approvals\./);
	inbox.close();
	await agent.post(`/v1/asks/${id}/cancel`, {});
});

test('what the policy finds critical takes two presses, though its agent said low', async () => {
	const asked = await ask('drop', 'low');
	const inbox = await opened('Call drop');
	await inbox.shows((text) => /Counts as critical; \S+ said low\s+risk/.test(text) && /· critical/.test(text));
	await inbox.armed('▸ ( ) 1 Approve');
	inbox.press('a');
	await inbox.armed('Press again to approve');
	assert.equal((await agent.read(asked)).status, 'pending');
	inbox.press('a');
	await inbox.shows('Approved “Call drop”');
	assert.equal((await agent.read(asked)).status, 'answered');
	inbox.close();
});
