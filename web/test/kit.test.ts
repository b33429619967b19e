/* The parts that every screen is made of. */
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { createRawSnippet, tick } from 'svelte';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { speak } from '../src/lib/i18n.svelte';
import { choicesFound, choicesGrouped, choiceTyped, type Choice } from '../src/lib/picking';
import { chartTicks } from '../src/lib/chart';
import { costOf, fasterWords, moreWords } from '../src/lib/insights';
import { initials, tint } from '../src/lib/faces';
import { holdsAll, marked } from '../src/lib/palette';
import { router } from '../src/lib/router.svelte';
import { addressWith, tokensCleared, tokensOf } from '../src/lib/tokens';
import FilterTokens from '../src/parts/common/FilterTokens.svelte';
import Picker from '../src/parts/common/Picker.svelte';
import Row from '../src/parts/common/Row.svelte';
import Segment from '../src/parts/common/Segment.svelte';
import Table from '../src/parts/common/Table.svelte';
import TitleBar from '../src/parts/common/TitleBar.svelte';
import Place from '../src/parts/history/Place.svelte';
import Views from '../src/parts/common/Views.svelte';
import { keysListen } from '../src/state/keys.svelte';

beforeAll(async () => {
	await speak('en');
	keysListen();
});
beforeEach(() => router.go('/sessions', true));
afterEach(() => cleanup());

const text = (words: string) => createRawSnippet(() => ({ render: () => `<span>${words}</span>` }));
const press = (key: string, on: Element = document.activeElement!) =>
	fireEvent.keyDown(on, { key });

const models: Choice[] = [
	{ value: 'auto', name: 'auto', group: 'anthropic', about: 'the newest' },
	{ value: 'sonnet', name: 'Sonnet', group: 'anthropic', end: '200k' },
	{ value: 'gpt', name: 'gpt', group: 'openai', off: 'no credit left' },
	{ value: 'eleve', name: 'Élève', group: 'ollama' },
];

test('a picker is opened, moved in and picked from by keys, and says what is chosen', async () => {
	const onpick = vi.fn();
	render(Picker, { label: 'Model', choices: models, value: 'auto', onpick });
	const button = screen.getByRole('combobox', { name: 'Model' });
	expect(button.textContent).toContain('auto');
	button.focus();
	await press('ArrowDown');
	expect(button.getAttribute('aria-expanded')).toBe('true');
	const options = screen.getAllByRole('option');
	expect(options.map((one) => one.getAttribute('aria-selected'))).toEqual([
		'true',
		'false',
		'false',
		'false',
	]);
	expect(screen.getAllByRole('group').map((one) => one.getAttribute('aria-label'))).toEqual([
		'anthropic',
		'openai',
		'ollama',
	]);
	await press('ArrowDown');
	expect(button.getAttribute('aria-activedescendant')).toBe(options[1]!.id);
	await press('ArrowDown');
	await press('Enter'); // what is off cannot be picked, and says why
	expect(onpick).not.toHaveBeenCalled();
	expect(options[2]!.textContent).toContain('no credit left');
	expect(options[2]!.getAttribute('aria-disabled')).toBe('true');
	await press('e');
	await press('Enter');
	expect(onpick).toHaveBeenCalledExactlyOnceWith('eleve');
	expect(screen.queryByRole('listbox')).toBeNull();
	expect(document.activeElement).toBe(button);
});

test('a picker with a search leaves what matches; Esc goes back to its button', async () => {
	render(Picker, { label: 'Model', choices: models, value: '', onpick: vi.fn(), search: true });
	const button = screen.getByRole('combobox', { name: 'Model' });
	await fireEvent.click(button);
	const field = screen.getByRole('combobox', { name: 'Find' });
	expect(document.activeElement).toBe(field);
	await fireEvent.input(field, { target: { value: 'openai' } });
	expect(screen.getAllByRole('option')).toHaveLength(1);
	await fireEvent.input(field, { target: { value: 'zzz' } });
	expect(screen.getByText('Nothing matches.')).toBeTruthy();
	await press('Escape');
	expect(screen.queryByRole('listbox')).toBeNull();
	expect(document.activeElement).toBe(button);
});

