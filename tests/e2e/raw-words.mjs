// Words of the machine where people read: `_`, names of events and messages, JSON pointers. They may stand in mono text
// only: an operation, a command, a key.

/** In the page: what can be read there and is none of people's words. */
function rawWords() {
	const MONO = 'code, pre, kbd, samp, textarea, script, style, noscript';
	const RAW = [
		/\S*(_[a-z]|[a-z]_)\S*/, // an enum, an id, a name of a tool; A_NAME of the environment is for people
		/(?<![\w./@-])(ask|session|run|message|tool|user|token|login|rule|team|agent|provider|contact|stop|policy|routes|template)\.[a-z]+(?![\w.]*\/)/,
		/(?<![\w.])web\.[a-z]+[\w.]*/, // a message that is missing
		/(^|\s)\/[a-z][\w~]*(\/[\w~]+)*:\s/, // "/address: must be"
		/\b(team|user|role|agent):\w+(\/\w+)?/, // whom a route notifies
		/\b(undefined|NaN)\b|\[object \w+\]/,
	];
	const seen = new Set();
	const look = (element, text) => {
		if (!text.trim() || !RAW.some((one) => one.test(text)) || element.closest(MONO)) return;
		if (!element.checkVisibility({ visibilityProperty: true })) return;
		if (/mono/i.test(getComputedStyle(element).fontFamily)) return;
		const found = RAW.map((one) => text.match(one)?.[0].trim()).filter(Boolean);
		seen.add(`raw words: ${found.join(' ')} in “${text.trim().slice(0, 100)}” (${element.tagName.toLowerCase()}.${element.className})`);
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) look(texts.currentNode.parentElement, texts.currentNode.data);
	for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
		for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
			if (element.hasAttribute(name)) look(element, element.getAttribute(name));
	return [...seen];
}

export const rawWordsOf = (page) => page.evaluate(rawWords);
