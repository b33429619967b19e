// Every way in which an ask is made, one object each: the rows of the matrix (../matrix.test.mjs).
//
// makes: the kinds of ask that it can make: question, approval (with an operation), recovery.
// ask(cell, approval) makes one for this cell; it returns a function that gives what its maker sees in the end: yes,
// no, default, stopped.
// origin: its name in src/desk/ask/ask.h; script/lint compares both.
// because: why a person is asked, where no rule says so (`asked_because.by`).
// token: what its token has beside a name. runs: the ask is of a run of ours. brings: the maker can say a deadline and a default.
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { first, results, say, use } from '../../lib/script_model.mjs';
import { McpServer, tool } from '../../lib/mcp_server.mjs';
import { BIN } from './server.mjs';
import { StatelessClient } from './mcp.mjs';

const COMMAND = ['echo', 'done'];
const operation = { type: 'tool', name: 'Bash', arguments: { command: COMMAND.join(' ') } };
const question = { question: 'Go on?', type: 'boolean' };
const foreign = (text) => ({ questions: [{ question: text, header: 'Go', multiSelect: false,
	options: [{ label: 'Yes', description: 'go on' }, { label: 'No', description: 'stop' }] }] });

/** Of a maker that waits already. */
const later = (promise) => {
	promise.catch(() => {}); // whoever looks at it is told
	return () => promise;
};

/* ---- agents that somebody else runs ---- */

/** What an agent reads of its ask once that is settled. */
const reading = (cell, query = '') => async () => {
	const reply = await cell.agent.get(`/v1/asks/${cell.ask.id}?wait=30${query}`);
	assert.equal(reply.status, 200, reply.text);
	return reply.body;
};
const decided = ({ status, answer, answered_by: by }) => {
	if (!answer) return status === 'answered' ? 'yes' : 'no';
	if (by.kind === 'default') return 'default';
	return Object.values(answer).every(({ value }) => value !== 'reject') ? 'yes' : 'no';
};

async function asked(cell, body, query = '') {
	const reply = await cell.agent.post(`/v1/sessions/${cell.session}/asks${query}`, body);
	assert.equal(reply.status, 201, reply.text);
	cell.ask = reply.body;
}

const http = {
	origin: 'ASK_BY_REQUEST', because: 'agent', makes: ['question', 'approval'], brings: true,
	async ask(cell, approval) {
		await asked(cell, { ...cell.brought,
			...(approval ? { kind: 'approval', operation } : question) });
		return async () => decided(await reading(cell)());
	},
};

const dialect = {
	origin: 'ASK_BY_REQUEST', because: 'agent', makes: ['question', 'approval'],
	async ask(cell, approval) {
		const [name, body] = approval ? ['permission', { tool_name: 'Bash', input: operation.arguments }]
			: ['ask_user_question', foreign('Go on?')];
		await asked(cell, body, `?dialect=${name}`);
		return async () => {
			const { ask, reply } = await reading(cell, `&dialect=${name}`)();
			if (!approval) return reply?.answers?.['Go on?'] === 'Yes' ? 'yes' : 'no';
			assert.equal(reply.behavior, decided(ask) === 'yes' ? 'allow' : 'deny');
			return decided(ask);
		};
	},
};

const mcp = {
	origin: 'ASK_BY_REQUEST', because: 'agent', makes: ['question', 'approval'], holds: true,
	async ask(cell, approval) {
		const client = new StatelessClient(cell.server, cell.token);
		const call = approval
			? client.call('request_approval', { tool_name: 'Bash', input: operation.arguments, session: cell.session })
			: client.call('ask_user_question', { ...foreign('Go on?'), session: cell.session });
		await cell.appears();
		const read = async ({ structuredContent: said }) => {
			if (said.stopped) return 'stopped';
			/* A session that is resumed does not hold its call. */
			if (said.status === 'pending') return read(await client.call('get_answer', { ask_id: said.ask_id, wait_s: 30 }));
			if (!approval) return said.answers?.['Go on?'] === 'Yes' ? 'yes' : 'no';
			return said.behavior === 'allow' ? 'yes' : 'no';
		};
		return later(call.then(read));
	},
};

const template = {
	origin: 'ASK_BY_REQUEST', because: 'agent', makes: ['question', 'approval'], brings: true,
	async prepare({ admin }) {
		for (const [name, ask] of [['matrix-question', question], ['matrix-approval', { kind: 'approval', operation }]]) {
			const reply = await admin.put(`/v1/templates/${name}`, { ask: { title: '{{what}}', ...ask }, values: { what: {} } });
			assert.equal(reply.status, 201, reply.text);
		}
	},
	async ask(cell, approval) {
		await asked(cell, { ...cell.brought, values: { what: 'Matrix' },
			template: approval ? 'matrix-approval' : 'matrix-question' });
		return async () => decided(await reading(cell)());
	},
};

