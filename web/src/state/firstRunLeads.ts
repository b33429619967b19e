/* Does the inbox lead to the first run? Where it began and is not done, or where nothing was ever asked; once a document,
 * so that its person can leave it, and not where an agent waited: who settled the last ask stays where they are. */
import { asks } from './asks.svelte';
import { login } from './login.svelte';

let led = false;
/** Its person is there. */
export const firstRunSeen = () => (led = true);

export function firstRunLeads(): boolean {
	const start = login.me?.start;
	if (led || !login.me || start?.done_at || asks.ever === null) return false;
	if (asks.ever && !start) return false;
	firstRunSeen();
	return !asks.pending.some((ask) => ask.id !== start?.test);
}
