// Every command and option that README and docs name exists, and every block of commands runs as it stands, in its page's order;
// a newcomer gets along with the docs alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BIN } from '../lib/server.mjs';
import { inNamespaces, noNamespaces, pages, read } from './lib/docs.mjs';

const run = (...words) => execFileSync(BIN, words, { encoding: 'utf8', env: { ...process.env, PARLEY_LANG: 'en', PARLEY_CONFIG: '/dev/null' } });
const verbs = run('help', '--names').trim().split('\n');
const groups = new Set(verbs.filter((verb) => verb.includes(' ')).map((verb) => verb.split(' ')[0]));
const helps = new Map();
const options = (verb) => {
	if (!helps.has(verb)) helps.set(verb, new Set(run(...verb.split(' '), '--help').match(/(?<![\w-])-{1,2}[a-zA-Z][\w-]*/g)));
	return helps.get(verb);
};
/* `parley serve` starts again under a supervisor with this. */
const INTERNAL = ['--supervise', '--version', '--help'];

/** The commands of a page: what stands in code behind the word parley. */
function commands(text) {
	const code = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block.replace(/\\\n\s*/g, ' '));
	const prose = text.replace(/```[^]*?```/g, '');
	const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, words]) => words.replace(/\n/g, ' '));
	return [...code.flatMap((block) => block.split('\n')), ...inline]
		.flatMap((line) => line.replace(/\s#.*$/, '').split(/&&|\|\||[|;()]|\bthen\b/))
		.map((part) => part.trim().match(/^(?:(?:if |sudo |[A-Z_]+=\S* |[a-z]+=\$\( ?|build\/)*)parley\s+(.+)$/)?.[1]).filter(Boolean);
}

test('commands and options in README and docs exist', () => {
	const wrong = [];
	let seen = 0;
	for (const file of pages) {
		for (const line of commands(read(file))) {
			const words = line.split(/\s+/);
			if (!/^[a-z-]+$/.test(words[0])) continue;
			const verb = verbs.find((one) => line === one || line.startsWith(`${one} `));
			if (!verb) {
				/* "parley user …" and "parley host, run …" name several. */
				if (!groups.has(words[0]) && !INTERNAL.includes(words[0])) wrong.push(`${file}: parley ${line}`);
				continue;
			}
			seen++;
			/* What stands behind -- is another program's. */
			for (const [option] of line.split(' -- ')[0].matchAll(/(?<![\w-])--[a-z][\w-]*/g))
				if (!options(verb).has(option) && !INTERNAL.includes(option)) wrong.push(`${file}: parley ${line}: ${option}`);
		}
	}
	assert.deepEqual(wrong, []);
	assert.ok(seen > 100, `only ${seen} commands were found`);
});

test('every block of README and docs runs, and a newcomer gets along with them', { skip: noNamespaces }, async () => {
	const { code, output } = await inNamespaces(fileURLToPath(new URL('lib/docs_typed.mjs', import.meta.url)));
	assert.equal(code, 0, output);
});
