import { expect, test } from 'vitest';
import { Latest } from '../src/lib/latest';

function later<T>() {
	let bring!: (value: T) => void, fail!: (why: Error) => void;
	const reply = new Promise<T>((yes, no) => ([bring, fail] = [yes, no]));
	return { reply, bring, fail };
}

test('the reply to the last question counts, whatever comes first', async () => {
	for (const order of [
		[0, 1],
		[1, 0],
	]) {
		const read = new Latest();
		const asked = [later<string>(), later<string>()];
		const got = asked.map(({ reply }) => read.of(reply));
		for (const at of order) asked[at]!.bring(`reply ${at}`);
		expect(await Promise.all(got)).toEqual([null, 'reply 1']);
	}
});

test('a failure counts like a reply', async () => {
	const read = new Latest();
	const [old, last] = [later<string>(), later<string>()];
	const got = [read.of(old.reply), read.of(last.reply)];
	old.fail(new Error('gone'));
	last.fail(new Error('away'));
	expect(await got[0]).toBeNull();
	await expect(got[1]).rejects.toThrow('away');
});

test('what is dropped does not count any more', async () => {
	const read = new Latest();
	const { reply, bring } = later<string>();
	const got = read.of(reply);
	read.drop();
	bring('late');
	expect(await got).toBeNull();
});
