// types.mjs - bodies of requests, judged by the vendors' own types: each is compiled as what the SDK takes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
export const types = { anthropic: 'Anthropic.MessageCreateParamsStreaming', openai: 'OpenAI.ChatCompletionCreateParamsStreaming',
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

/** → what the compiler says; empty: nothing. */
export function compile(source) {
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

export const head = `import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { type GenerateContentParameters, ThinkingLevel } from '@google/genai';
void ThinkingLevel;
`;

/** The n-th body of this wire, for compile; written: {body, url}. */
export const typed = (kind, n, written) => `export const ${kind}_${n}: ${types[kind]} = ${literal(kind, shaped(kind, written))};\n`;
