// A push service, and the browsers that subscribed there: takes messages, checks who sent them (RFC 8292)
// and decrypts them with another library (RFC 8291).
import assert from 'node:assert/strict';
import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto';
import http from 'node:http';
import { after } from 'node:test';
import ece from 'http_ece';
import { until } from './server.mjs';

/** The claims of "vapid t=…, k=…", once its signature holds. */
export function vapid(line) {
	const [, token, key] = line.match(/^vapid t=([^,]+), k=(\S+)$/);
	const [head, claims, signature] = token.split('.');
	const point = Buffer.from(key, 'base64url');
	assert.equal(point.length, 65);
	const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'),
		y: point.subarray(33).toString('base64url') };
	assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`),
		{ key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
		Buffer.from(signature, 'base64url')), 'the signature is wrong');
	assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url')), { typ: 'JWT', alg: 'ES256' });
	return { key, ...JSON.parse(Buffer.from(claims, 'base64url')) };
}

export class Browser {
	constructor(service, name) {
		this.keys = createECDH('prime256v1');
		this.keys.generateKeys();
		this.auth = randomBytes(16);
		this.path = `/push/${name}`;
		this.service = service;
		this.got = [];
		this.status = 201;
		this.subscription = { endpoint: `${service.url}${this.path}`, expirationTime: null,
			keys: { p256dh: this.keys.getPublicKey('base64url'), auth: this.auth.toString('base64url') } };
	}

	take(headers, body) {
		const text = ece.decrypt(body, { version: 'aes128gcm', privateKey: this.keys, authSecret: this.auth });
		this.got.push({ at: Date.now(), headers, size: body.length, vapid: vapid(headers.authorization), ...JSON.parse(text) });
	}

	async some(n = 1) {
		await until(() => this.got.length >= n, `push ${n}`);
		return this.got[n - 1];
	}
}

export class PushService {
	browsers = new Map();

	open() {
		this.http = http.createServer((request, response) => {
			const parts = [];
			request.on('data', (part) => parts.push(part));
			request.on('end', () => {
				const browser = this.browsers.get(request.url);
				if (browser && browser.status < 300) browser.take(request.headers, Buffer.concat(parts));
				response.writeHead(browser?.status ?? 404, browser?.headers ?? {}).end();
			});
		});
		after(() => {
			this.http.closeAllConnections();
			this.http.close();
		});
		return new Promise((resolve) => {
			this.http.listen(0, '127.0.0.1', () => {
				this.url = `http://127.0.0.1:${this.http.address().port}`;
				resolve(this);
			});
		});
	}

	browser(name) {
		const browser = new Browser(this, name);
		this.browsers.set(browser.path, browser);
		return browser;
	}
}
