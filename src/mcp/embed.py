"""embed.py OUT TOOLS.json: the tools as C texts, each the members of its object."""
import json
import sys

with open(sys.argv[2], encoding="utf-8") as file:
    tools = json.load(file)
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write('/* Made from tools.json. */\n#include "mcp/tools.h"\n\n')
    out.write("const struct tool_text tool_texts[] = {\n")
    for tool in tools:
        text = json.dumps(tool, ensure_ascii=False, separators=(",", ":"))[1:-1]
        lines = [text[i:i + 80] for i in range(0, len(text), 80)]
        out.write('\t{ %s,\n' % json.dumps(tool["name"]))
        for line in lines:
            out.write('\t\t"%s"\n' % line.replace("\\", "\\\\").replace('"', '\\"'))
        out.write("\t},\n")
    out.write("\t{ 0 },\n};\n")
