import { render } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import Markdown from '../src/parts/common/Markdown.svelte';

const links = (text: string) =>
	[...render(Markdown, { text }).container.querySelectorAll('a')].map((link) => [
		link.textContent,
		link.getAttribute('href'),
	]);

test('words that look like another host are no link: the address is', () => {
	const evil = 'https://evil.example/phish';
	expect(links(`[https://good.example](${evil})`)).toEqual([[evil, evil]]);
	expect(links(`![good.example](${evil})`)).toEqual([[evil, evil]]);
	expect(links(`[the page](${evil})`)).toEqual([['the page', evil]]);
});

test('every link has its address beside it', () => {
	const { container } = render(Markdown, { text: '[the page](https://evil.example/phish)' });
	expect(container.textContent.replace(/\s+/g, ' ')).toContain(
		'the page (https://evil.example/phish)',
	);
});

test('a table keeps its sides, and two of them have two names', () => {
	const table = (head: string) => `|${head}|n|\n|---|---:|\n|x|1|`;
	const { container } = render(Markdown, { text: `${table('a')}\n\n${table('a')}` });
	const cells = [...container.querySelectorAll('td')].map((cell) => cell.className.split(' ')[0]);
	expect(cells).toEqual(['start', 'end', 'start', 'end']);
	const names = [...container.querySelectorAll('[aria-label]')].map((one) =>
		one.getAttribute('aria-label'),
	);
	expect(new Set(names).size).toBe(2);
});
