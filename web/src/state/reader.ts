/* Who reads, for words that say "you". */
import type { Reader } from '../lib/sessionWords';
import { login } from './login.svelte';

export const reader: Reader = {
	get mine() {
		return login.assignable;
	},
	get canAnswer() {
		return login.canAnswer;
	},
	name: (id) => login.userName(id),
};
