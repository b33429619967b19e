// The validator of JSON Schema against ajv: schemas of the keywords that it checks, with values that fit and values that
// nearly do. What it says of a miss names a place that is there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { random as seeded } from '../lib/random.mjs';
import { wire } from './lib/wire.mjs';

const COUNT = process.env.PARLEY_LONG ? 100_000 : 1000;
const seed = Number(process.env.SEED ?? 7);
const random = seeded(seed);
const one = (list) => list[random(list.length)];
const many = (n, make) => Array.from({ length: n }, make);

const names = ['a', 'b', 'c/d', 'e~f', 'é'];
const texts = ['', 'a', 'ab', 'aab', 'é', '💩', '💩💩', 'A1', 'x y', 'a\nb'];
const numbers = [0, -1, 1, 2, 3, 4, 5, 7, 10, 1.5, -2.5, 0.5, 1e3, 12345678901];
const patterns = ['^a', 'b$', '^a*$', 'a.b', '^[a-z]{2,3}$', '^\\p{L}+$', '\\d', '^(a|é)?$', '\\S', '^.$', 'a\\nb', '(?:a)(?!b)'];

function value(depth = 0) {
	switch (random(depth > 2 ? 5 : 7)) {
	case 0: return null;
	case 1: return one([true, false]);
	case 2: case 3: return one(numbers);
	case 4: return one(texts);
	case 5: return many(random(4), () => value(depth + 1));
	default: return Object.fromEntries(many(random(4), () => [one(names), value(depth + 1)]));
	}
}

const TYPES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];
const schemas = (depth, n = 1 + random(3)) => many(n, () => schema(depth + 1));
const keywords = {
	type: () => one([one(TYPES), [...new Set(many(1 + random(3), () => one(TYPES)))]]),
	enum: () => [...new Map(many(1 + random(4), () => value(2)).map((v) => [JSON.stringify(v), v])).values()],
	const: () => value(1),
	properties: (d) => Object.fromEntries(many(1 + random(3), () => [one(names), schema(d + 1)])),
	required: () => [...new Set(many(1 + random(2), () => one(names)))],
	additionalProperties: (d) => one([false, schema(d + 1)]),
	items: (d) => schema(d + 1),
	prefixItems: (d) => schemas(d),
	minimum: () => one(numbers), maximum: () => one(numbers),
	minLength: () => random(3), maxLength: () => random(4),
	minItems: () => random(3), maxItems: () => random(4),
	minProperties: () => random(3), maxProperties: () => random(4),
	uniqueItems: () => one([true, true, false]),
	multipleOf: () => one([1, 2, 5, 0.5, 2.5]),
	pattern: () => one(patterns),
	anyOf: (d) => schemas(d), oneOf: (d) => schemas(d), allOf: (d) => schemas(d),
	not: (d) => schema(d + 1),
	$ref: () => one(['#/$defs/x', '#/$defs/y~1z', '#/$defs/%C3%A9', '#/$defs/list']),
	description: () => 'words', default: () => value(1), format: () => 'date',
};

function schema(depth = 0) {
	if (depth > 3 || (depth && !random(8))) return one([true, true, {}, false]);
	return Object.fromEntries(many(1 + random(3), () => one(Object.keys(keywords))).map((k) => [k, keywords[k](depth)]));
}

const DEFS = () => ({ x: one([{ type: 'string' }, { minimum: 2 }]), 'y/z': { type: ['object', 'array', 'string'] },
	é: { not: { const: 1 } }, list: { type: 'object', properties: { a: { $ref: '#/$defs/list' } } } });

test(`${COUNT} random schemas: as ajv says`, async () => {
	const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
	let fit = 0, missed = 0;
	for (let n = 0; n < COUNT; n++) {
		const s = schema();
		s.$defs = DEFS();
		const values = many(10, () => value());
		const check = ajv.compile(s);
		const said = await wire({ schema: s, values });
		assert.equal(said.refused, null, `seed ${seed}: ${JSON.stringify(s)}`);
		values.forEach((v, i) => {
			let theirs;
			try {
				theirs = check(v);
			} catch (error) { // in some schemas ajv's own code names a variable that it lacks
				assert.equal(error.name, 'ReferenceError');
				return;
			}
			assert.equal(said.fits[i] === true, theirs,
				`seed ${seed}, ${n}: ${JSON.stringify(s)} with ${JSON.stringify(v)}: ${said.fits[i]}`);
			theirs ? fit++ : missed++;
		});
		ajv.removeSchema();
	}
	assert.ok(fit > COUNT && missed > COUNT, `${fit} fit, ${missed} do not`);
});

test('what ajv refuses as a schema is refused', async () => {
	const ajv = new Ajv2020({ strict: false, logger: false });
	const wrong = [{ type: 'text' }, { type: [] }, { type: ['string', 'string'] }, { enum: 3 }, { properties: [] }, { required: 'a' },
		{ required: ['a', 'a'] }, { items: [{}] }, { prefixItems: [] }, { minLength: -1 }, { maxItems: 1.5 }, { minimum: '1' },
		{ multipleOf: 0 }, { multipleOf: -1 }, { uniqueItems: 1 }, { pattern: '(' }, { pattern: 3 }, { anyOf: [] }, { allOf: {} }, { not: 1 },
		{ $defs: { a: 3 } }, { $ref: '#/$defs/none' }, { $ref: 3 }];
	for (const s of wrong) {
		assert.throws(() => ajv.compile(s), undefined, JSON.stringify(s));
		assert.equal((await wire({ schema: s, values: [] })).refused.startsWith(`/${Object.keys(s)[0]}`), true, JSON.stringify(s));
	}
});

test('what is true in 2020-12 and not checked here is refused, with its place', async () => {
	for (const [keyword, v] of Object.entries({ if: {}, then: {}, else: {}, patternProperties: {}, propertyNames: {}, contains: {},
		minContains: 1, dependentRequired: {}, dependentSchemas: {}, unevaluatedItems: false, unevaluatedProperties: false, $anchor: 'a',
		$dynamicRef: '#a', $dynamicAnchor: 'a', $vocabulary: {}, definitions: {}, exclusiveMinimum: 1, anything: 1 }))
		assert.equal((await wire({ schema: { items: { [keyword]: v } }, values: [] })).refused, `/items/${keyword}`);
	for (const $ref of ['other.json', 'https://json-schema.org/draft/2020-12/schema', '#anchor', '#/items/enum/0', '#/title'])
		assert.equal((await wire({ schema: { title: {}, items: { $ref, enum: [{}] } }, values: [] })).refused, '/items/$ref', $ref);
});
