import { describe, expect, test } from 'vitest';
import { answerText } from '../src/lib/answer';
import {
	draftAnswer,
	draftFlaw,
	draftNew,
	draftTouched,
	fieldAnswer,
	fieldFlaw,
	fieldFrom,
	isSuggested,
	numberOf,
} from '../src/lib/form';
import { ask, question } from './fixtures';

const options = [
	{ id: 'staging', label: 'Staging' },
	{ id: 'prod', label: 'Production' },
];
const words = {
	yes: 'Yes',
	no: 'No',
	approve: 'Approved',
	reject: 'Rejected',
	other: (t: string) => `Other: ${t}`,
	moment: (iso: string) => `at ${iso}`,
};

describe('an answer that is known already is filled in', () => {
	test('an option by its id or its label', () => {
		const q = question({ type: 'choice', options });
		expect(fieldFrom(q, 'prod').selected).toEqual(['prod']);
		expect(fieldFrom(q, 'Production').selected).toEqual(['prod']);
		expect(fieldFrom(q, { selected: ['staging'] }).selected).toEqual(['staging']);
	});
	test('what is no option is Other where there is one, and nothing where there is none', () => {
		expect(fieldFrom(question({ type: 'choice', options, other: true }), 'moon')).toMatchObject({
			other: 'moon',
			otherOn: true,
		});
		expect(fieldFrom(question({ type: 'choice', options }), 'moon').selected).toEqual([]);
	});
	test('a list, a yes, a number, a text, a decision', () => {
		expect(
			fieldFrom(question({ type: 'choices', options }), ['prod', 'staging']).selected,
		).toHaveLength(2);
		expect(fieldFrom(question({ type: 'boolean' }), false).value).toBe(false);
		expect(fieldFrom(question({ type: 'number' }), 0).number).toBe('0');
		expect(fieldFrom(question(), 'hello').text).toBe('hello');
		expect(fieldFrom(question({ type: 'approval' }), 'reject').value).toBe('reject');
	});
	test('a suggestion is marked and never filled in', () => {
		const q = question({ type: 'choice', options, suggested: 'prod' });
		expect(draftNew(ask({ questions: [q] }))['q1']?.selected).toEqual([]);
		expect(isSuggested(q, 'prod')).toBe(true);
		expect(isSuggested(q, 'staging')).toBe(false);
	});
});

describe('what will not do says why', () => {
	const flaw = (q: Parameters<typeof question>[0], more: object) => {
		const whole = question(q);
		return fieldFlaw(whole, { ...fieldFrom(whole, null), ...more })?.id ?? null;
	};
	test.each([
		[{ type: 'text' as const }, {}, 'web.form.flaw.text'],
		[{ type: 'text' as const, required: false }, {}, null],
		[{ type: 'text' as const, min: 3 }, { text: 'ab' }, 'web.form.flaw.short'],
		[{ type: 'text' as const, max: 3 }, { text: '😀😀😀' }, null],
		[{ type: 'text' as const, max: 2 }, { text: 'abc' }, 'web.form.flaw.long'],
		[{ type: 'text' as const }, { text: 'x'.repeat(10_001) }, 'web.form.flaw.long'],
		[{ type: 'text' as const, format: 'email' as const }, { text: 'a@b' }, 'web.form.flaw.email'],
		[{ type: 'text' as const, format: 'email' as const }, { text: 'a@b.org' }, null],
		[
			{ type: 'text' as const, format: 'date' as const },
			{ text: '2026-13-01' },
			'web.form.flaw.date',
		],
		[
			{ type: 'text' as const, format: 'date-time' as const },
			{ text: 'now' },
			'web.form.flaw.datetime',
		],
		[{ type: 'text' as const, format: 'uri' as const }, { text: 'nowhere' }, 'web.form.flaw.uri'],
		[{ type: 'number' as const }, { number: '1e' }, 'web.form.flaw.number'],
		[{ type: 'number' as const, min: 1 }, { number: '0' }, 'web.form.flaw.least'],
		[{ type: 'number' as const, max: 9 }, { number: '9.5' }, 'web.form.flaw.most'],
		[{ type: 'boolean' as const }, {}, 'web.form.flaw.boolean'],
		[{ type: 'boolean' as const }, { value: false }, null],
		[{ type: 'choice' as const, options }, {}, 'web.form.flaw.choice'],
		[
			{ type: 'choice' as const, options, other: true },
			{ otherOn: true, other: ' ' },
			'web.form.flaw.other',
		],
		[{ type: 'choices' as const, options, min: 2 }, { selected: ['prod'] }, 'web.form.flaw.few'],
		[
			{ type: 'choices' as const, options, max: 1 },
			{ selected: ['prod', 'staging'] },
			'web.form.flaw.many',
		],
		[
			{ type: 'choice' as const, options, note: { required: true } },
			{ selected: ['prod'] },
			'web.form.flaw.note',
		],
	])('%j with %j', (q, more, expected) => expect(flaw(q, more)).toBe(expected));

	test('the first flawed question is named', () => {
		const two = ask({
			questions: [question({ required: false }), question({ key: 'b', type: 'boolean' })],
		});
		expect(draftFlaw(two, draftNew(two))).toMatchObject({ at: 1 });
	});
});

describe('what is sent', () => {
	test('members that say nothing are left out; options keep their order', () => {
		const q = question({ type: 'choices', options, other: true, note: {} });
		const field = { ...fieldFrom(q, ['prod', 'staging']), other: 'kept', otherOn: false };
		expect(fieldAnswer(q, field)).toEqual({ selected: ['staging', 'prod'] });
		expect(fieldAnswer(q, { ...field, otherOn: true, text: 'n' })).toEqual({
			selected: ['staging', 'prod'],
			other: 'kept',
			text: 'n',
		});
	});
	test('an optional question without an answer is not in it', () => {
		const two = ask({
			questions: [question({ required: false }), question({ key: 'b', type: 'number' })],
		});
		const draft = draftNew(two);
		draft['b']!.number = '7';
		expect(draftAnswer(two, draft)).toEqual({ b: { value: 7 } });
		expect(draftTouched(two, draft)).toBe(true);
	});
});

test('an answer reads by labels', () => {
	const q = question({ type: 'choices', options });
	expect(answerText(q, { selected: ['prod'], other: 'moon', text: 'soon' }, words)).toBe(
		'Production, Other: moon, “soon”',
	);
	const when = question({ type: 'text', format: 'date-time' });
	expect(answerText(when, { text: '2027-02-28T11:30:00Z' }, words)).toBe('at 2027-02-28T11:30:00Z');
	expect(answerText(question({ type: 'boolean' }), { value: false }, words)).toBe('No');
	expect(answerText(question({ type: 'approval' }), { value: 'reject', text: 'no' }, words)).toBe(
		'Rejected, “no”',
	);
});

test('a number is read as people of either language write it', () => {
	expect([numberOf('3.5'), numberOf('3,5'), numberOf(' -2,25 ')]).toEqual([3.5, 3.5, -2.25]);
	expect(numberOf('1,000,000')).toBeNaN();
});