/* ---- commands ---- */

const command = (cell, args, input) => cell.server.run(args, { input, cwd: cell.folder,
	env: { PARLEY_URL: cell.server.url, PARLEY_TOKEN: cell.token } });

const hook = {
	origin: 'ASK_BY_REQUEST', because: 'policy', makes: ['approval'], holds: true,
	async ask(cell) {
		const done = command(cell, ['hook', 'claude', '--wait', '10m'], JSON.stringify({ session_id: cell.name, cwd: '/',
			hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: operation.arguments, tool_use_id: cell.name }));
		await cell.appears();
		return later(done.then(({ stdout }) => {
			const { permissionDecision: said, permissionDecisionReason: why } = JSON.parse(stdout).hookSpecificOutput;
			return /[Ss]topped by/.test(why) ? 'stopped' : said === 'allow' ? 'yes' : 'no';
		}));
	},
};

const gate = {
	origin: 'ASK_BY_REQUEST', because: 'policy', makes: ['approval'], holds: true,
	async ask(cell) {
		const done = command(cell, ['gate', '--session', cell.session, '--', ...COMMAND]);
		await cell.appears();
		return later(done.then(({ code, stdout }) => {
			assert.equal(stdout, code === 0 ? 'done\n' : '');
			return { 0: 'yes', 4: 'stopped' }[code] ?? 'no';
		}));
	},
};

const approve = {
	origin: 'ASK_BY_REQUEST', because: 'agent', makes: ['approval'], holds: true,
	async ask(cell) {
		const done = command(cell, ['approve', '--session', cell.session, '--tool', 'Bash', '--arg', `command=${COMMAND.join(' ')}`]);
		await cell.appears();
		return later(done.then(({ code, stdout }) => {
			assert.equal(stdout.trim() === 'approve', code === 0, stdout);
			return { 0: 'yes', 4: 'stopped' }[code] ?? 'no';
		}));
	},
};

const mandate = {
	origin: 'ASK_BY_MANDATE', because: 'agent', makes: ['approval'], bundles: true,
	async ask(cell) {
		const made = await cell.agent.post('/v1/mandates', { title: 'Close issues', session: cell.session,
			lines: [{ key: 'close', tool: ['mcp__github__close_issue'], uses: 3 }] });
		assert.equal(made.status, 201, made.text);
		cell.mandate = made.body.id;
		cell.ask = (await cell.agent.get(`/v1/asks/${made.body.ask}`)).body;
		return async () => decided(await reading(cell)());
	},
};

/** The same by the tool that a model calls. */
const requestMandate = {
	...mandate,
	async ask(cell) {
		const client = new StatelessClient(cell.server, cell.token);
		const { structuredContent: made } = await client.call('request_mandate', { title: 'Close issues', session: cell.session,
			lines: [{ key: 'close', tool: ['mcp__github__close_issue'], uses: 3 }] });
		cell.mandate = made.id;
		cell.ask = (await cell.agent.get(`/v1/asks/${made.ask_id}`)).body;
		return async () => decided(await reading(cell)());
	},
};

/** A gateway that people have asks about a call, and waits. */
const authorize = {
	origin: 'ASK_BY_REQUEST', because: 'policy', makes: ['approval'], holds: true,
	async ask(cell) {
		const call = cell.agent.post('/v1/authorize', { operation, session: cell.session, wait: 300 });
		await cell.appears();
		return later(call.then(({ status, headers, body }) => {
			assert.equal(headers['parley-decision'], body.decision);
			if (status === 200) return body.decision === 'allow' ? 'yes' : 'no';
			assert.equal(status, 403);
			return body.type === '/problems/stopped' ? 'stopped' : 'no';
		}));
	},
};

/** An MCP server with one tool, known to the desk by this name. */
async function serverOf(admin, name, options) {
	const it = await new McpServer(options).start();
	it.http.unref();
	const reply = await admin.post('/v1/mcp-servers', { name, url: it.url, trust: true });
	assert.equal(reply.status, 201, reply.text);
	assert.equal((await admin.post(`/v1/mcp-servers/${name}/test`, {})).status, 200);
}

const called = ({ content, isError }) => (!isError ? 'yes' : /[Ss]topped by/.test(content[0].text) ? 'stopped' : 'no');

