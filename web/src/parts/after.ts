/* What an ask shows once it was talked about or settled: fetched when that is. */
export { default as SettledCard } from './SettledCard.svelte';
export { default as Thread } from './Thread.svelte';
