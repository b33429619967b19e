// Habits of servers that speak a vendor's wire their own way, and errors of every kind, cut at random places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random as seeded } from '../lib/random.mjs';
import { cuts, wire } from './lib/wire.mjs';

const random = seeded(23);
const lines = (...events) => events.map((e) => (typeof e === 'string' ? e : `data: ${JSON.stringify(e)}\n\n`)).join('');
/** The reply, the same for ten ways to cut it. */
async function read(kind, text, status = 200) {
	const first = await wire({ read: kind, status, text });
	for (let n = 0; n < 10; n++) assert.deepEqual(await wire({ read: kind, status, text, cuts: cuts(random, Buffer.byteLength(text)) }), first);
	return first;
}
const chunk = (delta, finish_reason = null, more = {}) => ({ choices: [{ index: 0, delta, finish_reason }], ...more });
const calls = (reply) => reply.content.filter((p) => p.type === 'tool_call').map((p) => [p.name, p.arguments]);
const call = (name, args, more = {}) => ({ ...more, function: { name, arguments: args } });

test('openai: calls without an index, or all with the same', async () => {
	for (const index of [{}, { index: 0 }]) {
		const reply = await read('openai', lines(chunk({ tool_calls: [call('a', '{"x":', { id: 'c1', ...index })] }),
			chunk({ tool_calls: [{ ...index, function: { arguments: '1}' } }] }), chunk({ tool_calls: [call('b', '{}', { id: 'c2', ...index })] }),
			chunk({}, 'stop'), 'data: [DONE]\n\n'));
		assert.deepEqual(calls(reply), [['a', { x: 1 }], ['b', {}]]);
		assert.deepEqual([reply.stop, reply.trouble], ['calls', '']);
	}
});

test('openai: calls without an id get one each, the same whenever they are read', async () => {
	const text = lines(chunk({ tool_calls: [call('a', '{"x":1}'), call('a', '{"x":2}')] }), chunk({}, 'tool_calls'));
	const reply = await read('openai', text);
	assert.deepEqual(calls(reply), [['a', { x: 1 }], ['a', { x: 2 }]]);
	const ids = reply.content.map((p) => p.id);
	assert.equal(new Set(ids).size, 2);
	for (const id of ids) assert.match(id, /^parley_[0-9a-f]{16}$/);
});

test('openai: arguments as an object, none at all, and null', async () => {
	const reply = await read('openai', lines(chunk({ tool_calls: [call('a', { x: [1] }, { index: 0, id: '1' }), call('b', '', { index: 1, id: '2' }),
		call('c', null, { index: 2, id: '3' }), call('d', 'null', { index: 3, id: '4' })] }), chunk({}, 'tool_calls')));
	assert.deepEqual(calls(reply), [['a', { x: [1] }], ['b', {}], ['c', {}], ['d', {}]]);
});

test('openai: id and name in every delta', async () => {
	const reply = await read('openai', lines(chunk({ tool_calls: [call('a', '{"x"', { index: 0, id: '1' })] }),
		chunk({ tool_calls: [call('a', ':1}', { index: 0, id: '1' })] }), chunk({}, 'tool_calls')));
	assert.deepEqual(calls(reply), [['a', { x: 1 }]]);
});

test('openai: no [DONE], usage beside the end, comments between', async () => {
	const reply = await read('openai', lines(': OPENROUTER PROCESSING\n\n', chunk({ role: 'assistant', content: '' }), chunk({ content: 'hi' }),
		chunk({}, 'stop', { usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: null, cost: 0.00012 } })));
	assert.deepEqual([reply.content, reply.trouble, reply.usage.input, reply.cost], [[{ type: 'text', text: 'hi' }], '', 9, 120_000]);
});

test('openai: reasoning_content, reasoning, and details that go back to the same model alone', async () => {
	const deep = await read('openai', lines(chunk({ reasoning_content: 'hm ' }), chunk({ reasoning_content: 'so', content: '' }),
		chunk({ tool_calls: [call('a', '{}', { index: 0, id: '1' })] }), chunk({}, 'tool_calls',
			{ usage: { prompt_tokens: 10, prompt_cache_hit_tokens: 4, completion_tokens: 1 } })));
	assert.deepEqual([deep.content[0], deep.kept, deep.usage.cache_read, deep.usage.input],
		[{ type: 'thought', text: 'hm so' }, { wire: 'openai', parts: [{ as: 'reasoning_content' }] }, 4, 6]);
	const details = [{ type: 'reasoning.encrypted', data: 'zzz', id: 'r1', format: 'x', index: 0 }];
	const routed = await read('openai', lines(chunk({ reasoning: 'hm', reasoning_details: details }), chunk({ content: 'ok' }), chunk({}, 'stop')));
	const write = async (model) => (await wire({ write: 'openai', request: { model, messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] },
		{ role: 'assistant', content: routed.content, kept: routed.kept, kept_model: 'm' }] } })).body.messages[1];
	assert.deepEqual(await write('m'), { role: 'assistant', content: 'ok', reasoning_details: details });
	assert.deepEqual(await write('n'), { role: 'assistant', content: 'ok' });
});

test('openai: errors inside a stream', async () => {
	const half = chunk({ content: 'half' });
	for (const [event, trouble, retry] of [
		[{ error: { code: 429, message: 'slow' } }, 'rate_limited', true],
		[{ error: { code: 502, message: 'bad upstream' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] }, 'overloaded', true],
		[{ error: { code: 'insufficient_quota', message: 'pay' } }, 'no_credit', false],
		[{ error: { code: 'context_length_exceeded', message: 'long' } }, 'too_long', false],
		[{ error: { message: 'what?' } }, 'overloaded', true],
	]) {
		const reply = await read('openai', lines(half, event));
		assert.deepEqual([reply.trouble, reply.retry, reply.content], [trouble, retry, []]);
	}
	const cut = await read('openai', lines(half));
	assert.deepEqual([cut.trouble, cut.retry, cut.content], ['unreachable', true, []]);
});

