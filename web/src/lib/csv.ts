/* What was settled as CSV, a line each, for whoever audits it. A cell that a spreadsheet would run as a formula begins
 * with an apostrophe. Pure. */
import type { Ask } from '../api/types';
import { jsonWrite } from './json';
import { settledOperation } from './operation';
import { askRisk, askTitle } from './order';
import { outcomeOf } from './words';

const FORMULA = /^[=+\-@\t\r]/;

export function csvCell(text: string): string {
	const harmless = FORMULA.test(text) ? `'${text}` : text;
	return /[",;\r\n\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const decider = (ask: Ask): string => {
	const votes = (ask.votes ?? []).filter((vote) => vote.counts).map((vote) => vote.by.name ?? '?');
	return votes.length > 1 ? votes.join(', ') : (ask.answered_by?.name ?? '');
};

/* As the API calls them: these names are for programs. */
const columns: [name: string, cell: (ask: Ask) => string | number | null | undefined][] = [
	['settled_at', (ask) => ask.settled_at],
	['outcome', outcomeOf],
	['title', askTitle],
	['kind', (ask) => ask.kind],
	['risk', askRisk],
	['operation', (ask) => ask.operation?.name],
	['arguments', (ask) => ask.operation && jsonWrite(settledOperation(ask)?.arguments ?? null)],
	['answer', (ask) => ask.answer && jsonWrite(ask.answer)],
	['reason', (ask) => ask.reason],
	['decided_by', decider],
	['decided_by_kind', (ask) => ask.answered_by?.kind],
	['via', (ask) => ask.answered_by?.via],
	['rule', (ask) => ask.answered_by?.rule],
	['revoked_at', (ask) => ask.revoked?.at],
	['agent', (ask) => ask.agent.name],
	['session', (ask) => ask.session],
	['project', (ask) => ask.project],
	['asked_at', (ask) => ask.created_at],
	['fetched_at', (ask) => ask.fetched_at],
	['used_at', (ask) => ask.used_at],
	['ask', (ask) => ask.id],
	['digest', (ask) => ask.digest],
	['approved_digest', (ask) => ask.approved_digest],
	['event', (ask) => ask.proof?.event],
	['hash', (ask) => ask.proof?.hash],
];

const line = (cells: (string | number | null | undefined)[]) =>
	`${cells.map((one) => csvCell(String(one ?? ''))).join(',')}\r\n`;

export const csvHead = (): string => line(columns.map(([name]) => name));
export const csvLines = (asks: Ask[]): string =>
	asks.map((ask) => line(columns.map(([, cell]) => cell(ask)))).join('');
