import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

export default ts.config(
	{ ignores: ['dist/', 'src/api/schema.d.ts'] },
	...ts.configs.recommended,
	...svelte.configs.recommended,
	{
		files: ['**/*.svelte', '**/*.svelte.ts'],
		languageOptions: { parserOptions: { parser: ts.parser } },
	},
	{
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'svelte/no-at-html-tags': 'error',
			'svelte/no-navigation-without-resolve': 'off',
			'svelte/no-useless-mustaches': [
				'error',
				{ ignoreStringEscape: true, ignoreIncludesComment: true },
			],
			'svelte/prefer-svelte-reactivity': 'off',
		},
	},
);
