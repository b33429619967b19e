// What each agent writes to its hook before it runs `ls`.
export const EVENTS = {
	claude: { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' },
	gemini: { hook_event_name: 'BeforeTool', session_id: 's', tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
	copilot: { sessionId: 's', toolName: 'bash', toolArgs: '{"command":"ls"}' },
	droid: { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Execute', tool_input: { command: 'ls' } },
	codex: { hook_event_name: 'PreToolUse', session_id: 's', turn_id: 't', tool_name: 'Bash', tool_input: { command: 'ls' } },
	qwen: { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'run_shell_command', tool_input: { command: 'ls' } },
};
