/* The APIs that a provider can speak, to be picked from. */
import { t } from '../../lib/i18n.svelte';

const kinds = ['anthropic', 'openai', 'openai_responses', 'gemini'] as const;
export type ProviderKind = (typeof kinds)[number];

export const providerKinds = () =>
	kinds.map((value) => ({ value, name: t(`web.provider.kind.${value}`) }));
