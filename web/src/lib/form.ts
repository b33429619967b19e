/* The one answer form, without its looks: what was filled in, whether it will do, and what is
 * sent. Rules are the server's; here they only speak earlier. */
import type { Answer, AnswerValue, Ask, Question } from '../api/types';
import type { MessageId } from './i18n.svelte';
import { hasOptions, inputOf, type Input } from './input';
import { numberRead } from './json';
import { codePoints } from './visible';

export const TEXT_MAX = 10_000;

/** What a person filled in for one question. Other's text is kept when another is chosen. */
export interface Field {
	selected: string[];
	other: string;
	otherOn: boolean;
	text: string;
	number: string;
	value: boolean | 'approve' | 'reject' | null;
}

export type Draft = Record<string, Field>;

export interface Flaw {
	id: MessageId;
	params?: Record<string, string | number>;
}

const fieldEmpty = (): Field => ({
	selected: [],
	other: '',
	otherOn: false,
	text: '',
	number: '',
	value: null,
});

function optionId(q: Question, said: string): string | null {
	const options = q.options ?? [];
	const found =
		options.find((option) => option.id === said) ?? options.find((o) => o.label === said);
	return found?.id ?? null;
}

function pick(q: Question, field: Field, said: string): void {
	const id = optionId(q, said);
	if (id !== null) field.selected.push(id);
	else if (q.other) {
		field.other = said;
		field.otherOn = true;
	}
}

/** A field from an answer in its full form or any of its shorthands. */
export function fieldFrom(q: Question, said: unknown): Field {
	const field = fieldEmpty();
	if (said === null || said === undefined) return field;
	if (Array.isArray(said)) {
		if (hasOptions(q)) for (const one of said) pick(q, field, String(one));
		return field;
	}
	if (typeof said === 'object') {
		const full = said as AnswerValue;
		for (const id of full.selected ?? []) pick(q, field, id);
		if (full.other !== undefined) {
			field.other = full.other;
			field.otherOn = true;
		}
		field.text = full.text ?? '';
		if (full.value !== undefined)
			Object.assign(field, fieldFrom(q, full.value), { text: field.text });
		return field;
	}
	if (hasOptions(q)) pick(q, field, String(said));
	else if (inputOf(q) === 'number') field.number = String(said);
	else if (inputOf(q) === 'text') field.text = String(said);
	else if (inputOf(q) === 'yesNo' && typeof said === 'boolean') field.value = said;
	else if (inputOf(q) === 'decision' && (said === 'approve' || said === 'reject'))
		field.value = said;
	return field;
}

export function draftNew(ask: Ask): Draft {
	return Object.fromEntries(ask.questions.map((q) => [q.key, fieldFrom(q, q.prefill)]));
}

/** Options that the agent suggests; for a yes/no, a decision, text or number see `suggestion`. */
export function isSuggested(q: Question, id: string | boolean): boolean {
	const said = fieldFrom(q, q.suggested);
	return typeof id === 'string' && hasOptions(q) ? said.selected.includes(id) : said.value === id;
}

export function suggestion(q: Question): string {
	const said = fieldFrom(q, q.suggested);
	return inputOf(q) === 'text' ? said.text : inputOf(q) === 'number' ? said.number : '';
}

const SHORT = { questions: 3, text: 120, options: 5 };
/** A line is enough for it. */
const isShort = (q: Question) =>
	!q.note &&
	(inputOf(q) !== 'text' || Boolean(q.format) || (q.max ?? Infinity) <= SHORT.text) &&
	(q.options ?? []).length <= SHORT.options &&
	!q.options?.some((option) => option.preview || option.description);

/** From three short questions on they stand on one page. */
export const isOnePage = (ask: Ask): boolean =>
	ask.questions.length >= SHORT.questions && ask.questions.every(isShort);

/* ---- will it do? ---- */

const formats: Record<string, (text: string) => boolean> = {
	email: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
	uri: (text) => URL.canParse(text),
	date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
	'date-time': (text) => /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)),
};

function textFlaw(q: Question, text: string): Flaw | null {
	const n = codePoints(text);
	if (q.min !== undefined && n < q.min)
		return { id: 'web.form.flaw.short', params: { min: q.min, n } };
	if (n > Math.min(q.max ?? TEXT_MAX, TEXT_MAX))
		return { id: 'web.form.flaw.long', params: { max: Math.min(q.max ?? TEXT_MAX, TEXT_MAX), n } };
	if (q.format && !formats[q.format]?.(text))
		return { id: `web.form.flaw.${q.format === 'date-time' ? 'datetime' : q.format}` };
	return null;
}

