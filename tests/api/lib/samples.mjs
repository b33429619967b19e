// Questions that many tests ask.
export const choice = (extra = {}) => ({
	key: 'env', header: 'Environment', text: 'Where shall I deploy?', type: 'choice',
	options: [
		{ id: 'staging', label: 'Staging', description: 'The rehearsal' },
		{ id: 'production', label: 'Production' },
	],
	...extra,
});
export const text = (extra = {}) => ({ key: 'why', text: 'Why?', type: 'text', ...extra });
export const approval = (extra = {}) => ({
	kind: 'approval',
	operation: { type: 'tool', name: 'shell', arguments: { cmd: 'make deploy' }, risk: 'high' },
	...extra,
});

export const pointers = (reply) => (reply.body.errors ?? []).map((e) => e.pointer).sort();
