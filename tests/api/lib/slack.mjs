// Slack as a program of ours sees it: the Web API with its replies and errors, and people who press buttons,
// fill in forms and write in threads, as Slack signs and sends it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { after } from 'node:test';
import { until } from './server.mjs';

/** Control bytes, and what turns the direction of text or hides. */
// eslint-disable-next-line no-control-regex
export const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/;

export const TEAM = 'T0TEAM', TOKEN = 'xoxb-test', SECRET = 'shhh';

/** Arguments of a method: JSON, or a form whose values are JSON where they are no text. */
function bodyOf(text) {
	if (text.startsWith('{')) return JSON.parse(text);
	const value = (one) => (/^[[{]|^(true|false)$/.test(one) ? JSON.parse(one) : one);
	return Object.fromEntries([...new URLSearchParams(text)].map(([name, one]) => [name, value(one)]));
}

export class Slack {
	messages = []; // {channel, ts, thread, text, blocks, edits}
	lines = []; // ephemeral, by response_url
	views = [];
	calls = [];
	broken = {}; // method → a reply in place of ours: {status, headers, body}
	tokens = {}; // method → the token it wants, when that is not the bot's
	people = {}; // e-mail address → member id
	stamp = 1700000000;
	slowness = () => 0; // ms until a reply

	/** `tls`: {cert, key} */
	open(tls) {
		this.http = (tls ? https : http).createServer(tls ?? {}, (request, response) => {
			let text = '';
			request.on('data', (part) => (text += part));
			request.on('end', () => {
				const reply = this.answer(request, bodyOf(text));
				const end = () => {
					response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
					response.end(JSON.stringify(reply.body ?? reply));
				};
				if (this.slowness()) setTimeout(end, this.slowness());
				else end();
			});
		});
		after(() => {
			this.http.closeAllConnections();
			this.http.close();
		});
		return new Promise((resolve) => {
			this.http.listen(0, '127.0.0.1', () => {
				this.origin = `${tls ? 'https' : 'http'}://127.0.0.1:${this.http.address().port}`;
				this.api = `${this.origin}/api/`;
				resolve(this);
			});
		});
	}

	answer(request, body) {
		if (request.url.startsWith('/hooks/')) {
			// The address is the right; a token has no business here.
			if (request.headers.authorization) return { ok: false, error: 'invalid_auth' };
			this.lines.push(body);
			return { ok: true };
		}
		const method = request.url.replace('/api/', '');
		this.calls.push({ method, body, at: Date.now() });
		if (request.headers.authorization !== `Bearer ${this.tokens[method] ?? TOKEN}`) return { ok: false, error: 'invalid_auth' };
		if (this.broken[method]) return this.broken[method];
		return this[method](body, request.headers['content-type']);
	}

	'auth.test'() { return { ok: true, team_id: TEAM, user_id: 'UBOT', bot_id: 'BBOT' }; }

	'chat.postMessage'(body) {
		const channel = body.channel.startsWith('U') ? `D${body.channel.slice(1)}` : body.channel;
		const ts = `${this.stamp++}.000100`;
		this.messages.push({ blocks: [], ...body, channel, to: body.channel, ts, edits: [], at: Date.now() });
		return { ok: true, channel, ts, message: { text: body.text } };
	}

	'chat.postEphemeral'() { return { ok: true, message_ts: `${this.stamp++}.000100` }; }

	'chat.update'(body) {
		const message = this.messages.find((m) => m.channel === body.channel && m.ts === body.ts);
		if (!message) return { ok: false, error: 'message_not_found' };
		message.edits.push({ ...body, at: Date.now() });
		message.blocks = body.blocks;
		return { ok: true, channel: body.channel, ts: body.ts };
	}

	'views.open'(body) {
		if (body.trigger_id === 'late') return { ok: false, error: 'expired_trigger_id' };
		this.views.push(body.view);
		return { ok: true, view: { id: `V${this.views.length}` } };
	}

	/** It takes a form, not JSON; people who left are not found. */
	'users.lookupByEmail'({ email }, type) {
		if (type !== 'application/x-www-form-urlencoded' || !email) return { ok: false, error: 'invalid_arguments' };
		const id = this.people[email];
		if (!id) return { ok: false, error: 'users_not_found' };
		const name = email.split('@')[0];
		return { ok: true, user: { id, team_id: TEAM, name, deleted: false, real_name: `${name} Smith`, is_bot: false,
			profile: { real_name: `${name} Smith`, display_name: name, email, team: TEAM } } };
	}

	/* ---- people ---- */

	buttons(message) {
		return message.blocks.filter((b) => b.type === 'actions').flatMap((b) => b.elements);
	}

	async message(n) {
		await until(() => this.messages.length >= n, `message ${n}`);
		return this.messages[n - 1];
	}

	/** As Slack sends it by HTTP; → {status, body} */
	/** `signed`, `signedAt`: what the signature was made for, when that is another body or time. */
	async send(server, body, { type = 'application/json', secret = SECRET, at = Date.now() / 1000, signed = body, signedAt = at } = {}) {
		const stamp = Math.floor(at);
		const signature = `v0=${createHmac('sha256', secret).update(`v0:${Math.floor(signedAt)}:${signed}`).digest('hex')}`;
		const reply = await fetch(`${server.url}/v1/in/slack`, { method: 'POST', body,
			headers: { 'content-type': type, 'x-slack-request-timestamp': String(stamp), 'x-slack-signature': signature } });
		const text = await reply.text();
		return { status: reply.status, body: text ? JSON.parse(text) : null };
	}

	/** To a server by HTTP, or over the sockets of slack_socket.mjs. */
	payload(server, payload, how) {
		if (server.call && server.links) return server.call('interactive', payload, how);
		return this.send(server, `payload=${encodeURIComponent(JSON.stringify(payload))}`,
			{ type: 'application/x-www-form-urlencoded', ...how });
	}

	press(server, user, message, action, { team = TEAM, stamp, trigger = 'now', value, ...how } = {}) {
		const button = this.buttons(message).find((b) => b.action_id === action) ?? { action_id: action, type: 'button' };
		return this.payload(server, { type: 'block_actions', team: { id: team }, user: { id: user, team_id: team },
			api_app_id: 'A1', trigger_id: trigger, response_url: `${this.origin}/hooks/1`,
			container: { type: 'message', message_ts: message.ts, channel_id: message.channel },
			channel: { id: message.channel }, message: { ts: message.ts },
			actions: [{ type: 'button', action_id: action, block_id: 'b', value: value ?? button.value,
				action_ts: stamp ?? `${this.stamp++}.5` }] }, how);
	}

	submit(server, user, view, values, { hash = `h${this.stamp++}`, ...how } = {}) {
		const state = { values: Object.fromEntries(Object.entries(values).map(([id, v]) => [id, { v }])) };
		return this.payload(server, { type: 'view_submission', team: { id: TEAM }, user: { id: user, team_id: TEAM },
			view: { id: 'V1', hash, private_metadata: view.private_metadata, callback_id: '', state } }, how);
	}

	say(server, user, message, text, more = {}) {
		const payload = { type: 'event_callback', team_id: TEAM, event_id: 'Ev1',
			event: { type: 'message', channel: message.channel, user, text, ts: `${this.stamp++}.9`,
				thread_ts: message.ts, ...more } };
		return server.links ? server.call('events_api', payload) : this.send(server, JSON.stringify(payload));
	}

	async line(n) {
		await until(() => this.lines.length >= n, `line ${n}`);
		const line = this.lines[n - 1];
		assert.equal(line.response_type, 'ephemeral');
		return line.text;
	}

	/** Everything that was sent is literal text within Slack's bounds. */
	assertHarmless() {
		const texts = (value, found = []) => {
			if (Array.isArray(value)) value.forEach((one) => texts(one, found));
			else if (value && typeof value === 'object') {
				assert.notEqual(value.type, 'mrkdwn');
				if (typeof value.text === 'string') found.push(value.text);
				if (value.type === 'plain_text') assert.equal(value.emoji, false);
				if (value.type === 'button') {
					assert.ok([...value.text.text].length <= 75);
					assert.ok((value.value ?? '').length <= 2000);
				}
				Object.values(value).forEach((one) => texts(one, found));
			}
			return found;
		};
		for (const { text, blocks } of [...this.messages, ...this.messages.flatMap((m) => m.edits)]) {
			assert.doesNotMatch(text, /[<>]/);
			assert.ok(blocks.length <= 50);
			const all = texts(blocks);
			assert.ok(all.join('').length <= 12000, `${all.join('').length}`);
			for (const one of all) assert.doesNotMatch(one, HARMFUL);
			const ids = blocks.flatMap((b) => b.elements ?? []).map((e) => e.action_id).filter(Boolean);
			assert.equal(new Set(ids).size, ids.length);
		}
		for (const view of this.views) {
			texts(view);
			assert.ok(view.blocks.length <= 100 && view.private_metadata.length <= 3000);
		}
	}
}
