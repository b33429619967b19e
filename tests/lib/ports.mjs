// ports.mjs - ports that stay free while a server is down.
import net from 'node:net';

// Below the range from which the system serves `bind(0)` and outgoing connections (32768 and up):
// nothing else takes such a port between two lives of a server.
const FIRST = 10_000, COUNT = 22_000;

const isFree = (port) => new Promise((resolve) => {
	const probe = net.createServer();
	probe.once('error', () => resolve(false));
	probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
});

/** A free port of 127.0.0.1 that can be listened on again and again. */
export async function stablePort() {
	for (;;) {
		const port = FIRST + Math.floor(Math.random() * COUNT);
		if (await isFree(port)) return port;
	}
}
