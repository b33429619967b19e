// What a desk looks like on a working day: for the screenshots and for trying things.
export async function seed(server) {
	const agents = {};
	for (const name of ['deployer', 'architect', 'tester', 'writer', 'gardener'])
		agents[name] = server.client(await server.token('agent', name));
	const marie = server.client(await server.token('member', 'Marie'));

	const past = await agents.gardener.session('nightly-cleanup', { project: 'platform' });
	for (const [title, answer] of [['Delete the caches of last year?', true], ['Rotate the logs now?', false]]) {
		const ask = await agents.gardener.ask({ session: past.id, kind: 'non_blocking', question: title, type: 'boolean' });
		await marie.post(`/v1/asks/${ask.id}/answer`, { answer });
	}
	const branches = await agents.gardener.session('repo-gardener', { project: 'platform' });
	await agents.gardener.ask({ session: branches.id, question: 'Delete the 14 stale branches?', type: 'boolean',
		kind: 'non_blocking', suggested: true, context: { text: 'All were merged more than **90 days** ago.' } });

	const mails = await agents.writer.session('support-triage', { project: 'support' });
	await agents.writer.ask({ session: mails.id, kind: 'approval', title: 'Send e-mail to 3 customers',
		operation: { type: 'tool', name: 'mail.send', risk: 'high', arguments: {
			to: ['ana@example.org', 'bo@example.org', 'chi@example.org'], subject: 'Your refund is on its way',
			body: 'Hello,\n\nthe amount will be on your account within three days.' } } });

	const fix = await agents.tester.session('fix-1432', { project: 'checkout' });
	await agents.tester.post(`/v1/sessions/${fix.id}/progress`, { text: 'Running the suite', step: 3, steps: 5 });
	await agents.tester.ask({ session: fix.id, kind: 'error_recovery', title: 'Test suite failed 3 times: flaky or real?',
		context: { error_details: 'AssertionError: expected 200, got 503 (tests/test_checkout.py:88)\n  at checkout()',
			attempt: 3, attempts: 5, text: 'The same test passed on `main` an hour ago.' },
		questions: [{ key: 'recovery', text: 'How should the agent continue?', type: 'choice', note: {}, options: [
			{ id: 'retry', label: 'Retry' }, { id: 'edit', label: 'Edit and retry' },
			{ id: 'quarantine', label: 'Quarantine the test and continue', description: 'Proposed by the agent' },
			{ id: 'skip', label: 'Skip' }, { id: 'abort', label: 'Abort' }], suggested: 'quarantine' }],
		timeout: '23m', default: { recovery: 'skip' } });

	const scaffold = await agents.architect.session('scaffold-billing', { project: 'billing' });
	await agents.architect.ask({ session: scaffold.id, title: 'Which database should the new service use?',
		context: { text: 'The service stores **invoices** and their lines; about 2 million rows a year.' },
		questions: [
			{ key: 'database', header: 'Database', text: 'Which database should the new service use?', type: 'choice',
				other: true, suggested: 'postgres', note: {}, options: [
					{ id: 'postgres', label: 'PostgreSQL', description: 'Already operated by the platform team' },
					{ id: 'sqlite', label: 'SQLite', description: 'Single node, zero operations' },
					{ id: 'mysql', label: 'MySQL', description: 'Matches the legacy billing system' }] },
			{ key: 'features', header: 'Features', text: 'Which features are needed at first?', type: 'choices', min: 1, max: 3,
				options: [{ label: 'Invoices' }, { label: 'Refunds' }, { label: 'Dunning' }, { label: 'Exports' }] },
			{ key: 'name', header: 'Name', text: 'What shall the service be called?', type: 'text', min: 3, max: 40,
				placeholder: 'billing-core' },
			{ key: 'replicas', header: 'Replicas', text: 'How many replicas?', type: 'number', min: 1, max: 9, prefill: 2 }] });

	const release = await agents.deployer.session('release-4.2', { project: 'api' });
	await agents.deployer.post(`/v1/sessions/${release.id}/progress`, { text: 'Building the image', step: 1, steps: 4 });
	await agents.deployer.post(`/v1/sessions/${release.id}/progress`, { text: 'Canary at 10 %, healthy', step: 2, steps: 4 });
	const critical = await agents.deployer.ask({ session: release.id, kind: 'approval', title: 'Run kubectl apply on production',
		timeout: '12m',
		context: { text: 'The canary has been healthy for **30 min**. I want to roll out to the remaining 90%.',
			diff: ['--- a/deploy.yaml', '+++ b/deploy.yaml', '@@ -12,7 +12,7 @@ spec:', '   template:', '     spec:',
				'       containers:', '-        - image: api:4.1.9', '+        - image: api:4.2.0', '           resources:',
				'-            limits: {cpu: 500m}', '+            limits: {cpu: "1"}', ''].join('\n') },
		operation: { type: 'tool', name: 'shell.exec', risk: 'critical',
			arguments: { command: 'kubectl -n prod apply -f deploy.yaml', cwd: '/srv/api', timeout_s: 300 } } });
	for (let i = 1; i <= 6; i++)
		await agents.writer.ask({ session: mails.id, kind: 'approval', title: `Label ticket ${4200 + i} as “billing”`,
			operation: { type: 'tool', name: 'tickets.label', risk: 'low', arguments: { ticket: 4200 + i, label: 'billing' } } });
	await agents.gardener.session('sort-inbox', { project: 'platform' });
	return { agents, marie, critical, release, scaffold, fix };
}
