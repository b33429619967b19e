/* Our own tools in people's words. */
import type { ToolGroup } from '../../lib/agents';
import { t, type MessageId } from '../../lib/i18n.svelte';
import { visible } from '../../lib/visible';

const known: Record<string, [name: MessageId, about: MessageId]> = {
	ask_user_question: ['web.tool.ask_user_question', 'web.tool.ask_user_question.about'],
	report: ['web.tool.report', 'web.tool.report.about'],
	memory: ['web.tool.memory', 'web.tool.memory.about'],
	todo: ['web.tool.todo', 'web.tool.todo.about'],
	delegate_task: ['web.tool.delegate_task', 'web.tool.delegate_task.about'],
	spawn_agent: ['web.tool.spawn_agent', 'web.tool.spawn_agent.about'],
	parallel_tasks: ['web.tool.parallel_tasks', 'web.tool.parallel_tasks.about'],
};

/** What it is called, and what it does. Of a tool that is not ours, its own words. */
export function toolWords({ name, description }: ToolGroup): { name: string; about: string } {
	const ids = known[name];
	if (!ids) return { name: visible(name), about: visible(description) };
	return { name: t(ids[0]), about: t(ids[1]) };
}
