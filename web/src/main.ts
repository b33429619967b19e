import './style.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { start } from './state/start';
import { router } from './lib/router.svelte';
import { focusKeep } from './state/focus';
import { keysListen } from './state/keys.svelte';
import { themeApply } from './state/settings.svelte';

const AFTER_MS = 1000;

/* What our policy says of Trusted Types: one address is trusted, the worker's. */
interface Policies {
	createPolicy(
		name: string,
		rules: { createScriptURL(url: string): string },
	): {
		createScriptURL(url: string): string;
	};
}

/* A click on a notification says where to go. Its files are fetched once the page stands. */
function worker(page: Promise<void>): void {
	if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
	const policies = (window as { trustedTypes?: Policies }).trustedTypes;
	const rules = { createScriptURL: (url: string) => (url === '/sw.js' ? url : '') };
	const trusted = policies ? policies.createPolicy('parley', rules) : rules;
	const url = trusted.createScriptURL('/sw.js');
	navigator.serviceWorker.addEventListener('message', (message: MessageEvent<{ go?: string }>) => {
		if (message.data.go) router.go(message.data.go);
	});
	navigator.serviceWorker.startMessages();
	void page
		.then(() => new Promise((done) => setTimeout(done, AFTER_MS)))
		.then(() => navigator.serviceWorker.register(url))
		.catch(() => undefined);
}

themeApply();
keysListen();
focusKeep();
worker(start());
mount(App, { target: document.getElementById('app')! });
