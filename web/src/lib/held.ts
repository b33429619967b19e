/* Calls of an MCP server's tool that an agent made through Parley. Pure. */
import type { Ask } from '../api/types';
import { t } from './i18n.svelte';
import { moment } from './time';
import { visible } from './visible';

export interface Held {
	agent: string;
	server: string;
	tool: string;
}

/** Who calls which tool of which server; null: it is no such call. */
export function heldCall({ call, context, operation, agent }: Ask): Held | null {
	const { server, tool } = (context ?? {}) as Record<string, unknown>;
	if (!call || typeof server !== 'string' || typeof tool !== 'string') return null;
	return operation?.name === `mcp__${server}__${tool}`
		? { agent: visible(agent.name), server, tool }
		: null;
}

/** It was approved and has not run: its agent has to call again. Empty otherwise. */
export function waitsWords(ask: Ask): string {
	const held = ask.used_at || ask.revoked || ask.kind !== 'approval' ? null : heldCall(ask);
	const said = Object.values(ask.answer ?? {});
	return held && said.some((one) => one.value === 'approve')
		? t('web.held.waits', { agent: held.agent })
		: '';
}

/** A call that was cut short; empty: it is something else. */
export function unknownWords({ kind, context, call, run }: Ask): string {
	const { started } = (context ?? {}) as Record<string, unknown>;
	return kind === 'error_recovery' && (call || run) && typeof started === 'string'
		? t('web.held.unknown', { at: moment(started) })
		: '';
}

/** The agent's own words: what Parley says of a call that was cut short is not. */
export const agentsText = (ask: Ask): string =>
	unknownWords(ask) ? '' : (ask.context?.text ?? '');
