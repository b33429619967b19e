// Every body that is written is compiled as the vendor's own type: members that do not exist there fail.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { random as seeded } from '../lib/random.mjs';
import { wire } from './lib/wire.mjs';
import { request } from './lib/replies.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const OUTPUT = { type: 'object', additionalProperties: false, required: ['n'], properties: { n: { type: 'integer', minimum: 1 }, t: { enum: ['a', 'b'] } } };
const BODIES = process.env.PARLEY_LONG ? 500 : 40;

const types = { anthropic: 'Anthropic.MessageCreateParamsStreaming', openai: 'OpenAI.ChatCompletionCreateParamsStreaming',
	openai_responses: 'OpenAI.Responses.ResponseCreateParamsStreaming', gemini: 'GenerateContentParameters' };

/** Gemini's SDK takes what goes over the wire in other places. */
const shaped = (kind, { body, url }) => {
	if (kind !== 'gemini') return body;
	const { contents, generationConfig = {}, ...config } = body;
	const { thinkingConfig, ...rest } = generationConfig;
	return { model: decodeURIComponent(url.match(/models\/(.*):stream/)[1]), contents, config: { ...config, ...rest,
		...(thinkingConfig ? { thinkingConfig } : {}) } };
};
/** Enums of TypeScript have no literals. */
const literal = (kind, value) => JSON.stringify(value, null, 1)
	.replace(/"thinkingLevel": "(\w+)"/g, '"thinkingLevel": ThinkingLevel.$1');

function compile(source) {
	const folder = mkdtempSync(join(tmpdir(), 'judged-'));
	try {
		symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
		writeFileSync(`${folder}/bodies.ts`, source);
		execFileSync(`${here}/node_modules/.bin/tsc`, ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext',
			'--moduleResolution', 'nodenext', '--types', '', `${folder}/bodies.ts`], { stdio: 'pipe' });
		return '';
	} catch (e) {
		return `${e.stdout}`;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const head = `import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { type GenerateContentParameters, ThinkingLevel } from '@google/genai';
void ThinkingLevel;
`;

test(`${4 * BODIES} bodies have the vendors' types`, async () => {
	const random = seeded(Number(process.env.SEED ?? 3));
	let source = head;
	for (const kind of Object.keys(types)) {
		for (let n = 0; n < BODIES; n++) {
			const written = await wire({ write: kind, request: { ...request(random, kind), ...(n % 3 ? {} : { output_schema: OUTPUT }) } });
			assert.ok(written.body, JSON.stringify(written));
			source += `export const ${kind}_${n}: ${types[kind]} = ${literal(kind, shaped(kind, written))};\n`;
		}
	}
	assert.equal(compile(source), '');
});

test('the judge refuses members that a vendor does not know', () => {
	assert.match(compile(`${head}export const a: Anthropic.MessageCreateParamsStreaming = { model: 'm', max_tokens: 1, stream: true, messages: [], nonsense: 1 };\n`),
		/nonsense/);
});
