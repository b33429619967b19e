// The tool that needs an approval, as every framework's driver has it.
export const SEND = {
	name: 'send',
	description: 'Send a message',
	schema: { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' } }, required: ['to', 'text'] },
};
/** The tool that stops in the middle to ask. */
export const CITY = { name: 'city', description: 'Find the city', text: 'Which city?' };
