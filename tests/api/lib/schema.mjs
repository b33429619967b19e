// Checks replies against openapi.json, more strictly than clients should: an object may hold
// only the members the document names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ROOT = 'http://parley.test/openapi.json';

export const document = JSON.parse(
	readFileSync(new URL('../../../src/serve/openapi.json', import.meta.url), 'utf8'),
);

function close(node) {
	if (typeof node !== 'object' || node === null) return;
	if (node.type === 'object' && node.properties && !('additionalProperties' in node)) {
		node.additionalProperties = false;
	}
	Object.values(node).forEach(close);
}

const strict = structuredClone(document);
close(strict.components.schemas);
close(strict.paths);

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(strict, ROOT);

const compiled = new Map();

function validator(pointer) {
	if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `${ROOT}#${pointer}` }));
	return compiled.get(pointer);
}

const escape = (part) => part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B')
	.replaceAll('}', '%7D');

function validate(pointer, value, what) {
	const check = validator(pointer);
	if (check(value)) return;
	const errors = check.errors
		.filter((e) => e.keyword !== 'oneOf')
		.slice(0, 8)
		.map((e) => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`);
	assert.fail(`${what} does not fit openapi.json:\n  ${errors.join('\n  ')}\n`
		+ JSON.stringify(value).slice(0, 2000));
}

/** The value fits this schema of the document ('Ask', 'Event', …). */
export function checkSchema(name, value) {
	validate(`/components/schemas/${name}`, value, name);
}

const templates = Object.keys(document.paths).map((path) => ({
	path,
	fits: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[a-z]+\}/g, '[^/]+')}$`),
	literal: !path.includes('{'),
}));

function template(pathname) {
	const fitting = templates.filter((t) => t.fits.test(pathname));
	return (fitting.find((t) => t.literal) ?? fitting[0])?.path;
}

const mediaType = (headers) => (headers['content-type'] ?? '').split(';')[0].trim();

function checkProblem(what, status, headers, body) {
	assert.equal(mediaType(headers), 'application/problem+json', `${what} is no problem`);
	validate('/components/schemas/Problem', body, what);
	assert.equal(body.status, status, `${what}: the problem names another status`);
}

/** Every reply to a request of these tests passes through here. */
export function checkReply({ method, path, status, headers, body, text }) {
	const pathname = new URL(path, 'http://x').pathname;
	const what = `${status} of ${method} ${pathname}`;
	const known = template(pathname);
	const operation = known && document.paths[known][method.toLowerCase()];

	if (status >= 400) checkProblem(what, status, headers, body);
	if (!operation) return;
	const response = operation.responses[status];
	// What is refused before any route is looked at stands in no operation.
	if (!response && [405, 408, 431, 501].includes(status)) return;
	assert.ok(response, `${what} is not in openapi.json: ${text}`);
	if (status >= 400 || method === 'HEAD') return;
	if (!response.content) {
		assert.equal(text, '', `${what} should have no body`);
		return;
	}
	const type = mediaType(headers);
	assert.ok(type in response.content, `${what}: type "${type}" is not in openapi.json`);
	if (type === 'application/json') {
		assert.notEqual(body, undefined, `${what} is not JSON: ${text.slice(0, 200)}`);
		validate(`/paths/${escape(known)}/${method.toLowerCase()}/responses/${status}`
			+ `/content/${escape(type)}/schema`, body, what);
	}
}
