import { expect, test } from 'vitest';
import { jsonRead, jsonWrite } from '../src/lib/json';

const big =
	'{"record":1234567890123456789,"list":[-98765432109876543210,1.5,7],"text":"1234567890123456789 \\"x\\" \\u00e9"}';

test('integers beyond 2^53 are read and written digit for digit', () => {
	expect(jsonWrite(jsonRead(big))).toBe(big.replace('\\u00e9', 'é'));
	expect(jsonWrite(jsonRead('[9007199254740993]'), 2)).toBe('[\n  9007199254740993\n]');
});

test('what is small enough is what JSON.parse makes of it', () => {
	const text = '{"a":[1,2.5,-3e2,true,false,null,"x\\n"],"b":{}, "c":[]}';
	const padded = `${text.slice(0, -1)},"long":"0000000000000000000"}`;
	expect(jsonRead(text)).toEqual(JSON.parse(text));
	expect(jsonRead(padded)).toEqual(JSON.parse(padded));
	expect(jsonRead(' [1e400, 12345678901234567.5, 0.12345678901234567] ')).toEqual([
		Infinity,
		12345678901234567.5,
		0.12345678901234567,
	]);
});

test('what is no JSON is refused', () => {
	for (const text of [
		'',
		'{"a":12345678901234567',
		'[12345678901234567,]',
		'12345678901234567 x',
		'{12345678901234567:1}',
		'"1234567890123456789',
	])
		expect(() => jsonRead(text), text).toThrow(SyntaxError);
});

test('a member called __proto__ stays a member', () => {
	const read = jsonRead('{"__proto__":{"n":12345678901234567890}}') as object;
	expect(Object.keys(read)).toEqual(['__proto__']);
	expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});
