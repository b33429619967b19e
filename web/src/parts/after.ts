/* What an ask shows beside its form: once it was talked about or settled, and on paper. Fetched
 * when an ask is looked at. */
export { default as Questions } from './Questions.svelte';
export { default as SettledCard } from './SettledCard.svelte';
export { default as Thread } from './Thread.svelte';
