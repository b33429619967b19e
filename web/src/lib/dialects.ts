/* Whose words an ask came in: proper names, the same in every language. */
const names: Record<string, string> = {
	ask_user_question: 'AskUserQuestion',
	user_question: 'UserQuestionTool',
	ask_question: 'ask_question',
	elicitation: 'MCP elicitation',
	permission: 'Claude Code',
	codex: 'Codex',
	gemini: 'Gemini CLI',
	opencode: 'opencode',
	agent_inbox: 'LangGraph Agent Inbox',
	langchain_hitl: 'LangChain',
	ag_ui: 'AG-UI',
	acp: 'Agent Client Protocol',
	a2a: 'Agent2Agent',
	vercel: 'AI SDK',
	airflow: 'Airflow',
	humanlayer: 'HumanLayer',
	openai_agents: 'OpenAI Agents',
	mastra: 'Mastra',
};

export const dialects = Object.keys(names);

/** A dialect of a later server goes by the name it has there. */
export const dialectName = (dialect: string): string => names[dialect] ?? dialect;
