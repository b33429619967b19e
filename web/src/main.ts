import './style.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { desk } from './state/desk.svelte';
import { router } from './lib/router.svelte';
import { keysListen } from './state/keys.svelte';
import { themeApply } from './state/settings.svelte';

/* What our policy says of Trusted Types: one address is trusted, the worker's. */
interface Policies {
	createPolicy(
		name: string,
		rules: { createScriptURL(url: string): string },
	): {
		createScriptURL(url: string): string;
	};
}

function worker(): void {
	if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
	const policies = (window as { trustedTypes?: Policies }).trustedTypes;
	const rules = { createScriptURL: (url: string) => (url === '/sw.js' ? url : '') };
	const trusted = policies ? policies.createPolicy('parley', rules) : rules;
	void navigator.serviceWorker.register(trusted.createScriptURL('/sw.js')).catch(() => undefined);
	navigator.serviceWorker.addEventListener('message', (message: MessageEvent<{ go?: string }>) => {
		if (message.data.go) router.go(message.data.go);
	});
}

themeApply();
keysListen();
worker();
void desk.start().then(() => mount(App, { target: document.getElementById('app')! }));
