/* What an ask shows beside its form: where it came from, that it was talked about or settled,
 * and all of it on paper. */
export { default as Copy } from '../common/Copy.svelte';
export { default as Origin } from './Origin.svelte';
export { default as Proof } from './Proof.svelte';
export { default as Questions } from './Questions.svelte';
export { default as SettledCard } from './SettledCard.svelte';
export { default as Thread } from './Thread.svelte';
export { default as Trail } from './Trail.svelte';
