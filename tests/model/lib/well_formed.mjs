// well_formed.mjs - what vendors refuse in a request beside members that they do not know: where it ends, and calls
// without a result. → what is wrong, in words.

export const wireOf = (path) => (/\/messages\b/.test(path) ? 'anthropic' : /\/chat\/completions/.test(path) ? 'openai'
	: /\/responses/.test(path) ? 'openai_responses' : 'gemini');

/** Each of these calls has one of these results, and no other. */
const matched = (asked, got, where) => [
	...asked.filter((id, i) => asked.indexOf(id) !== i).map((id) => `${where}: two calls ${id}`),
	...asked.filter((id) => !got.includes(id)).map((id) => `${where}: call ${id} has no result`),
	...got.filter((id) => !asked.includes(id)).map((id) => `${where}: a result of no call: ${id}`),
	...got.filter((id, i) => got.indexOf(id) !== i).map((id) => `${where}: two results of ${id}`),
];

const judges = {
	anthropic({ messages }) {
		const wrong = [];
		const parts = (m, type) => (Array.isArray(m?.content) ? m.content : []).filter((part) => part.type === type);
		if (messages[0].role !== 'user') wrong.push('does not begin with a user');
		if (messages.at(-1).role !== 'user') wrong.push('does not end with a user');
		for (const [i, m] of messages.entries()) {
			if (!m.content.length) wrong.push(`message ${i} is empty`);
			if (parts(m, 'text').some(({ text }) => !text.trim())) wrong.push(`message ${i} has an empty text`);
			if (m.role !== 'assistant' && i && messages[i - 1].role !== 'assistant') {
				if (parts(m, 'tool_result').length) wrong.push(`message ${i}: results not behind their calls`);
			}
			if (m.role === 'assistant') {
				const next = messages[i + 1];
				wrong.push(...matched(parts(m, 'tool_use').map(({ id }) => id), parts(next, 'tool_result').map((r) => r.tool_use_id), `message ${i}`));
				if (parts(next, 'tool_result').length && next.content[0].type !== 'tool_result') wrong.push(`message ${i + 1}: a result behind a text`);
				if (m.content.at(-1)?.type === 'thinking') wrong.push(`message ${i} ends with a thought`);
				if (next?.role === 'assistant') wrong.push(`message ${i}: two of the assistant`);
			}
		}
		return wrong;
	},
	openai({ messages }) {
		const wrong = [];
		if (!['user', 'tool'].includes(messages.at(-1).role)) wrong.push(`ends with ${messages.at(-1).role}`);
		for (const [i, m] of messages.entries()) {
			if (m.role === 'assistant' && !m.content && !m.tool_calls?.length) wrong.push(`message ${i} says nothing`);
			if (m.role === 'tool' && !['assistant', 'tool'].includes(messages[i - 1].role)) wrong.push(`message ${i}: a result not behind its call`);
			if (m.role !== 'assistant') continue;
			const behind = messages.slice(i + 1), end = behind.findIndex(({ role }) => role !== 'tool');
			wrong.push(...matched((m.tool_calls ?? []).map(({ id }) => id), behind.slice(0, end < 0 ? undefined : end).map((r) => r.tool_call_id), `message ${i}`));
			for (const { function: { arguments: text } } of m.tool_calls ?? []) JSON.parse(text);
		}
		return wrong;
	},
	openai_responses({ input }) {
		const ids = (type) => input.filter((item) => item.type === type).map((item) => item.call_id);
		const last = input.at(-1), wrong = matched(ids('function_call'), ids('function_call_output'), 'input');
		if (last.role !== 'user' && last.type !== 'function_call_output') wrong.push(`ends with ${last.role ?? last.type}`);
		for (const [i, item] of input.entries()) {
			if (item.type === 'function_call' && input.findIndex((o) => o.type === 'function_call_output' && o.call_id === item.call_id) < i) wrong.push(`result of ${item.call_id} before it`);
			if (item.type === 'reasoning' && !['function_call', 'message', 'reasoning'].includes(input[i + 1]?.type ?? 'message')) wrong.push(`item ${i}: a thought that nothing follows`);
		}
		return wrong;
	},
	gemini({ contents }) {
		const wrong = [];
		const names = (content, member) => (content?.parts ?? []).filter((part) => part[member]).map((part) => part[member].id ?? part[member].name);
		if (contents[0].role !== 'user') wrong.push('does not begin with a user');
		if (contents.at(-1).role !== 'user') wrong.push('does not end with a user');
		for (const [i, content] of contents.entries()) {
			if (!content.parts.length) wrong.push(`content ${i} is empty`);
			if (content.role === 'model') {
				wrong.push(...matched(names(content, 'functionCall'), names(contents[i + 1], 'functionResponse'), `content ${i}`));
				const call = content.parts.find((part) => part.functionCall);
				if (call && !call.thoughtSignature) wrong.push(`content ${i}: a call without a signature`);
				if (contents[i + 1]?.role === 'model') wrong.push(`content ${i}: two of the model`);
			} else if (names(content, 'functionResponse').length && contents[i - 1]?.role !== 'model') wrong.push(`content ${i}: results not behind their calls`);
		}
		return wrong;
	},
};

export const flaws = (kind, body) => judges[kind](body);
