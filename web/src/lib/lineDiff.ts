/* What differs between two texts, line by line. */
import type { Line } from './diff';

/** Beyond this many lines on both sides together all of it is shown as replaced: the table grows with their product. */
const MOST = 4000;

export function lineDiff(before: string, now: string): Line[] {
	const old = before.split('\n');
	const next = now.split('\n');
	const out: Line[] = [];
	let i = 0;
	let j = 0;
	const removed = () => out.push({ kind: 'del', text: old[i]!, old: ++i, new: null });
	const added = () => out.push({ kind: 'add', text: next[j]!, old: null, new: ++j });
	if (old.length + next.length > MOST) {
		while (i < old.length) removed();
		while (j < next.length) added();
		return out;
	}
	/* How many lines both have in common from here on. */
	const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(next.length + 1));
	for (let a = old.length - 1; a >= 0; a--)
		for (let b = next.length - 1; b >= 0; b--)
			common[a]![b] =
				old[a] === next[b]
					? common[a + 1]![b + 1]! + 1
					: Math.max(common[a + 1]![b]!, common[a]![b + 1]!);
	while (i < old.length && j < next.length) {
		if (old[i] === next[j]) out.push({ kind: 'same', text: old[i]!, old: ++i, new: ++j });
		else if (common[i + 1]![j]! >= common[i]![j + 1]!) removed();
		else added();
	}
	while (i < old.length) removed();
	while (j < next.length) added();
	return out;
}
