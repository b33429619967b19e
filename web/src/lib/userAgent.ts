/* A browser and its system, read from what it calls itself. Pure. */

/* Each also names those below it: the first that fits is it. */
const browsers: [RegExp, string][] = [
	[/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
	[/\bOPR\//, 'Opera'],
	[/\bSamsungBrowser\//, 'Samsung Internet'],
	[/\bFirefox\/|\bFxiOS\//, 'Firefox'],
	[/Chrome\/|\bCriOS\//, 'Chrome'],
	[/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
	[/\biPhone\b/, 'iPhone'],
	[/\biPad\b/, 'iPad'],
	[/\bAndroid\b/, 'Android'],
	[/\bWindows\b/, 'Windows'],
	[/\bCrOS\b/, 'ChromeOS'],
	[/\bMac OS X\b/, 'macOS'],
	[/\bLinux\b/, 'Linux'],
];

const nameIn = (list: [RegExp, string][], text: string) =>
	list.find(([fits]) => fits.test(text))?.[1] ?? null;

export const userAgentRead = (text: string) => ({
	browser: nameIn(browsers, text),
	system: nameIn(systems, text),
});
