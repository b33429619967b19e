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
