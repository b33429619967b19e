// stored.mjs - all that a server keeps in its folder, as text, for tests that look for what must not be there: the files
// as they are, and the texts that are packed in a store of SQLite (src/store/pack.h).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DICTIONARY = fileURLToPath(new URL('../../src/store/pack.dict', import.meta.url));

const rows = (file, sql) => execFileSync('sqlite3', ['-readonly', '-cmd', '.timeout 5000', file, sql], { encoding: 'utf8', maxBuffer: 1 << 30 })
	.split('\n').filter(Boolean);

/** The texts of a store that are packed: the bytes in columns that are declared as text. */
export function unpacked(file) {
	const columns = rows(file, `SELECT format('SELECT hex("%s") FROM "%s" WHERE typeof("%s") = ''blob''', c.name, t.name, c.name)
		FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT'`);
	const packed = rows(file, columns.join(' UNION ALL '));
	if (!packed.length) return '';
	return execFileSync('zstd', ['-dcq', '-D', DICTIONARY], { input: Buffer.from(packed.join(''), 'hex'), encoding: 'utf8', maxBuffer: 1 << 30 });
}

/** [what, text] of everything in the folder; none where there is no such folder. */
export function stored(folder) {
	const files = (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []).filter((file) => file.isFile()).map(({ name }) => name);
	const said = files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
	return files.includes('parley.db') ? [...said, ['packed in parley.db', unpacked(join(folder, 'parley.db'))]] : said;
}
