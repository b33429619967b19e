/* JSON that somebody wrote into a field; what is none is told like what the server refuses. */
import { Refused } from '../../api/client';
import { t } from '../../lib/i18n.svelte';
import { jsonRead } from '../../lib/json';

export function given(text: string): unknown {
	try {
		return jsonRead(text);
	} catch {
		throw new Refused(422, { detail: t('web.tool.schema.bad') });
	}
}