test('openai: length, filters and refusals', async () => {
	assert.equal((await read('openai', lines(chunk({ content: 'x' }, 'length')))).trouble, 'cut');
	assert.equal((await read('openai', lines(chunk({ content: 'x' }, 'content_filter')))).trouble, 'declined');
	const refused = await read('openai', lines(chunk({ refusal: 'I will not.' }), chunk({}, 'stop')));
	assert.deepEqual([refused.trouble, refused.content], ['declined', [{ type: 'text', text: 'I will not.' }]]);
});

test('openai: arguments that are no JSON', async () => {
	const reply = await read('openai', lines(chunk({ tool_calls: [call('a', '{"x":', { index: 0, id: '1' })] }), chunk({}, 'tool_calls')));
	assert.deepEqual(reply.content[0].arguments, {});
	assert.ok(reply.content[0].unreadable);
	const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;
	const deeper = await read('openai', lines(chunk({ tool_calls: [call('a', deep, { index: 0, id: '1' })] }), chunk({}, 'tool_calls')));
	assert.match(deeper.content[0].unreadable, /deep/);
});

test('responses: what is told in the last event alone, and how it fails', async () => {
	const event = (type, response) => ({ type, response });
	const output = [{ type: 'message', id: 'm', content: [{ type: 'output_text', text: 'hi' }] },
		{ type: 'function_call', call_id: 'c', name: 'a', arguments: '{"x":1}' }];
	const whole = await read('openai_responses', lines(event('response.completed', { status: 'completed', output, usage: { input_tokens: 3, output_tokens: 4 } })));
	assert.deepEqual([whole.content[0], calls(whole), whole.usage.output], [{ type: 'text', text: 'hi' }, [['a', { x: 1 }]], 4]);
	for (const [text, trouble] of [
		[lines(event('response.failed', { error: { code: 'rate_limit_exceeded', message: 'x' } })), 'rate_limited'],
		[lines(event('response.failed', { error: { code: 'server_error', message: 'x' } })), 'overloaded'],
		[lines({ type: 'error', code: 'server_error', message: 'x', param: null }), 'overloaded'],
		[lines(event('response.incomplete', { output, incomplete_details: { reason: 'max_output_tokens' } })), 'cut'],
		[lines(event('response.incomplete', { output, incomplete_details: { reason: 'content_filter' } })), 'declined'],
		[lines(event('response.created', {})), 'unreachable'],
	]) assert.equal((await read('openai_responses', text)).trouble, trouble, text);
});

test('gemini: calls without ids, seals, blocks and errors', async () => {
	const part = (...parts) => ({ candidates: [{ content: { role: 'model', parts } }] });
	const end = (finishReason) => ({ candidates: [{ finishReason }] });
	const reply = await read('gemini', lines(part({ text: 'a' }, { text: 'b', thoughtSignature: 's1' }, { text: 'c' }, { text: '', thoughtSignature: 's2' }),
		part({ functionCall: { name: 'x', args: { n: 1 } }, thoughtSignature: 's3' }, { functionCall: { name: 'x' } }), end('STOP')));
	assert.deepEqual(reply.content.map((p) => p.text ?? p.arguments), ['ab', 'c', '', { n: 1 }, {}]);
	assert.deepEqual(reply.kept.parts, [{ seal: 's1' }, null, { seal: 's2' }, { seal: 's3' }]);
	const back = (await wire({ write: 'gemini', request: { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] },
		{ role: 'assistant', content: reply.content, kept: reply.kept, kept_model: 'm' }] } })).body.contents[1].parts;
	assert.deepEqual(back, [{ text: 'ab', thoughtSignature: 's1' }, { text: 'c' }, { text: '', thoughtSignature: 's2' },
		{ functionCall: { name: 'x', args: { n: 1 } }, thoughtSignature: 's3' }, { functionCall: { name: 'x', args: {} } }]);
	for (const [reason, trouble] of [['SAFETY', 'declined'], ['RECITATION', 'declined'], ['MAX_TOKENS', 'cut'], ['MALFORMED_FUNCTION_CALL', 'overloaded']]) {
		assert.equal((await read('gemini', lines(part({ text: 'x' }), end(reason)))).trouble, trouble);
	}
	assert.equal((await read('gemini', lines({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }))).trouble, 'declined');
	const slow = await read('gemini', JSON.stringify([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota',
		details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }] } }]), 429);
	assert.deepEqual([slow.trouble, slow.retry, slow.retry_after_ms, slow.message], ['rate_limited', true, 34_500, 'quota']);
	const key = await read('gemini', JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid API key.' } }), 400);
	assert.equal(key.trouble, 'unauthorized');
	const long = await read('gemini', JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT',
		message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' } }), 400);
	assert.equal(long.trouble, 'too_long');
});

test('anthropic: an overload inside a 200, a refusal, a pause', async () => {
	const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'so' } };
	const stop = (stop_reason) => ({ type: 'message_delta', delta: { stop_reason } });
	const over = await read('anthropic', lines(start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }));
	assert.deepEqual([over.trouble, over.retry, over.content], ['overloaded', true, []]);
	assert.equal((await read('anthropic', lines(start, stop('refusal')))).trouble, 'declined');
	assert.equal((await read('anthropic', lines(start, stop('pause_turn')))).stop, 'pause');
	assert.equal((await read('anthropic', lines(start, { type: 'content_block_start', index: 1, content_block: { type: 'server_tool_use', id: 's', name: 'web', input: {} } },
		{ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } }, stop('end_turn')))).content.length, 1);
});