test('a picker of several stays open', async () => {
	const onpick = vi.fn();
	render(Picker, { label: 'Notify', choices: models, value: ['auto', 'sonnet'], onpick });
	const button = screen.getByRole('combobox', { name: 'Notify' });
	expect(button.textContent).toContain('auto, Sonnet');
	await fireEvent.click(button);
	await fireEvent.click(screen.getByRole('option', { name: /Élève/ }));
	expect(onpick).toHaveBeenCalledExactlyOnceWith('eleve');
	expect(screen.getByRole('listbox').getAttribute('aria-multiselectable')).toBe('true');
});

test('choices are found without accents, grouped, and spelled', () => {
	expect(choicesFound(models, 'ELEVE').map((one) => one.value)).toEqual(['eleve']);
	expect(choicesFound(models, 'anth new').map((one) => one.value)).toEqual(['auto']);
	expect(choicesGrouped(models).map((group) => group.items.length)).toEqual([2, 1, 1]);
	expect(choiceTyped(models, 'so', 2)).toBe(1);
	expect(choiceTyped(models, 'x', 0)).toBe(-1);
});

const keys = [
	{ key: 'project', name: 'Project', choices: [{ value: 'web', name: 'web' }] },
	{
		key: 'outcome',
		name: 'Outcome',
		choices: [
			{ value: 'rejected', name: 'rejected' },
			{ value: 'expired', name: 'expired' },
		],
	},
];

test('filters are tokens in the address; the rest of it stays', async () => {
	expect(addressWith('q=a', 'project', 'web')).toBe('q=a&project=web');
	expect(tokensCleared('q=a&project=web', keys)).toBe('q=a');
	expect(tokensOf('q=a&project=gone', keys)).toMatchObject([{ value: 'gone' }]);

	router.go('/sessions?q=a&project=web', true);
	const { component } = render(FilterTokens, { keys, said: '1 of 2' });
	expect(screen.getByRole('search').textContent!.replace(/\s+/g, ' ')).toMatch(
		/Project ?is ?web.*1 of 2/,
	);
	await component.open();
	await fireEvent.click(screen.getByRole('option', { name: 'rejected' }));
	expect(location.search).toBe('?q=a&project=web&outcome=rejected');
	await fireEvent.click(screen.getByRole('button', { name: 'Remove the filter “Project is web”' }));
	expect(location.search).toBe('?q=a&outcome=rejected');
	await fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
	expect(location.search).toBe('?q=a');
});

test('the title bar: its order, its keys, where it leads', async () => {
	const calls: string[] = [];
	render(TitleBar, {
		name: 'Sessions',
		views: [
			{ id: '', name: 'All', count: 31, href: '/sessions' },
			{ id: 'x', name: 'Mine', count: 4, href: '/sessions?x' },
		],
		view: '',
		search: { value: '', oninput: (value: string) => calls.push(`search ${value}`) },
		filter: { on: false, onopen: () => calls.push('filter') },
		primary: { name: 'New session', onclick: () => calls.push('new') },
	});
	const all = [...document.querySelectorAll('h1,a,input,header .end button')];
	expect(
		all.map(
			(one) => one.getAttribute('aria-label') ?? one.textContent!.replace(/\s+/g, ' ').trim(),
		),
	).toEqual(['Sessions', 'All 31', 'Mine 4', 'Search', 'Filter F', 'New session C']);
	for (const key of ['Tab', 'f', 'c']) await press(key, document.body);
	expect(calls).toEqual(['filter', 'new']);
	await press('/', document.body);
	await new Promise((done) => setTimeout(done));
	expect(document.activeElement).toBe(screen.getByRole('searchbox'));
});

test('from the last of a list one goes back, not on', async () => {
	const ongo = vi.fn();
	render(Place, { at: 3, of: 3, ongo });
	await fireEvent.click(screen.getByRole('button', { name: 'Next' }));
	await fireEvent.click(screen.getByRole('button', { name: 'Previous' }));
	expect(ongo).toHaveBeenCalledExactlyOnceWith(-1);
});

test('a view that leads nowhere is pressed', async () => {
	const onpick = vi.fn();
	render(Views, { views: [{ id: 'tools', name: 'Tools', count: 7 }], current: 'tools', onpick });
	const tab = screen.getByRole('button', { name: 'Tools 7', pressed: true });
	await fireEvent.click(tab);
	expect(onpick).toHaveBeenCalledExactlyOnceWith('tools');
});

