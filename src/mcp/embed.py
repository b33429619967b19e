"""embed.py OUT TOOLS.json: the tools as a C table. A tool is the members of its object, so
that more can be added; "asks" and "runs" are not shown to models. "{templates}" in one is the place of the
names of templates."""
import json
import sys


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def literal(text):
    lines = [text[i:i + 80] for i in range(0, len(text), 80)]
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return "".join('\n\t"%s"' % line for line in escaped)


out, tools = sys.argv[1:3]
with open(tools, encoding="utf-8") as file:
    tools = json.load(file)
with open(out, "w", encoding="utf-8") as file:
    file.write('#include "mcp/tools.h"\n\nconst struct tool own_tools[] = {\n')
    for tool in tools:
        output = tool.pop("outputSchema", None)
        asks = tool.pop("asks", {})
        runs = tool.pop("runs", False)
        file.write("{ %s,%s,%s, %s, %s, %s },\n" % (
            json.dumps(tool["name"]), literal(compact(tool)[1:-1]),
            literal(compact(output)) if output else " NULL",
            json.dumps(asks["dialect"]) if asks else "NULL",
            "true" if asks.get("forms") else "false",
            "true" if runs else "false"))
    file.write("{ 0 } };\n")
