declare module 'virtual:messages/*' {
	const words: Record<string, string>;
	export default words;
}

declare module 'virtual:tools' {
	const names: string[];
	export default names;
}

declare module 'virtual:clients' {
	const clients: { id: string; name: string; file: string; text: string }[];
	export default clients;
}