/** As people write it: 3.5 or 3,5; a long integer keeps all its digits. */
export const numberOf = (said: string): number | bigint => {
	const text = said.trim().replace(/^(-?\d+),(\d+)$/, '$1.$2');
	return text === '' ? NaN : numberRead(text);
};

function numberFlaw(q: Question, said: string): Flaw | null {
	const number = numberOf(said);
	if (typeof number === 'number' && !Number.isFinite(number)) return { id: 'web.form.flaw.number' };
	if (q.min !== undefined && number < q.min)
		return { id: 'web.form.flaw.least', params: { min: q.min } };
	if (q.max !== undefined && number > q.max)
		return { id: 'web.form.flaw.most', params: { max: q.max } };
	return null;
}

function choicesFlaw(q: Question, n: number): Flaw | null {
	if (inputOf(q) !== 'many') return null;
	if (q.min !== undefined && n < q.min)
		return { id: 'web.form.flaw.few', params: { min: q.min, n } };
	if (q.max !== undefined && n > q.max)
		return { id: 'web.form.flaw.many', params: { max: q.max, n } };
	return null;
}

/** Number of things chosen, Other among them once it says something. */
export function chosen(field: Field): number {
	return field.selected.length + (field.otherOn && field.other.trim() ? 1 : 0);
}

export function isEmpty(q: Question, field: Field): boolean {
	switch (inputOf(q)) {
		case 'text':
			return field.text.trim() === '';
		case 'number':
			return field.number.trim() === '';
		case 'yesNo':
		case 'decision':
			return field.value === null;
		default:
			return chosen(field) === 0;
	}
}

const missing: Record<Input, MessageId> = {
	text: 'web.form.flaw.text',
	number: 'web.form.flaw.number',
	yesNo: 'web.form.flaw.boolean',
	decision: 'web.form.flaw.approval',
	one: 'web.form.flaw.choice',
	many: 'web.form.flaw.choices',
};

export function fieldFlaw(q: Question, field: Field): Flaw | null {
	if (field.otherOn && hasOptions(q) && !field.other.trim()) return { id: 'web.form.flaw.other' };
	if (field.otherOn && codePoints(field.other) > TEXT_MAX)
		return { id: 'web.form.flaw.long', params: { max: TEXT_MAX, n: codePoints(field.other) } };
	if (isEmpty(q, field)) {
		if (q.required) return { id: missing[inputOf(q)] };
	} else {
		const flaw =
			inputOf(q) === 'text'
				? textFlaw(q, field.text.trim())
				: inputOf(q) === 'number'
					? numberFlaw(q, field.number)
					: choicesFlaw(q, chosen(field));
		if (flaw) return flaw;
	}
	if (inputOf(q) === 'text' || !q.note) return null;
	if (q.note.required && !field.text.trim()) return { id: 'web.form.flaw.note' };
	if (codePoints(field.text) > TEXT_MAX)
		return { id: 'web.form.flaw.long', params: { max: TEXT_MAX, n: codePoints(field.text) } };
	return null;
}

/** The first flaw and its question's place; null: it can be sent. */
export function draftFlaw(ask: Ask, draft: Draft): { at: number; flaw: Flaw } | null {
	for (const [at, q] of ask.questions.entries()) {
		const flaw = fieldFlaw(q, draft[q.key] ?? fieldEmpty());
		if (flaw) return { at, flaw };
	}
	return null;
}

/* ---- what is sent ---- */

export function fieldAnswer(q: Question, field: Field): AnswerValue | null {
	const note =
		inputOf(q) !== 'text' && q.note && field.text.trim() ? { text: field.text.trim() } : {};
	if (isEmpty(q, field)) return Object.keys(note).length ? note : null;
	switch (inputOf(q)) {
		case 'text':
			return { text: field.text.trim() };
		case 'number':
			return { value: numberOf(field.number) as number, ...note };
		case 'yesNo':
		case 'decision':
			return { value: field.value!, ...note };
		default: {
			const other = field.otherOn && field.other.trim() ? { other: field.other.trim() } : {};
			const order = (q.options ?? []).map((option) => option.id);
			const selected = order.filter((id) => field.selected.includes(id));
			return { ...(selected.length ? { selected } : {}), ...other, ...note };
		}
	}
}

export function draftAnswer(ask: Ask, draft: Draft): Answer {
	const out = Object.create(null) as Answer;
	for (const q of ask.questions) {
		const said = fieldAnswer(q, draft[q.key] ?? fieldEmpty());
		if (said) out[q.key] = said;
	}
	return out;
}

/** Was anything put in beyond what the agent filled in already? */
export function draftTouched(ask: Ask, draft: Draft): boolean {
	return JSON.stringify(draft) !== JSON.stringify(draftNew(ask));
}