test('a segment is a group of which one holds', async () => {
	const onpick = vi.fn();
	const options = [
		{ value: 'a', name: 'Unified' },
		{ value: 'b', name: 'Split' },
	] as const;
	render(Segment, { label: 'Diff', options, value: 'a', onpick });
	expect(screen.getByRole('group', { name: 'Diff' })).toBeTruthy();
	expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Unified' }).checked).toBe(true);
	await fireEvent.click(screen.getByRole('radio', { name: 'Split' }));
	expect(onpick).toHaveBeenCalledExactlyOnceWith('b');
});

test('a row leads somewhere as a whole, and has its second line only when it is tall', async () => {
	const parts = {
		href: '/asks/1',
		title: text('Send e-mail'),
		second: text('writer'),
		end: text('6 min'),
		actions: text('Snooze'),
	};
	const { rerender } = render(Row, { ...parts, current: true });
	const link = screen.getByRole('link', { name: 'Send e-mail' });
	expect(link.getAttribute('aria-current')).toBe('true');
	expect(link.closest('.line')!.textContent).not.toContain('writer');
	await rerender({ ...parts, tall: true });
	await tick();
	expect(document.body.textContent).toContain('writer');
});

test('a table has one head, and headings where its groups change', () => {
	render(Table, {
		label: 'Tools',
		columns: [
			{ id: 'name', name: 'Tool' },
			{ id: 'risk', name: 'Risk', end: true },
		],
		items: ['ask', 'note', 'docs'],
		key: (item) => String(item),
		group: (item) => (item === 'docs' ? 'MCP' : 'Parley'),
		cell: createRawSnippet((item: () => unknown, column: () => string) => ({
			render: () => `<b>${column()}:${String(item())}</b>`,
		})),
	});
	expect(screen.getAllByRole('columnheader').map((one) => one.textContent)).toEqual([
		'Tool',
		'Risk',
	]);
	expect(screen.getAllByRole('row').map((one) => one.textContent!.trim())).toEqual([
		'ToolRisk',
		'Parley',
		'name:askrisk:ask',
		'name:noterisk:note',
		'MCP',
		'name:docsrisk:docs',
	]);
});

test('the palette marks what was typed, whatever its accents', () => {
	expect(holdsAll('Compare three vector stores', 'VECT compare')).toBe(true);
	expect(holdsAll('Compare', 'vector')).toBe(false);
	expect(marked('Un élève', 'eleve')).toEqual([
		{ text: 'Un ', hit: false },
		{ text: 'élève', hit: true },
	]);
	expect(marked('abc', '')).toEqual([{ text: 'abc', hit: false }]);
});

test('a face is made of a name, never of an id', () => {
	expect(initials('Ann Ruiz')).toBe('AR');
	expect(initials('usr_01J8')).toBe('?');
	expect(initials('\u{e0041}\u{e0041} \u202eann')).toBe('A');
	expect(initials('\u{e0041}')).toBe('?');
	expect(tint('Ben')).toBe(tint('Ben'));
});

test('a chart has round lines, four at most, and the highest is above all', () => {
	expect(chartTicks(1)).toEqual([1]);
	expect(chartTicks(3)).toEqual([1, 2, 3]);
	expect(chartTicks(57)).toEqual([20, 40, 60]);
	expect(chartTicks(81)).toEqual([50, 100]);
	expect(chartTicks(0)).toEqual([1]);
});

test('figures are compared with the days before, where there were any', () => {
	expect(moreWords(112, 100)).toBe('12% more than before');
	expect(moreWords(50, 100)).toBe('50% fewer than before');
	expect(moreWords(3, 3)).toBe('as before');
	expect(moreWords(3, 0)).toBe('');
	expect(fasterWords(60_000, 108_000)).toBe('48\u00a0s faster than before');
	expect(fasterWords(300_000, 60_000)).toBe('4\u00a0min slower than before');
	expect(fasterWords(null, 60_000)).toBe('');
});

test('what agents cost is the sum of what has a price; without one nothing is said', () => {
	const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 };
	const item = (key: string, cost_usd: number | null) =>
		({ key, runs: 1, usage, cost_usd, cost_partial: false }) as never;
	const sums = (items: never[]) => ({ items, from: '', to: '' });
	expect(costOf(sums([item('a', 1.5), item('b', null), item('c', 2)]))).toBe(3.5);
	expect(costOf(sums([item('b', null)]))).toBeNull();
	expect(costOf(null)).toBeNull();
});
