// prices.mjs - writes the table of known models from the rows of genai-prices.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { findProvider } from '@pydantic/genai-prices';

const VENDORS = { anthropic: /^claude-/, openai: /^(gpt|o\d|chatgpt|codex)/, google: /^gemini-/ };
const NO_TEXT = /image|audio|tts|realtime|transcribe|embedding|live|moderation|whisper|search|computer|robotics|native/;
const PRICES = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'];
const { version } = JSON.parse(readFileSync(new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url)));

/** A model by its id alone: without "-latest" or a date, which the program takes behind any id. */
const plain = (id) => id.replace(/-latest$/, '').replace(/[-@](\d{8}|\d{4}-\d\d-\d\d)$/, '');

/** The names that a rule of genai-prices spells out. Those it knows by their beginnings alone are left out. */
const spelled = (match) => (match.equals ? [match.equals] : (match.or ?? []).flatMap(spelled));

/** A model's names: its id and those spelled out, but for "gpt-5-1", which nobody sends for gpt-5.1. */
const names = ({ id, match }) => new Set([id, ...spelled(match)].map(plain)
	.filter((name) => /^[a-z0-9.-]+[a-z0-9]$/.test(name) && !/^gpt-\d-\d(-|$)/.test(name)));

const nano = (dollars) => Number((dollars * 1000).toFixed(6));
const at = (price, tier) => (typeof price === 'object' ? (tier ? price.tiers.at(-1).price : price.base) : price);

/** Prices without a price of their own cost what input costs. */
function set(prices, tier) {
	const of = (name, or) => (prices[`${name}_mtok`] === undefined ? or : nano(at(prices[`${name}_mtok`], tier)));
	const input = of('input');
	const write = of('cache_write', input);
	return [input, of('output'), of('cache_read', input), write, of('cache_write_1h', write)];
}

function price(prices) {
	const tiers = PRICES.map((name) => prices[`${name}_mtok`]).filter((of) => typeof of === 'object');
	const above = tiers.length ? tiers[0].tiers.at(-1).start : 0;
	const text = `{ ${set(prices, false).join(', ')} }`;
	return above ? `{ ${text}, ${above}, { ${set(prices, true).join(', ')} } }` : `{ ${text} }`;
}

/** [id, context, from, price] of all, the newest price of a model first. */
function rows() {
	const seen = new Set();
	const out = [];
	for (const [providerId, own] of Object.entries(VENDORS)) {
		for (const model of findProvider({ providerId }).models) {
			const stages = (Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }])
				.filter(({ constraint, prices }) => prices.input_mtok !== undefined && prices.output_mtok !== undefined
					&& (!constraint || constraint.type === 'start_date'))
				.map(({ constraint, prices }) => ({ from: constraint ? Date.parse(constraint.start_date) : 0, price: price(prices) }))
				.sort((a, b) => b.from - a.from);
			// Some of 2024 cost fractions of a nanodollar.
			if (stages.some(({ price: of }) => of.includes('.'))) continue;
			for (const id of names(model)) {
				if (!own.test(id) || NO_TEXT.test(id) || seen.has(id)) continue;
				seen.add(id);
				out.push(...stages.map(({ from, price: of }) => [id, model.context_window ?? 0, from, of]));
			}
		}
	}
	return out.sort(([a, , x], [b, , y]) => (a === b ? y - x : a < b ? -1 : 1));
}

/** The file as of a date. */
export const table = (date) => `/* known_rows.h - models and prices, made by script/prices: not to be edited. Nanodollars for a token. */
/* clang-format off */
static const char rows_date[] = "${date}";
static const char rows_from[] = "@pydantic/genai-prices ${version}";

/* id, context, from when (0: always), price; of the same id the newest first */
static const struct known_row rows[] = {
${rows().map(([id, context, from, of]) => `\t{ "${id}", ${context}, ${from}, ${of} },`).join('\n')}
};
`;

/** The date that a file tells. */
export const dateOf = (file) => /rows_date\[\] = "([^"]+)"/.exec(file)?.[1];

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	const [path, check] = process.argv.slice(2);
	let before = '';
	try { before = readFileSync(path, 'utf8'); } catch { /* the first time */ }
	const changed = table(dateOf(before)) !== before;
	if (changed && !check) writeFileSync(path, table(new Date().toISOString().slice(0, 10)));
	console.log(changed ? (check ? `${path} would change` : `${path} written`) : `${path} is as it would be made`);
	process.exitCode = changed && check ? 1 : 0;
}
