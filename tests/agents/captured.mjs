// What frameworks and agents really send when they stop to ask, kept in tests/dialects/captured as test data.
// PARLEY_CAPTURE=1 writes the files anew; otherwise what is sent must still have the shape of what was kept.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const fileOf = (name) => new URL(`../dialects/captured/${name}.json`, import.meta.url);

/** Names and types, without the values; what is undefined is not sent. */
export function shapeOf(value) {
	if (Array.isArray(value)) return value.map(shapeOf);
	if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
	return Object.fromEntries(Object.keys(value).filter((key) => value[key] !== undefined).sort().map((key) => [key, shapeOf(value[key])]));
}

export function captured(name, { dialect, from, request, answer }) {
	if (process.env.PARLEY_CAPTURE) {
		writeFileSync(fileOf(name), `${JSON.stringify({ dialect, from, request, answer }, null, '\t')}\n`);
		return;
	}
	assert.ok(existsSync(fileOf(name)), `${name} was never captured`);
	const kept = JSON.parse(readFileSync(fileOf(name), 'utf8'));
	assert.deepEqual({ dialect, from, request: shapeOf(request) }, { dialect: kept.dialect, from: kept.from, request: shapeOf(kept.request) });
}

/** "ai 7.0.169", of an installed package. */
export function packageAt(folder, name) {
	const { version } = JSON.parse(readFileSync(new URL(`${folder}/node_modules/${name}/package.json`, import.meta.url), 'utf8'));
	return `${name} ${version}`;
}
