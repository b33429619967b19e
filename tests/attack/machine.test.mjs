// Attacks on the machine of a person: a hostile repository, a folder that is swapped, variables that steer programs.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until, useServer } from '../api/lib/server.mjs';

const server = await useServer();
const { admin } = server;
const folder = (name) => {
	const path = join(server.home, name);
	mkdirSync(path, { recursive: true });
	return path;
};
const run = (args, cwd, env = {}) => server.run(args,
	{ cwd, env: { PARLEY_URL: server.url, PARLEY_TOKEN: server.secrets.agent, ...env } });

test('connect --project writes through no link out of the project', async () => {
	const outside = folder('outside');
	const victim = join(outside, 'victim.json');
	writeFileSync(victim, '{}\n');
	const links = { 'a link to a file': (at) => {
		mkdirSync(join(at, '.claude'));
		symlinkSync(victim, join(at, '.claude', 'settings.json'));
		symlinkSync(victim, join(at, '.mcp.json'));
	}, 'a link to a folder': (at) => {
		symlinkSync(outside, join(at, '.claude'));
		symlinkSync(victim, join(at, '.mcp.json'));
	} };
	for (const [what, make] of Object.entries(links)) {
		const project = folder(`project ${what}`);
		make(project);
		const said = await server.run(['connect', 'claude', '--hook', '--project', '--url', server.url], { cwd: project });
		assert.notEqual(said.code, 0, what);
		assert.match(said.stderr, /link leads out of this project/, what);
		assert.equal(readFileSync(victim, 'utf8'), '{}\n', what);
		assert.ok(!existsSync(join(outside, 'settings.json')), what);
	}
	const within = folder('within');
	mkdirSync(join(within, 'shared'));
	symlinkSync('shared', join(within, '.claude'));
	const fine = await server.run(['connect', 'claude', '--hook', '--project', '--url', server.url], { cwd: within });
	assert.equal(fine.code, 0, fine.stderr);
	assert.ok(existsSync(join(within, 'shared', 'settings.json')));
});

const pending = async (title) => until(async () => (await admin.get('/v1/asks?status=pending')).body.items.find((ask) => ask.title.includes(title)), title);
const approve = async (ask, decision = 'approve') => {
	const reply = await admin.post(`/v1/asks/${ask.id}/answer`, { answers: { decision } });
	assert.equal(reply.status, 200, reply.text);
};

test('gate runs where it was asked, whatever has that name by then', async () => {
	const asked = folder('asked'), other = folder('other');
	const ran = run(['gate', '--', '/bin/sh', '-c', 'pwd -P > here; echo swapped-folder'], asked);
	const ask = await pending('swapped-folder');
	renameSync(asked, `${asked}-before`);
	symlinkSync(other, asked);
	await approve(ask);
	assert.equal((await ran).code, 0);
	assert.ok(!existsSync(join(other, 'here')), 'nothing ran in the other folder');
	assert.equal(readFileSync(`${asked}-before/here`, 'utf8').trim(), `${asked}-before`);
});

test('gate shows and binds the variables that steer programs', async () => {
	const at = folder('steered');
	const env = { BASH_ENV: join(at, 'startup'), GIT_SSH_COMMAND: 'evil', PYTHONPATH: at, COLOUR: 'red' };
	const line = (name) => ['gate', '--', '/bin/sh', '-c', `echo "[$GIT_SSH_COMMAND$COLOUR]" ${name}`];
	const ran = run(line('steered-run'), at, env);
	const ask = await pending('steered-run');
	const { COLOUR, ...steering } = env;
	assert.deepEqual(ask.operation.arguments.env, steering);
	await approve(ask);
	assert.equal((await ran).stdout, '[evilred] steered-run\n');
	/* A person who takes them out runs it without them. */
	const edited = run(line('edited-run'), at, env);
	const second = await pending('edited-run');
	const { env: taken, ...rest } = second.operation.arguments;
	assert.deepEqual(taken, steering);
	await approve(second, { value: 'approve', arguments: rest });
	assert.equal((await edited).stdout, '[red] edited-run\n');
});

test('gate without such variables asks as it always did', async () => {
	const at = folder('plain');
	const ran = run(['gate', '--', '/bin/echo', 'plain-run'], at);
	const ask = await pending('plain-run');
	assert.deepEqual(Object.keys(ask.operation.arguments), ['argv', 'cwd', 'program', 'sha256']);
	await approve(ask);
	assert.equal((await ran).code, 0);
});

test('doctor shows no password of the database', async () => {
	const said = await server.run(['doctor', '--store', 'postgresql://desk:dbsecret77@127.0.0.1:9/none?password=dbsecret78'],
		{ env: { PARLEY_URL: 'http://127.0.0.1:9' } });
	assert.doesNotMatch(said.stdout + said.stderr, /dbsecret7/);
});
