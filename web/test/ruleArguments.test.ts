import { expect, test } from 'vitest';
import { argumentLines, argumentsFrom } from '../src/lib/ruleArguments';

test('tests of arguments are lines, and the same again', () => {
	const given = {
		'/branch': { in: ['main', 'release', 3] },
		'/n': { min: 1, max: 9 },
		'/text': { is: '12' },
		'/flag': { is: true },
		'/odd': { in: ['a,b', 'c'] },
		'/path': { under: '/srv' },
	};
	const lines = argumentLines(given);
	expect(lines.map(({ pointer, test: name, text }) => [pointer, name, text])).toEqual([
		['/branch', 'in', 'main, release, 3'],
		['/n', 'min', '1'],
		['/n', 'max', '9'],
		['/text', 'is', '"12"'],
		['/flag', 'is', 'true'],
		['/odd', 'in', '["a,b","c"]'],
		['/path', 'under', '/srv'],
	]);
	expect(argumentsFrom(lines)).toEqual(given);
});

test('a name is a pointer, and empty lines say nothing', () => {
	expect(
		argumentsFrom([
			{ pointer: 'branch', test: 'is', text: 'main' },
			{ pointer: '', test: 'is', text: 'x' },
			{ pointer: '/y', test: 'glob', text: ' ' },
		]),
	).toEqual({ '/branch': { is: 'main' } });
});
