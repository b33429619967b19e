// judges.mjs - who vouches for mail: Debian's opendkim signs and verifies, opendmarc writes the verdict that Parley reads.
// The keys and policies that they ask DNS for are answered by a name server of the test's own.
import { execFileSync, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../lib/server.mjs';

const SELECTOR = 'sel';
const TXT = 16, NO_SUCH_NAME = 3;

/** The reply to a query: the texts of that name, each string of at most 255 bytes; or that there is none. */
function answer(query, records) {
	const labels = [];
	let at = 12;
	for (; query[at]; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
	const question = query.subarray(12, at + 5), type = query.readUInt16BE(at + 1);
	const name = labels.join('.').toLowerCase(), text = type === TXT ? records.get(name) : undefined;
	const known = [...records.keys()].some((one) => one === name || one.endsWith(`.${name}`));
	const header = Buffer.from(query.subarray(0, 12));
	header.writeUInt16BE(0x8580 | (known ? 0 : NO_SUCH_NAME), 2);
	header.writeUInt16BE(text ? 1 : 0, 6);
	header.fill(0, 8);
	if (!text) return Buffer.concat([header, question]);
	const strings = Buffer.concat(text.match(/.{1,255}/g).map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])));
	const record = Buffer.from([0xc0, 12, 0, TXT, 0, 1, 0, 0, 0, 60, strings.length >> 8, strings.length & 255]);
	return Buffer.concat([header, question, record, strings]);
}

export class Judges {
	/** `domains`: each has a key, and mail of it is to be rejected unless it is vouched for. */
	async open(folder, { host, domains }) {
		this.folder = folder;
		this.at = (...path) => join(folder, ...path);
		this.records = new Map();
		this.children = [];
		await this.names();
		for (const domain of domains) this.key(domain);
		writeFileSync(this.at('resolv.conf'), `nameserver ${this.address}\n`);
		writeFileSync(this.at('unbound.conf'), `server:\n  do-not-query-localhost: no\n  local-zone: "test." nodefault\n`
			+ `forward-zone:\n  name: "."\n  forward-addr: ${this.address}\n`);
		writeFileSync(this.at('signing'), '* key\n'); // whoever it says it is from
		// Mail of this machine is judged like any other.
		writeFileSync(this.at('nobody'), '192.0.2.1\n');
		const common = (name) => `Socket local:${this.at(`${name}.sock`)}\nUMask 000\nSyslog no\n`;
		const dkim = `Background no\nRequireSafeKeys no\n`;
		this.signers = domains.map((domain) => this.start(`sign-${domain}`, 'opendkim', ['-f', '-x'], `${common(`sign-${domain}`)}${dkim}Mode s
InternalHosts 127.0.0.1
KeyTable file:${this.at(`${domain}.keys`)}
SigningTable refile:${this.at('signing')}
`));
		this.verifiers = [this.start('verify', 'opendkim', ['-f', '-x'], `${common('verify')}${dkim}Mode v
AuthservID ${host}
InternalHosts ${this.at('nobody')}
AlwaysAddARHeader yes
ResolverConfiguration ${this.at('unbound.conf')}
`), this.start('dmarc', 'opendmarc', ['-f', '-c'], `${common('dmarc').replace('Syslog no', 'Syslog false')}AuthservID ${host}
TrustedAuthservIDs ${host}
IgnoreHosts ${this.at('nobody')}
SPFIgnoreResults true
RejectFailures false
`)];
		await until(() => {
			const down = this.children.find((child) => child.exitCode !== null);
			if (down) throw new Error(`${down.spawnargs.join(' ')} ended (${down.exitCode}): ${down.said}`);
			return [...this.signers, ...this.verifiers].every((socket) => existsSync(socket.slice('unix:'.length)));
		}, 'the judges');
		return this;
	}

	/** Starts one with a name server of ours, to end with us. → its socket, as Postfix calls it */
	start(name, program, flags, config) {
		writeFileSync(this.at(`${name}.conf`), config);
		const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 'unshare', '--mount', 'sh', '-c',
			'mount --bind "$0" /etc/resolv.conf && exec "$@"', this.at('resolv.conf'), program, ...flags, this.at(`${name}.conf`)],
			{ stdio: ['ignore', 'ignore', 'pipe'] });
		child.said = '';
		child.stderr.on('data', (bytes) => { child.said += bytes; });
		this.children.push(child);
		return `unix:${this.at(`${name}.sock`)}`;
	}

	/** A name server at an address of its own: the port is always 53. */
	async names() {
		const socket = dgram.createSocket('udp4');
		socket.on('message', (query, from) => socket.send(answer(query, this.records), from.port, from.address));
		this.address = `127.${[1, 1, 1].map(() => 1 + Math.floor(Math.random() * 254)).join('.')}`;
		await new Promise((done, failed) => {
			socket.on('error', failed);
			socket.bind(53, this.address, done);
		});
		this.socket = socket;
	}

	key(domain) {
		const path = this.at(`${domain}.pem`);
		execFileSync('openssl', ['genrsa', '-out', path, '2048'], { stdio: 'pipe' });
		const open = execFileSync('openssl', ['rsa', '-in', path, '-pubout'], { stdio: 'pipe', encoding: 'utf8' });
		this.records.set(`${SELECTOR}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${open.replace(/-----[^-]+-----|\s/g, '')}`);
		writeFileSync(this.at(`${domain}.keys`), `key ${domain}:${SELECTOR}:${path}\n`);
		this.records.set(`_dmarc.${domain}`, 'v=DMARC1; p=reject');
	}

	async close() {
		for (const child of this.children) child.kill('SIGTERM');
		await Promise.all(this.children.map((child) => child.exitCode !== null || new Promise((done) => { child.on('exit', done); })));
		this.socket?.close();
	}
}
