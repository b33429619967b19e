/* The one place that talks to the server: a request, its reply, and what can go wrong. */
import { unbroken } from '../lib/french';
import { language } from '../lib/i18n.svelte';
import { jsonRead, jsonWrite } from '../lib/json';
import { serverTimeLearn } from '../lib/serverTime';
import type { Problem } from './types';

/* The server's details are parts of sentences, in the language that was asked for. */
export const sentence = (text: string) =>
	text.charAt(0).toLocaleUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.');

/* Of a body all that is wrong, each once; the detail is the first of it. */
function wordsOf(status: number, problem: Partial<Problem>): string {
	const first = problem.detail ?? problem.title ?? String(status);
	const all = new Set([first, ...(problem.errors ?? []).map((one) => one.detail)]);
	const said = [...all].map(sentence).join(' ');
	return language() === 'fr' ? unbroken(said) : said;
}

/** The server said no. A conflict carries the ask as its winner left it. */
export class Refused extends Error {
	constructor(
		readonly status: number,
		readonly problem: Partial<Problem>,
	) {
		super(wordsOf(status, problem));
	}
}

/** Nobody answered, or only to say "later": whether the server has it is not known, a repeat with its key is safe. */
export class Unreachable extends Error {}

/** A proxy without its server, or a server that can take nothing just now. Any other problem that comes with 503,
 * such as a channel that is not set up, is the server's answer: asking again will not help. */
function isPassing(status: number, { type }: Partial<Problem>): boolean {
	if (status === 503 && type) return /\/(unavailable|outcome-unknown)$/.test(type);
	return status >= 502 && status <= 504;
}

export type Query = Record<string, string | number | null | undefined>;

function address(path: string, query: Query): string {
	const filled = Object.entries(query).filter(([, value]) => value != null && value !== '');
	if (!filled.length) return path;
	return `${path}?${new URLSearchParams(filled.map(([k, v]) => [k, String(v)]))}`;
}

/** What the server has the browser fetch along with the page (src/serve/page.c). Whoever asks for it first,
 * without headers of their own, gets that reply; asked for in any other way it is fetched again. */
const ahead = new Set(['/v1/me', '/v1/asks?limit=50&order=attention&snoozed=all']);

export async function call<T>(
	method: string,
	path: string,
	body?: unknown,
	key?: string,
): Promise<T> {
	const early = method === 'GET' && ahead.delete(path);
	const headers: Record<string, string> = early
		? {}
		: { Accept: 'application/json', 'Accept-Language': language() };
	if (body !== undefined) headers['Content-Type'] = 'application/json';
	if (key) headers['Idempotency-Key'] = key;
	let reply: Response;
	const sent = early ? performance.timeOrigin : Date.now();
	try {
		reply = await fetch(path, {
			method,
			headers,
			body: body === undefined ? null : jsonWrite(body),
		});
	} catch (cause) {
		throw new Unreachable(path, { cause });
	}
	serverTimeLearn(reply.headers.get('date'), sent, Date.now());
	let json: unknown = null;
	try {
		const text = await reply.text();
		json = text ? jsonRead(text) : null;
	} catch (cause) {
		throw new Unreachable(path, { cause });
	}
	if (reply.ok) return json as T;
	const problem = (json ?? {}) as Partial<Problem>;
	if (isPassing(reply.status, problem)) throw new Unreachable(path);
	throw new Refused(reply.status, problem);
}

export const get = <T>(path: string, query: Query = {}) => call<T>('GET', address(path, query));
export const post = <T>(path: string, body: unknown, key: string = newKey()) =>
	call<T>('POST', path, body, key);

/** A key of our own: randomUUID wants a secure context, this does not. */
export function newKey(): string {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
		byte.toString(16).padStart(2, '0'),
	).join('');
}
