// LangGraph: a node that interrupts with what the Agent Inbox shows, and goes on with its response.
import { Annotation, Command, END, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';
import { SEND } from './send.mjs';

export const dialect = 'agent_inbox';
export const edits = true;

export async function approval({ execute, decide }) {
	const send = async () => {
		const [{ type, args }] = interrupt([{ action_request: { action: SEND.name, args: { to: 'ada', text: 'Hi' } }, description: SEND.description,
			config: { allow_ignore: true, allow_respond: true, allow_edit: true, allow_accept: true } }]);
		return { said: type === 'accept' || type === 'edit' ? await execute(args.args) : String(args ?? type) };
	};
	const graph = new StateGraph(Annotation.Root({ said: Annotation() })).addNode(SEND.name, send)
		.addEdge(START, SEND.name).addEdge(SEND.name, END).compile({ checkpointer: new MemorySaver() });
	const thread = { configurable: { thread_id: '1' } };
	const stopped = await graph.invoke({}, thread);
	const { said } = await graph.invoke(new Command({ resume: await decide(stopped.__interrupt__[0].value) }), thread);
	return said;
}
