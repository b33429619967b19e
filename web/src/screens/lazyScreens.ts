/* The screens beside the inbox: fetched when one of them is first opened. */
export { default as Activity } from './Activity.svelte';
export { default as Agents } from './Agents.svelte';
export { default as History } from './History.svelte';
export { default as Insights } from './Insights.svelte';
export { default as Rules } from './Rules.svelte';
export { default as Session } from './SessionBeside.svelte';
export { default as Sessions } from './Sessions.svelte';
export { default as Settings } from './Settings.svelte';
export { default as Start } from './Start.svelte';
