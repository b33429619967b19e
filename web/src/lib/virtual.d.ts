declare module 'virtual:messages/en' {
	const words: Record<string, string>;
	export default words;
}
declare module 'virtual:messages/fr' {
	const words: Record<string, string>;
	export default words;
}

declare module 'virtual:tools' {
	const names: string[];
	export default names;
}
