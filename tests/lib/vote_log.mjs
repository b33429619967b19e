// vote_log.mjs - judges votes by the event log alone: who people were, who stood for what, and
// whether that was enough when an ask was approved. It shares no code with the server.

const RANK = { agent: 0, viewer: 1, member: 2, admin: 3, owner: 4 };
const SETTLING = new Set(['ask.answered', 'ask.skipped', 'ask.expired', 'ask.cancelled']);

const fits = (pattern, project) => new RegExp(
	`^${pattern.split('').map((c) => (c === '*' ? '.*' : c === '?' ? '.' : c.replace(/[^\w-]/, '\\$&'))).join('')}$`,
	'su').test(project);

export class VoteLog {
	constructor() {
		this.users = new Map();
		this.teams = new Map();
		this.asks = new Map();
		this.wrong = [];
		this.counts = { asks: 0, votes: 0, retracted: 0, approved: 0, rejected: 0, expired: 0, cancelled: 0, people: 0 };
	}

	say(event, what) { this.wrong.push(`event ${event.id} ${event.type} ${event.ask ?? ''}: ${what}`); }

	/** The next event of the log. */
	take(event) {
		const { type, data } = event;
		if (type.startsWith('user.')) this.person(type, data);
		else if (type === 'team.changed') this.team(data);
		else if (type === 'ask.created') this.created(event);
		else if (type === 'ask.voted' || type === 'ask.retracted') this.voted(event);
		else if (SETTLING.has(type)) this.settled(event);
	}

	person(type, data) {
		this.counts.people++;
		if (type === 'user.deleted') this.users.delete(data.user);
		else {
			const away = 'away' in data ? data.away : this.users.get(data.user)?.away ?? null;
			this.users.set(data.user, { id: data.user, role: data.role, disabled: data.disabled, away });
		}
	}

	team(data) {
		this.counts.people++;
		if (data.change === 'deleted') this.teams.delete(data.team);
		else this.teams.set(data.team, { name: data.name, projects: data.projects,
			members: new Set(data.members.map((m) => m.user)) });
	}

	created(event) {
		if (!event.data.require) return;
		this.counts.asks++;
		this.asks.set(event.ask, { ...event.data, votes: new Map(), settled: null });
	}

	voted(event) {
		const ask = this.asks.get(event.ask);
		const { vote } = event.data;
		if (ask.settled) this.say(event, `after ${ask.settled}`);
		if (event.type === 'ask.retracted') {
			this.counts.retracted++;
			if (!ask.votes.delete(vote.by.user)) this.say(event, 'there was no vote');
			return;
		}
		this.counts.votes++;
		if (!this.maySettle(ask, vote.by.user, vote.role)) this.say(event, 'they may not settle');
		ask.votes.set(vote.by.user, vote);
	}

	/* ---- who counts ---- */

	role(user, cap) { return Math.min(RANK[user.role], RANK[cap]); }

	maySettle(ask, id, cap) {
		const user = this.users.get(id);
		if (!user || user.disabled || this.role(user, cap) < RANK.member || id === ask.requester) return false;
		if (this.role(user, cap) >= RANK.admin || !ask.project) return true;
		const covering = [...this.teams.values()].filter((t) => t.projects.some((p) => fits(p, ask.project)));
		return !covering.length || covering.some((t) => t.members.has(id));
	}

	isAway(user, at) { return user.away && user.away.from <= at && at < user.away.until; }

	/** Who stands in for this user at that time, or null. */
	standIn(id, at) {
		let user = this.users.get(id);
		const first = user;
		for (let hops = 0; hops < 4; hops++) {
			if (!user || (user !== first && (user.disabled || user.id === id))) return null;
			if (!this.isAway(user, at)) return user === first ? null : user.id;
			if (hops === 3) return null;
			user = user.away.delegate ? this.users.get(user.away.delegate) : null;
			if (user?.id === id) return null;
		}
		return null;
	}

	direct(ask, part, vote) {
		const id = vote.by.user;
		if (!this.maySettle(ask, id, vote.role)) return false;
		if (part.others && ask.starters.includes(id)) return false;
		if (!part.from) return true;
		return part.from.some((entry) => {
			const [kind, name] = [entry.slice(0, 4), entry.slice(5)];
			if (kind === 'user') return name === id;
			if (kind === 'role') return this.role(this.users.get(id), vote.role) >= RANK[name];
			return [...this.teams.values()].some((t) => t.name === name && t.members.has(id));
		});
	}

	/** How many distinct persons, and seats of those away, stand for this digest in a part. */
	have(ask, part, digest, at) {
		const votes = [...ask.votes.values()].filter((v) => v.value === 'approve' && v.digest === digest);
		const seats = new Set(votes.filter((v) => this.direct(ask, part, v)).map((v) => v.by.user));
		let count = seats.size;
		for (const vote of votes) {
			const id = vote.by.user;
			if (seats.has(id) || !this.maySettle(ask, id, vote.role) || (part.others && ask.starters.includes(id))) continue;
			const seat = (part.from ?? []).filter((f) => f.startsWith('user:')).map((f) => f.slice(5))
				.find((named) => !seats.has(named) && this.users.get(named) && !this.users.get(named).disabled
					&& this.standIn(named, at) === id);
			if (!seat) continue;
			seats.add(seat);
			count++;
		}
		return count;
	}

	settled(event) {
		const ask = this.asks.get(event.ask);
		if (!ask) return;
		if (ask.settled) this.say(event, `settled before: ${ask.settled}`);
		ask.settled = event.type;
		if (event.type === 'ask.expired') this.counts.expired++;
		if (event.type === 'ask.cancelled') this.counts.cancelled++;
		if (event.type !== 'ask.answered') return;
		const digest = event.data.approved_digest;
		if (!digest) {
			this.counts.rejected++;
			return;
		}
		this.counts.approved++;
		if (ask.expires_at && event.at >= ask.expires_at) this.say(event, 'after its deadline');
		for (const part of ask.require) {
			const have = this.have(ask, part, digest, event.at);
			if (have < part.approvals) this.say(event, `${have} of ${part.approvals} for ${JSON.stringify(part)}`);
		}
		if (event.data.answered_by.votes < 1) this.say(event, 'by no votes');
	}
}
