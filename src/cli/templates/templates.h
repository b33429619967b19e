/* templates.h - --help, the completions of the shells and the manual pages, as texts with gaps. */
#ifndef CLI_TEMPLATES_TEMPLATES_H
#define CLI_TEMPLATES_TEMPLATES_H

extern const char template_help_verb[], template_help_overview[], template_help_all[],
	template_bash[], template_zsh[], template_fish[], template_man_verb[],
	template_man_overview[], template_man_settings[];

#endif
