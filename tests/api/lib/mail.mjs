// A mail server that keeps what it gets, read by a parser that others wrote; and its faults.
import { after } from 'node:test';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { until } from './server.mjs';

const failure = (text) => Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) });

export class Post {
	/** fault: (address, n) => '550 5.1.1 …', 'hang', 'cut' or nothing; users: {name: password}; more: options of
	 * the server. */
	constructor({ fault = () => undefined, users, ...more } = {}) {
		this.got = [];
		this.tries = 0;
		this.fault = fault;
		this.smtp = new SMTPServer({ disabledCommands: users ? ['STARTTLS'] : ['STARTTLS', 'AUTH'], allowInsecureAuth: true,
			disableReverseLookup: true, logger: false,
			onAuth: ({ username, password }, session, done) => (users?.[username] === password
				? done(null, { user: username }) : done(failure('535 5.7.8 wrong password'))),
			onRcptTo: ({ address }, session, done) => {
				const wrong = this.fault(address, this.tries += 1);
				if (wrong === 'hang') return;
				if (wrong && wrong !== 'cut') done(failure(wrong));
				else { session.cut = wrong === 'cut'; done(); }
			},
			onData: (stream, session, done) => {
				const parts = [];
				if (session.cut) { this.drop(); return; }
				stream.on('data', (part) => parts.push(part));
				stream.on('end', async () => {
					const raw = Buffer.concat(parts);
					const mail = await simpleParser(raw, { skipImageLinks: true });
					this.got.push({ at: Date.now(), raw: raw.toString('latin1'), mail, envelope: session.envelope, session,
						to: session.envelope.rcptTo[0].address, subject: mail.subject });
					done();
				});
			}, ...more });
		this.smtp.on('error', () => undefined);
		after(() => this.close());
	}

	open() {
		return new Promise((resolve) => {
			this.smtp.listen(0, '127.0.0.1', () => {
				this.port = this.smtp.server.address().port;
				this.url = `smtp://127.0.0.1:${this.port}`;
				resolve(this);
			});
		});
	}

	drop() {
		for (const connection of this.smtp.connections) connection._socket.destroy();
	}

	/** The first mail that came to this address and fits, taken away. */
	async take(to, fits = () => true) {
		let found = -1;
		await until(() => (found = this.got.findIndex((g) => g.to === to && fits(g))) >= 0, `mail to ${to}`);
		return this.got.splice(found, 1)[0];
	}

	close() {
		this.drop();
		this.smtp.close(() => undefined);
	}
}

export const header = (mail, name) => mail.headerLines.filter((h) => h.key === name)
	.map((h) => h.line.slice(name.length + 1).trim());
/** The code of a mail that has one. */
export const codeOf = ({ mail }) => /: ([a-z]{8})$/m.exec(mail.text)[1];
export const isCode = ({ subject }) => subject === 'Your Parley code';
