// post_office.mjs - Debian's Postfix and Dovecot with a folder of their own and high ports: SMTP with STARTTLS and AUTH,
// plus-addresses, LMTP, IMAPS, and a certificate of an authority that was made for them.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { stablePort } from '../lib/ports.mjs';
import { until } from '../lib/server.mjs';
import { Judges } from './judges.mjs';

export const HOST = 'mail.localhost', DOMAIN = 'example.test', PASSWORD = 'sesame';
const NOBODY = 65534;

/** Is it listening? */
const reached = (port) => new Promise((done) => {
	const socket = net.connect(port, '127.0.0.1');
	socket.on('connect', () => { socket.destroy(); done(true); });
	socket.on('error', () => done(false));
});

export class PostOffice {
	/**
	 * `pipe`: argv of a program that gets what is sent to pipe@DOMAIN, as Postfix's pipe(8) runs it. `judged`: domains
	 * that sign their mail: what is sent to the port of one (`signing`) is signed by it and goes on to the port `judged`,
	 * where signatures are verified and judged.
	 */
	async open({ pipe, judged = [] } = {}) {
		this.folder = mkdtempSync(join(tmpdir(), 'parley-post-'));
		chmodSync(this.folder, 0o755);
		this.at = (...path) => join(this.folder, ...path);
		for (const name of ['submission', 'mx', 'lmtp', 'auth', 'imaps', 'judged']) this[name] = await stablePort();
		this.signing = {};
		for (const domain of judged) this.signing[domain] = await stablePort();
		this.certify();
		this.dovecot();
		if (judged.length) this.judges = await new Judges().open(this.folder, { host: HOST, domains: judged });
		this.postfix(pipe, this.judges && this.judgedServices(judged));
		execFileSync('postfix', ['-c', this.at('postfix'), 'check'], { stdio: 'pipe' });
		// They end with us, also when we are killed.
		const children = [['dovecot', '-F', '-c', this.at('dovecot.conf')], ['/usr/lib/postfix/sbin/master', '-c', this.at('postfix'), '-d']]
			.map((command) => spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...command], { stdio: 'ignore' }));
		this.children = children;
		await until(async () => {
			const down = children.find((child) => child.exitCode !== null);
			if (down) throw new Error(`${down.spawnargs[4]} ended (${down.exitCode}):\n${this.log()}`);
			return await reached(this.imaps) && await reached(this.submission) && reached(this.mx);
		}, 'the post office');
		return this;
	}

	log() {
		return ['postfix.log', 'dovecot.log'].map((name) => (existsSync(this.at(name)) ? readFileSync(this.at(name), 'utf8') : '')).join('\n');
	}

	async close() {
		for (const child of this.children ?? []) child.kill('SIGTERM');
		await Promise.all((this.children ?? []).map((child) => child.exitCode !== null || new Promise((done) => { child.on('exit', done); })));
		await this.judges?.close();
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** An authority, and a certificate of its for HOST. */
	certify() {
		const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe', cwd: this.folder });
		const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
		openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test authority');
		openssl('req', ...ec, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', `/CN=${HOST}`);
		writeFileSync(this.at('names'), `subjectAltName=DNS:${HOST}\n`);
		openssl('x509', '-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2',
			'-extfile', 'names', '-out', 'cert.pem');
		this.authority = this.at('ca.pem');
	}

	dovecot() {
		mkdirSync(this.at('mail'));
		chownSync(this.at('mail'), NOBODY, NOBODY);
		writeFileSync(this.at('dovecot.conf'), `
protocols = imap lmtp
listen = 127.0.0.1
base_dir = ${this.at('run')}
state_dir = ${this.at('run')}
log_path = ${this.at('dovecot.log')}
ssl = required
ssl_cert = <${this.at('cert.pem')}
ssl_key = <${this.at('key.pem')}
first_valid_uid = 1
mail_location = maildir:${this.at('mail')}/%u
auth_mechanisms = plain login
recipient_delimiter = +
postmaster_address = postmaster@${DOMAIN}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${this.at('mail')}/%u allow_all_users=yes
}
service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${this.imaps}
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${this.lmtp}
  }
}
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${this.auth}
  }
}
`);
	}

	/** Lines of master.cf. */
	judgedServices(domains) {
		const service = (port, milters, ...more) => [`${port} inet n - n - - smtpd`, '-o smtpd_tls_security_level=none', '-o smtpd_sasl_auth_enable=no',
			`-o smtpd_milters=${milters}`, '-o milter_default_action=tempfail', ...more].join('\n  ');
		return [service(this.judged, this.judges.verifiers.join(',')),
			...domains.map((domain, i) => service(this.signing[domain], this.judges.signers[i], `-o content_filter=smtp:[127.0.0.1]:${this.judged}`))].join('\n');
	}

	postfix(pipe, services = '') {
		mkdirSync(this.at('postfix'));
		mkdirSync(this.at('queue'));
		const uid = Number(execFileSync('id', ['-u', 'postfix'], { encoding: 'utf8' }));
		mkdirSync(this.at('state'));
		chownSync(this.at('state'), uid, uid);
		writeFileSync(this.at('postfix', 'main.cf'), `
compatibility_level = 3.6
queue_directory = ${this.at('queue')}
data_directory = ${this.at('state')}
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${this.at('postfix.log')}
maillog_file_prefixes = ${this.folder}
myhostname = ${HOST}
mydestination =
mynetworks =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
virtual_mailbox_domains = ${DOMAIN}
virtual_mailbox_maps = inline:{parley@${DOMAIN}=1 mia@${DOMAIN}=1 pipe@${DOMAIN}=1}
virtual_transport = lmtp:inet:127.0.0.1:${this.lmtp}
transport_maps = inline:{ { pipe@${DOMAIN} = parley: } }
recipient_delimiter = +
smtpd_tls_cert_file = ${this.at('cert.pem')}
smtpd_tls_key_file = ${this.at('key.pem')}
smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${this.auth}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
vouched = check_client_access static:{PREPEND Authentication-Results: ${HOST}; dmarc=pass header.from=${DOMAIN}}
`);
		writeFileSync(this.at('postfix', 'master.cf'), `
${this.submission} inet n - n - - smtpd
${this.mx} inet n - n - - smtpd
  -o smtpd_tls_security_level=none
  -o smtpd_sasl_auth_enable=no
  -o smtpd_data_restrictions=$vouched
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
${services}
${pipe ? `parley unix - n n - - pipe\n  flags=R user=nobody argv=${pipe.join(' ')}\n` : ''}`);
	}

	/** The mails of a mailbox, as they lie in it. */
	async mails(user) {
		const found = [];
		for (const folder of ['new', 'cur']) {
			const path = this.at('mail', `${user}@${DOMAIN}`, folder);
			for (const name of existsSync(path) ? readdirSync(path) : []) {
				const raw = readFileSync(join(path, name), 'latin1');
				found.push({ name, raw, seen: /,[A-Z]*S/.test(name), mail: await simpleParser(Buffer.from(raw, 'latin1'), { skipImageLinks: true }) });
			}
		}
		return found;
	}

	/** A mail from outside, to one of the ports. */
	send(port, to, text, { from = `mia@${DOMAIN}`, headers = [] } = {}) {
		return new Promise((done, failed) => {
			const child = execFile('curl', ['-sS', '--max-time', '30', `smtp://127.0.0.1:${port}`, '--mail-from', from, '--mail-rcpt', to, '-T', '-'],
				(error, stdout, stderr) => (error ? failed(new Error(stderr)) : done()));
			child.stdin.end([...headers, `From: ${from}`, `To: ${to}`, 'Subject: Re: Parley', `Date: ${new Date().toUTCString()}`, '', text, ''].join('\r\n'));
		});
	}

	/** The first mail to the user that fits. */
	take(user, fits) {
		return until(async () => (await this.mails(user)).find(fits), `mail to ${user}`);
	}
}
