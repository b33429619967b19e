// Is src/serve/openapi.json a valid OpenAPI 3.1 document, and does every $ref lead somewhere?
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';

const text = readFileSync(new URL('../src/serve/openapi.json', import.meta.url), 'utf8');
const document = JSON.parse(text);

/** Names that stand twice in one object: JSON.parse takes the last of them without a word. */
function* twice() {
	const open = [];
	for (const [, tabs, name] of text.matchAll(/^(\t+)(?:"([^"]+)":|[}\]])/gm)) {
		open.length = tabs.length;
		open[tabs.length] = new Set();
		const known = open[tabs.length - 1] ?? (open[tabs.length - 1] = new Set());
		if (name && known.has(name)) yield name;
		known.add(name);
	}
}

function resolve(ref) {
	let at = document;
	for (const part of ref.slice(2).split('/')) {
		at = at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
	}
	return at;
}

function* refs(node) {
	if (typeof node !== 'object' || node === null) return;
	if (typeof node.$ref === 'string') yield node.$ref;
	for (const child of Object.values(node)) yield* refs(child);
}

const wrong = [...twice()].map((name) => `"${name}" stands twice in one object`);
const verdict = await new Validator().validate(structuredClone(document));
if (!verdict.valid) wrong.push(JSON.stringify(verdict.errors, null, 2));

const used = new Set(refs(document));
for (const ref of used) if (!resolve(ref)) wrong.push(`${ref} leads nowhere`);
for (const section of ['schemas', 'parameters', 'responses']) {
	for (const name of Object.keys(document.components[section])) {
		const ref = `#/components/${section}/${name}`;
		if (!used.has(ref)) wrong.push(`${ref} is not used`);
	}
}

const ids = Object.values(document.paths).flatMap((path) =>
	Object.values(path).map((operation) => operation.operationId),
);
if (new Set(ids).size !== ids.length) wrong.push('an operationId is used twice');

for (const line of wrong) console.error(`openapi.json: ${line}`);
console.log(`openapi.json: ${ids.length} operations, ${wrong.length} errors`);
process.exit(wrong.length ? 1 : 0);
