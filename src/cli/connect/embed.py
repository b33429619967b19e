"""embed.py OUT AGENTS.json: the agents as a C table. Marks of a value stand for more than a
string: they lose their quotes. "{env}" stands for members, with the comma before them."""
import json
import sys


def text(value):
    if value is None:
        return "NULL"
    return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')


def value_of(value):
    out = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    out = out.replace(',"{env}":""', "{env}")
    for mark in ("{command}", "{mcp}", "{hook}", "{prompts}", "{url}"):
        out = out.replace('"%s"' % mark, mark)
    return text(out)


def members(value):
    return text("," + json.dumps(value, separators=(",", ":"))[1:-1]) if value else "NULL"


def flag(value):
    return "true" if value else "false"


def change(c):
    return "{ &%s, %s, %s, %s, %s, %s }" % (
        c["file"], text(c["path"]), value_of(c["value"]), flag(c.get("item")),
        text(c.get("known")), flag(c.get("trusts")))


def agent(a):
    fields = [(name, text(a.get(name)))
              for name in ("name", "title", "program", "hook", "run", "approve")]
    fields.append(("env", members(a.get("env"))))
    for name in ("changes", "hooks", "prompts"):
        if name in a:
            fields.append((name, "{ %s }" % ",\n".join(map(change, a[name]))))
    if "remote" in a:
        r = a["remote"]
        fields.append(("remote", "{ %s, %s, %s }" % (
            text(r["file"]), text(r.get("token")), value_of(r["value"]))))
    return "{ %s }" % ",\n".join(".%s = %s" % field for field in fields)


out, table = sys.argv[1:3]
with open(table, encoding="utf-8") as file:
    table = json.load(file)
with open(out, "w", encoding="utf-8") as file:
    file.write('#include "cli/connect/agents.h"\n\n')
    for name, f in table["files"].items():
        file.write("static const struct agent_file %s = { CONFIG_%s, %s };\n" % (
            name, f["format"].upper(), ", ".join(
                text(f.get(member)) for member in ("env", "folder", "name", "other", "project"))))
    file.write("\nconst struct agent agents[] = {\n%s,\n{ 0 } };\n"
               % ",\n".join(map(agent, table["agents"])))
