/* All files share one environment: each begins with nothing kept in it. */
import { afterAll } from 'vitest';

afterAll(() => {
	localStorage.clear();
	document.body.innerHTML = '';
});
