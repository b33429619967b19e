"""embed.py OUT TOOLS.json FIXTURES.json: both as C texts. A tool is the members of its
object, so that more can be added; the fixtures are one text."""
import json
import sys


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def literal(text):
    lines = [text[i:i + 80] for i in range(0, len(text), 80)]
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return "".join('\n\t"%s"' % line for line in escaped)


out, tools, fixtures = sys.argv[1:4]
with open(tools, encoding="utf-8") as file:
    tools = json.load(file)
with open(fixtures, encoding="utf-8") as file:
    fixtures = json.load(file)
with open(out, "w", encoding="utf-8") as file:
    file.write('#include "mcp/tools.h"\n\nconst struct tool_text tool_texts[] = {\n')
    for tool in tools:
        output = tool.pop("outputSchema", None)
        file.write("{ %s,%s,%s },\n" % (json.dumps(tool["name"]), literal(compact(tool)[1:-1]),
                                       literal(compact(output)) if output else " NULL"))
    file.write("{ 0 } };\n\nconst char fixtures_text[] =%s;\n" % literal(compact(fixtures)))
