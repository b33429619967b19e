// An agent as small as can be: takes --mcp-config as Claude Code does, starts the server in it, and
// does what its other words say. What it prints is what a person would see of it.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

const words = process.argv.slice(2);
const at = words.indexOf('--mcp-config');
const { parley } = JSON.parse(words.splice(at, 2)[1]).mcpServers;
const server = spawn(parley.command, parley.args, { env: { ...process.env, ...parley.env }, stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let last = 0;
createInterface({ input: server.stdout }).on('line', (line) => {
	const message = JSON.parse(line);
	waiting.get(message.id)?.(message);
});
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
function call(method, params) {
	const id = ++last;
	send({ id, method, params });
	return new Promise((resolve) => { waiting.set(id, resolve); });
}
const question = (header, more = {}) => ({ questions: [{ question: `Which ${header}?`, header, multiSelect: false,
	options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }], ...more }] });
const ask = (args) => call('tools/call', { name: 'ask_user_question', arguments: args });
const show = (name, { result, error }) => console.log(`${name}: ${result?.isError ? 'error ' : ''}${result?.content?.[0]?.text ?? error?.message}`);

await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tiny', version: '1' } });
send({ method: 'notifications/initialized' });
console.log('the agent is at work');
switch (words[0]) {
	case 'ask': show('result', await ask(question('Colour'))); break;
	case 'wrong': show('result', await ask(question('Colour', { question: 'No question mark' }))); break;
	case 'twice': {
		const first = ask(question('First'));
		while (!existsSync(words[1])) await sleep(20);
		show('second', await ask(question('Second')));
		writeFileSync(words[2], '');
		show('first', await first);
		break;
	}
	case 'abort':
		ask(question('Aborted'));
		process.stdin.once('data', () => {});
		while (!existsSync(words[1])) await sleep(20);
		send({ method: 'notifications/cancelled', params: { requestId: last } });
		while (!existsSync(words[2])) await sleep(20);
		console.log('aborted');
		break;
	default: break;
}
server.stdin.end();
process.exit(0);