/** Another agent calls a tool of an MCP server through the desk. */
const gateway = {
	origin: 'ASK_BY_GATEWAY', because: 'policy', makes: ['approval'], holds: true, once: true,
	prepare: ({ admin }) => serverOf(admin, 'matrix', { tools: [tool('go', { annotations: { destructiveHint: false } })] }),
	async ask(cell) {
		const client = new StatelessClient(cell.server, cell.token);
		const call = client.call('go', { cell: cell.name }, {}, { path: '/mcp/matrix', headers: { 'parley-session': cell.session } });
		await cell.appears();
		return later(call.then(called));
	},
};

/** A tool of ours, for agents that others run. */
const ownTool = {
	origin: 'ASK_BY_GATEWAY', because: 'policy', makes: ['approval'], holds: true, token: { runs: true },
	async ask(cell) {
		const call = new StatelessClient(cell.server, cell.token).call('todo', { operation: 'create', name: cell.name, session: cell.session });
		await cell.appears();
		return later(call.then(called));
	},
};

/** A server beside the agent, of one tool. */
const BESIDE = `while IFS= read -r line; do
	[[ $line =~ \\"id\\":(\\"[^\\"]*\\"|[0-9]+) ]] || continue
	case $line in
	*server/discover*) is='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}' ;;
	*tools/list*) is='"tools":[{"name":"go","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false}}]' ;;
	*) is='"content":[{"type":"text","text":"done"}]' ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}\\n' "\${BASH_REMATCH[1]}" "$is"
done`;

const besides = new Set();
process.on('exit', () => besides.forEach((child) => child.kill()));

