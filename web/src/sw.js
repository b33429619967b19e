/* The page's shell for when there is no network. What the API says is never kept here: the page
 * itself keeps the inbox and the answers that wait. */
const files = ['FILES'];
const shell = `parley-${files.join('|').length}-${hash(files.join('|'))}`;

function hash(text) {
	let h = 5381;
	for (let i = 0; i < text.length; i++) h = ((h * 33) ^ text.charCodeAt(i)) >>> 0;
	return h.toString(36);
}

self.addEventListener('install', (event) => {
	event.waitUntil(
		caches
			.open(shell)
			.then((cache) => cache.addAll(['/inbox', '/icon.svg', ...files]))
			.then(() => self.skipWaiting()),
	);
});

self.addEventListener('activate', (event) => {
	event.waitUntil(
		caches
			.keys()
			.then((names) => Promise.all(names.filter((n) => n !== shell).map((n) => caches.delete(n))))
			.then(() => self.clients.claim()),
	);
});

self.addEventListener('fetch', (event) => {
	const { request } = event;
	const url = new URL(request.url);
	if (request.method !== 'GET' || url.origin !== location.origin) return;
	if (request.mode === 'navigate')
		event.respondWith(fetch(request).catch(() => caches.match('/inbox')));
	else if (url.pathname.startsWith('/assets/') || url.pathname === '/icon.svg')
		event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
});

/* What the browser shows of the server, but not this page. */
const bare = /^\/(v1|mcp|metrics|healthz|readyz|openapi\.json)(\/|$)/;

/* In the window one is at, else one in sight, else the one used last, which is the first; none is
 * open: in a new one. */
async function show(path) {
	const all = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
	const ours = all.filter((client) => !bare.test(new URL(client.url).pathname));
	const seen = ours.find((client) => client.visibilityState === 'visible');
	const best = ours.find((client) => client.focused) ?? seen ?? ours[0];
	if (!best) return self.clients.openWindow(path);
	best.postMessage({ go: path });
	return best.focus();
}

/* ---- push messages: what the server sends says all that is shown ---- */

const SETTLED_MS = 5000;
const icon = '/icon.svg';

/* What cannot be read is shown, too: a browser that shows nothing loses its permission. */
function saidOf(data) {
	try {
		return data.json();
	} catch {
		return { tag: 'parley', title: 'Parley', body: '', path: '/inbox' };
	}
}

async function pushed(said) {
	const { tag, title, body, lang, settled = false, actions = [] } = said;
	await self.registration.showNotification(title, {
		body,
		tag,
		lang,
		icon,
		data: said,
		silent: settled,
		renotify: !settled,
		actions: actions.map((one, i) => ({ action: String(i), title: one.title })),
	});
	if (!settled) return;
	await new Promise((done) => setTimeout(done, SETTLED_MS));
	for (const note of await self.registration.getNotifications({ tag }))
		if (note.data?.settled) note.close();
}

self.addEventListener('push', (event) => event.waitUntil(pushed(saidOf(event.data))));

/* A button answers with the login's cookie. What was not taken is said, and a click leads there. */
async function press(said, i) {
	const reply = await fetch(`/v1${said.path}/answer`, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'parley-via': 'push',
			'parley-digest': said.digest,
			'idempotency-key': `push-${said.tag}-${i}`,
		},
		body: JSON.stringify({ answer: said.actions[i].answer }),
	}).catch(() => null);
	if (reply?.ok) return;
	const problem = await reply?.json().catch(() => null);
	await self.registration.showNotification(said.title, {
		body: problem?.type === '/problems/conflict' ? said.ended : said.refused,
		tag: said.tag,
		lang: said.lang,
		icon,
		data: said.path,
	});
}

self.addEventListener('notificationclick', (event) => {
	const { notification, action } = event;
	const { data } = notification;
	notification.close();
	if (action) event.waitUntil(press(data, Number(action)));
	else event.waitUntil(show(data?.path ?? (data || '/inbox')));
});
