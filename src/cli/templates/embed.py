"""embed.py OUT TEMPLATE…: each template as a C text, template_NAME."""
import json
import os
import sys

out, *files = (word for word in sys.argv[1:] if not word.endswith(".py"))
with open(out, "w", encoding="utf-8") as made:
    made.write('#include "cli/templates/templates.h"\n')
    for path in files:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        made.write(f"\nconst char template_{os.path.basename(path)}[] =\n")
        made.write("\n".join("\t" + json.dumps(line, ensure_ascii=False) for line in lines) + ";\n")
