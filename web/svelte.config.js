import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
	preprocess: vitePreprocess(),
	compilerOptions: {
		runes: true,
		/* The scope of a component's styles, as short as stays unique: it is written everywhere. */
		cssHash: ({ hash, filename }) => `s${hash(filename).slice(0, 4)}`,
	},
};
