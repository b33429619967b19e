// loop.mjs - the turns of an agent for runtimes that keep steps, not agents: `step` runs a function once and keeps what it
// gave, `answer` waits durably for a person.
export const askTool = async (url) => (await fetch(`${url}/tool`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).text();

export async function turns(url, text, { step, answer }) {
	const messages = [{ role: 'user', content: text }];
	for (let turn = 0; ; turn++) {
		const said = await step(`model ${turn}`, async () => {
			const reply = await fetch(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ model: 'm', messages }) });
			return (await reply.json()).choices[0].message;
		});
		messages.push(said);
		if (!said.tool_calls) return said.content;
		for (const { id, function: { name } } of said.tool_calls) {
			if (name === 'ask' || name === 'guarded') await answer();
			const content = name === 'todo' || name === 'ask' ? await step(`tool ${turn}`, async () => '[]') : await step(`tool ${turn}`, () => askTool(url));
			messages.push({ role: 'tool', tool_call_id: id, content });
		}
	}
}
