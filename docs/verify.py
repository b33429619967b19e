#!/usr/bin/env python3
# verify.py - python3 verify.py RECEIPT KEYS: who decided what, checked without the server, by Python's own modules and openssl.
import base64, hashlib, json, subprocess, sys, tempfile
from datetime import datetime

def must(ok, word):
    if not ok: sys.exit(word)

def read(text, word="shape"):  # numbers keep their text, as they were signed
    try: return json.loads(text, parse_float=Number, parse_int=Number)
    except ValueError: sys.exit(word)

class Number(str): pass

def decode(part):
    try: data = base64.b64decode(part + "=" * (-len(part) % 4), b"-_", validate=True)
    except Exception: sys.exit("shape")
    return data if data and base64.urlsafe_b64encode(data).decode().rstrip("=") == part else sys.exit("shape")

def canonical(v):  # RFC 8785
    if isinstance(v, Number): return str(v)
    if isinstance(v, list): return "[" + ",".join(map(canonical, v)) + "]"
    if not isinstance(v, dict): return json.dumps(v, ensure_ascii=False)
    names = sorted(v, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + canonical(v[n]) for n in names) + "}"

def sha(*parts): return hashlib.sha256(b"".join(p if isinstance(p, bytes) else p.encode() for p in parts)).hexdigest()
def number(n): return int(n).to_bytes(8, "big")
def text(s, most=64): return number(len(s.encode())) + s.encode()[:most]

def signed(key, over, signature):  # 302a… is what stands before an Ed25519 key in DER (RFC 8410)
    with tempfile.TemporaryDirectory() as at:
        parts = {"key": bytes.fromhex("302a300506032b6570032100") + decode(key["x"]), "over": over.encode(), "sig": signature}
        for name, data in parts.items(): open(f"{at}/{name}", "wb").write(data)
        return subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", f"{at}/key", "-rawin",
            "-in", f"{at}/over", "-sigfile", f"{at}/sig"], capture_output=True).returncode == 0

receipt, known = read(open(sys.argv[1]).read()), read(open(sys.argv[2]).read(), "kid")
must(isinstance(receipt, dict) and sorted(receipt) == ["payload", "protected", "signature"], "shape")
head, said, signature = read(decode(receipt["protected"])), read(decode(receipt["payload"])), decode(receipt["signature"])
must(head.get("alg") == "EdDSA" and head.get("typ") == "parley-receipt" and len(head) == 3, "alg")
key = next((k for k in known.get("keys", [known]) if k.get("kid") == head["kid"] and k.get("crv") == "Ed25519"), None)
must(key, "kid")
must(not key.get("revoked"), "revoked")
must(signed(key, receipt["protected"] + "." + receipt["payload"], signature), "signature")
names = ["ask", "status", "answer", "answered_by", "approved_digest", "reason"] + (["revoked"] if said["revoked"] else [])
must(said["decision"] == "sha256:" + sha(canonical({n: said[n] for n in names})), "decision")
e = said["event"]
ms = round(datetime.fromisoformat(e["at"].replace("Z", "+00:00")).timestamp() * 1000)
hashed = sha(bytes.fromhex(e["before"]), number(e["ws"]), number(e["n"]), number(ms), *map(text, (e["type"], e["session"], e["ask"], e["run"])),
    hashlib.sha256(e["data"].encode()).digest(), b"" if int(e["form"]) == 1 else text(e["agent"], None))
logged = read(e["data"]).get("decision")
must(hashed == e["hash"] and e["ask"] == said["ask"] and e["session"] == said["session"] and logged in (None, said["decision"]), "event")
print(f"{said['outcome']}: {said['title'] or said['questions'][0]['text']}")
print((said["answered_by"] or {}).get("name") or "nobody", said["settled_at"], "" if logged else "(not in the log)")
