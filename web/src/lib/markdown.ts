/* Markdown through a lexer into our own small tree. Nothing here ever becomes HTML: what is no
 * element below stays the text it was. */
import { Lexer, type Token, type Tokens } from 'marked';

export type Inline =
	| { kind: 'text' | 'code'; text: string }
	| { kind: 'strong' | 'em' | 'del'; inside: Inline[] }
	| { kind: 'link'; inside: Inline[]; href: string; safe: boolean; misleads: boolean }
	| { kind: 'br' };

export type Block =
	| { kind: 'p' | 'quote'; inside: Inline[] }
	| { kind: 'heading'; inside: Inline[] }
	| { kind: 'code'; text: string }
	| { kind: 'list'; ordered: boolean; start: number; items: Block[][] }
	| { kind: 'table'; head: Inline[][]; rows: Inline[][][]; align: Align[]; name: string }
	| { kind: 'hr' };

export type Align = 'start' | 'center' | 'end';
const aligns = { left: 'start', center: 'center', right: 'end' } as const;

const DEPTH_MAX = 12;

const plain = (text: string): Inline => ({ kind: 'text', text });

/* Only what a browser can open without harm is a link. */
export const isSafe = (href: string): boolean => /^(https?|mailto):/i.test(href.trim());

/* Words that look like an address: with a scheme, with www., or nothing but a host and a path. */
const ADDRESS =
	/(?:^|[^\p{L}\p{N}])(?:[a-z][a-z0-9+.-]*:[\\/]{2,}|www\.)[^\s]*|^\s*[\p{L}\p{N}_-]+(?:[.。．｡][\p{L}\p{N}_-]+)+(?::\d+)?(?:[/?#]\S*)?\s*$/giu;

const hostOf = (address: string): string | null => {
	const text = address.replace(/^[^\p{L}\p{N}]+/u, '').trim();
	try {
		return new URL(/^[a-z][a-z0-9+.-]*:[\\/]/i.test(text) ? text : `https://${text}`).hostname;
	} catch {
		return null;
	}
};

/* Its words look like an address of another host than it leads to. */
export const misleads = (words: string, href: string): boolean =>
	[...words.matchAll(ADDRESS)].some(([address]) => hostOf(address) !== hostOf(href));

const wordsOf = (parts: Inline[]): string =>
	parts
		.map((part) => ('inside' in part ? wordsOf(part.inside) : 'text' in part ? part.text : ' '))
		.join('');

function link(inside: Inline[], href: string): Inline {
	const safe = isSafe(href);
	return { kind: 'link', inside, href, safe, misleads: safe && misleads(wordsOf(inside), href) };
}

function inlines(tokens: Token[] | undefined, depth: number): Inline[] {
	if (!tokens) return [];
	if (depth > DEPTH_MAX) return tokens.map((token) => plain(token.raw));
	return tokens.map((token): Inline => {
		switch (token.type) {
			case 'strong':
			case 'em':
			case 'del':
				return { kind: token.type, inside: inlines(token.tokens, depth + 1) };
			case 'codespan':
				return { kind: 'code', text: (token as Tokens.Codespan).text };
			case 'br':
				return { kind: 'br' };
			case 'link':
				return link(inlines(token.tokens, depth + 1), (token as Tokens.Link).href);
			case 'image': {
				const { href, text } = token as Tokens.Image;
				return link([plain(text || href)], href);
			}
			case 'text': {
				const inner = (token as Tokens.Text).tokens;
				return inner?.length
					? (inlines(inner, depth + 1)[0] ?? plain(''))
					: plain((token as Tokens.Text).text);
			}
			case 'escape':
				return plain((token as Tokens.Escape).text);
			default:
				return plain(token.raw);
		}
	});
}

function flat(tokens: Token[] | undefined, depth: number): Inline[] {
	const out: Inline[] = [];
	for (const token of tokens ?? [])
		if (token.type === 'text' && (token as Tokens.Text).tokens?.length)
			out.push(...inlines((token as Tokens.Text).tokens, depth));
		else out.push(...inlines([token], depth));
	return out;
}

function blocks(tokens: Token[], depth: number): Block[] {
	const out: Block[] = [];
	for (const token of tokens) {
		if (depth > DEPTH_MAX) {
			out.push({ kind: 'p', inside: [plain(token.raw)] });
			continue;
		}
		switch (token.type) {
			case 'space':
			case 'def':
				if (token.type === 'def') out.push({ kind: 'p', inside: [plain(token.raw)] });
				break;
			case 'hr':
				out.push({ kind: 'hr' });
				break;
			case 'heading':
				out.push({ kind: 'heading', inside: flat(token.tokens, depth) });
				break;
			case 'code':
				out.push({ kind: 'code', text: (token as Tokens.Code).text });
				break;
			case 'blockquote':
				for (const block of blocks(token.tokens ?? [], depth + 1))
					out.push(block.kind === 'p' ? { ...block, kind: 'quote' } : block);
				break;
			case 'list': {
				const list = token as Tokens.List;
				out.push({
					kind: 'list',
					ordered: list.ordered,
					start: Number(list.start) || 1,
					items: list.items.map((item) => blocks(item.tokens, depth + 1)),
				});
				break;
			}
			case 'table': {
				const table = token as Tokens.Table;
				const head = table.header.map((cell) => flat(cell.tokens, depth));
				out.push({
					kind: 'table',
					head,
					rows: table.rows.map((row) => row.map((cell) => flat(cell.tokens, depth))),
					align: table.align.map((one) => aligns[one ?? 'left']),
					name: head.map(wordsOf).join(', '),
				});
				break;
			}
			case 'paragraph':
			case 'text':
				out.push({ kind: 'p', inside: flat(token.tokens ?? [token], depth) });
				break;
			default:
				out.push({ kind: 'p', inside: [plain(token.raw.replace(/\n+$/, ''))] });
		}
	}
	return out;
}

export function markdown(text: string): Block[] {
	try {
		return blocks(new Lexer({ gfm: true, breaks: true }).lex(text), 0);
	} catch {
		return [{ kind: 'p', inside: [plain(text)] }];
	}
}