/** One request to it through the gateway of an agent. → what came back, once it did */
function beside(server, token, method, params, env) {
	const child = spawn(BIN, ['mcp-gateway', 'beside', '--', 'bash', '-c', BESIDE], { stdio: ['pipe', 'pipe', 'inherit'],
		env: { ...server.env, PARLEY_URL: server.url, PARLEY_TOKEN: token, ...env } });
	besides.add(child);
	child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: {
		'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
		'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' } } } })}\n`);
	return new Promise((done) => {
		createInterface({ input: child.stdout }).once('line', (line) => {
			child.stdin.end();
			done(JSON.parse(line).result);
		});
	});
}

/** Another agent calls a tool of a server beside it, behind the gateway. */
const gatewayBeside = {
	origin: 'ASK_BY_GATEWAY', because: 'policy', makes: ['approval'], holds: true, once: true,
	/** It is known from its first start on; then an admin trusts it. */
	async prepare({ server, admin }) {
		await beside(server, server.secrets.agent, 'tools/list');
		const { version } = (await admin.get('/v1/mcp-servers/beside')).body;
		const trusted = await admin.patch('/v1/mcp-servers/beside', { version, trust: true });
		assert.equal(trusted.status, 200, trusted.text);
	},
	async ask(cell) {
		const call = beside(cell.server, cell.token, 'tools/call', { name: 'go', arguments: { cell: cell.name } }, { PARLEY_SESSION: cell.session });
		await cell.appears();
		return later(call.then(called));
	},
};

/* ---- our own runs ---- */

/** Starts one; the model does what the word at the beginning of the message says (`answer` below). */
async function started(cell, word, agent = {}, body = {}) {
	const made = await cell.admin.post('/v1/agents', { name: cell.name, provider: 'scripted', model: 'm', prompt: 'You help.',
		tools: ['ask_user_question', 'todo', 'test_append'], validation: { mode: 'manual', auto_approve_low: true }, ...agent });
	assert.equal(made.status, 201, made.text);
	const session = await cell.member.post('/v1/sessions', { agent: cell.name, message: `${word} ${cell.name}`,
		project: cell.project, on_settled: cell.onSettled, ...body });
	assert.equal(session.status, 201, session.text);
	[cell.session, cell.run] = [session.body.id, session.body.run];
}

const ENDS = ['completed', 'failed', 'cancelled'];
const ended = (cell) => () => cell.until(async () => {
	const { body } = await cell.member.get(`/v1/runs/${cell.run}`);
	return ENDS.includes(body.status) && (body.status === 'completed' && body.report === 'yes' ? 'yes' : 'no');
}, 'the end of the run');

const runQuestion = {
	origin: 'ASK_BY_RUN_QUESTION', because: 'agent', makes: ['question'], runs: true,
	async ask(cell) {
		await started(cell, 'Question');
		await cell.appears();
		return ended(cell);
	},
};

/** A tool of an MCP server that wants to know something before it runs. */
const elicitation = {
	origin: 'ASK_BY_RUN_QUESTION', because: 'agent', makes: ['question'], runs: true,
	prepare: ({ admin }) => serverOf(admin, 'curious', { tools: [tool('merge', { annotations: { readOnlyHint: true } })],
		call(name, args, { message: { params } }) {
			const said = params.inputResponses?.go;
			if (!said) return { resultType: 'input_required', requestState: 'asked', inputRequests: { go: { method: 'elicitation/create', params: {
				mode: 'form', message: 'Go on?', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } } } } };
			return { content: [{ type: 'text', text: said.action }], isError: said.content?.ok !== true };
		} }),
	async ask(cell) {
		await started(cell, 'Elicitation', { tools: ['mcp:curious'] });
		await cell.appears();
		return ended(cell);
	},
};

const runApproval = {
	origin: 'ASK_BY_RUN_APPROVAL', because: 'policy', makes: ['approval'], runs: true,
	async ask(cell) {
		await started(cell, 'Approval');
		await cell.appears();
		return ended(cell);
	},
};

const runError = {
	origin: 'ASK_BY_RUN_ERROR', because: 'run', makes: ['recovery'], runs: true,
	async ask(cell) {
		await started(cell, 'Error');
		await cell.appears();
		return ended(cell);
	},
};

const runLimit = {
	origin: 'ASK_BY_RUN_LIMIT', because: 'run', makes: ['recovery'], runs: true,
	async ask(cell) {
		await started(cell, 'Limit', { limits: { turns: 1 } });
		await cell.appears();
		return ended(cell);
	},
};

/** It writes to a pipe that nobody reads until the server is killed (`crashed`); then a file takes the pipe's place. */
const interrupted = {
	origin: 'ASK_BY_RUN_INTERRUPTED', because: 'run', makes: ['recovery'], runs: true, crashes: true,
	async begin(cell) {
		cell.path = join(cell.folder, cell.name);
		execFileSync('mkfifo', [cell.path]);
		await started(cell, 'Interrupted', { validation: { mode: 'auto', always_confirm_high: false } },
			{ message: `Interrupted ${cell.path}` });
		await cell.until(async () => {
			const { body } = await cell.member.get(`/v1/sessions/${cell.session}/state`);
			return body.tool_calls[0]?.status === 'started';
		}, 'the start of the call');
	},
	async ask(cell) {
		await cell.appears();
		if (existsSync(cell.path)) rmSync(cell.path);
		return ended(cell);
	},
};

/** The ask is of the child, whose agent is this cell's. */
const subAgent = {
	origin: 'ASK_BY_RUN_QUESTION', because: 'agent', makes: ['question', 'approval'], runs: true,
	async prepare({ admin }) {
		const reply = await admin.post('/v1/agents', { name: 'matrix-boss', provider: 'scripted', model: 'm', prompt: 'You delegate.',
			tools: ['delegate_task'], validation: { mode: 'auto' } });
		assert.equal(reply.status, 201, reply.text);
	},
	async ask(cell, approval) {
		await started(cell, '', {}, { agent: 'matrix-boss', message: `Delegate ${cell.name} ${approval ? 'Approval' : 'Question'}` });
		await cell.appears();
		return ended(cell);
	},
};

export const WAYS = { http, dialect, mcp, hook, gate, approve, mandate, request_mandate: requestMandate, authorize, gateway,
	gateway_beside: gatewayBeside, own_tool: ownTool, template, run_question: runQuestion, elicitation,
	run_approval: runApproval, run_error: runError, run_limit: runLimit, interrupted, sub_agent: subAgent };

/* ---- the model ---- */

const failed = new Set(); // cells whose first call was refused

/** What the model of these runs says. */
export function answer(request) {
	const words = first(request).split(' ');
	const done = results(request);
	const well = done.length && !done.at(-1).bad && !/Nobody answered|No$/.test(done.at(-1).text);
	if (words[0] === 'Delegate') {
		if (!done.length) return [use('delegate_task', { agent: words[1], task: `${words[2]} ${words[1]}` })];
		return [say(well && /: completed\n\nyes$/.test(done[0].text) ? 'yes' : 'no')];
	}
	if (words[0] === 'Error') {
		if (failed.has(words[1])) return [say('yes')];
		failed.add(words[1]);
		return { status: 401 };
	}
	if (done.length) return [say(well ? 'yes' : 'no')];
	switch (words[0]) {
	case 'Question': return [use('ask_user_question', foreign('Go on?'))];
	case 'Elicitation': return [use('mcp__curious__merge', {})];
	case 'Approval': return [use('todo', { operation: 'create', name: words[1] })];
	case 'Limit': return [use('todo', { operation: 'list' })];
	case 'Interrupted': return [use('test_append', { path: words[1], text: 'once' })];
	default: return [say('no script')];
	}
}
