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

self.addEventListener('notificationclick', (event) => {
	event.notification.close();
	const path = event.notification.data || '/inbox';
	event.waitUntil(
		self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then(([last]) => {
			if (!last) return self.clients.openWindow(path);
			last.postMessage({ go: path });
			return last.focus();
		}),
	);
});
