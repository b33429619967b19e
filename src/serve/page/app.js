// The plain page: log in, see what waits, give the simple answers. Everything is put into the
// document as text, never as markup.
"use strict";
const words = {
  en: { what: "The desk where agents ask and people answer.", none: "Nothing is waiting.",
    waiting: (n) => (n === 1 ? "1 ask is waiting." : n + " asks are waiting."),
    login: "Log in with the link that the server printed, or with your password.",
    used: "That link was used or has run out. Ask for a new one: parley user login NAME",
    bad: "Name or password is wrong.", name: "Name", password: "Password", enter: "Log in",
    yes: "Yes", no: "No", approve: "Approve", reject: "Reject", skip: "Skip", send: "Answer",
    says: "Agent says", lost: "The server cannot be reached; trying again.",
    more: "Answer it with: parley answer " },
  fr: { what: "Le bureau où les agents demandent et où les personnes répondent.", none: "Rien n’attend.",
    waiting: (n) => (n < 2 ? n + " demande attend." : n + " demandes attendent."),
    login: "Connectez-vous avec le lien affiché par le serveur, ou avec votre mot de passe.",
    used: "Ce lien a servi ou a expiré. Demandez-en un autre : parley user login NOM",
    bad: "Nom ou mot de passe incorrect.", name: "Nom", password: "Mot de passe", enter: "Se connecter",
    yes: "Oui", no: "Non", approve: "Approuver", reject: "Refuser", skip: "Passer", send: "Répondre",
    says: "L’agent dit", lost: "Le serveur est injoignable ; nouvel essai.",
    more: "Répondez avec : parley answer " },
};
const language = (navigator.language || "en").toLowerCase().startsWith("fr") ? "fr" : "en";
const t = words[language];
const by = (id) => document.getElementById(id);
const say = (text) => { by("state").textContent = text; };

function make(tag, text, className) {
  const e = document.createElement(tag);
  e.textContent = text || "";
  if (className) e.className = className;
  return e;
}

async function post(path, body) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

async function settle(ask, verb, body) {
  await post("/v1/asks/" + ask.id + "/" + verb, body);
  await show();
}

function choices(ask) {
  const q = ask.questions[0];
  if (ask.questions.length > 1) return null;
  const list = { boolean: [[t.yes, true], [t.no, false]], approval: [[t.approve, "approve"], [t.reject, "reject"]],
    choice: (q.options || []).map((o) => [o.label, { selected: [o.id] }]) };
  return list[q.type] || null;
}

function card(ask) {
  const li = make("li");
  li.append(make("p", ask.agent.name + " · " + (ask.session_title || ""), "meta"));
  for (const q of ask.questions) li.append(make("p", q.text));
  if (ask.operation) li.append(make("pre", ask.operation.name + " " + JSON.stringify(ask.operation.arguments, null, 2)));
  if (ask.context && ask.context.text) li.append(make("p", t.says + ": " + ask.context.text));
  const list = choices(ask);
  if (list) for (const [label, value] of list) {
    const b = make("button", label);
    b.addEventListener("click", () => settle(ask, "answer", { answer: value }));
    li.append(b);
  } else if (ask.questions.length === 1 && ask.questions[0].type === "text") {
    const input = make("input");
    input.setAttribute("aria-label", ask.questions[0].text);
    const b = make("button", t.send);
    b.addEventListener("click", () => settle(ask, "answer", { answer: input.value }));
    li.append(input, b);
  } else li.append(make("p", t.more + ask.id, "meta"));
  const b = make("button", t.skip);
  b.addEventListener("click", () => settle(ask, "skip", {}));
  li.append(b);
  return li;
}

let source = null;
async function show() {
  const reply = await fetch("/v1/asks");
  by("login").hidden = reply.status !== 401;
  if (reply.status === 401) { if (!by("state").textContent) say(t.login); by("asks").replaceChildren(); return; }
  const page = await reply.json();
  document.title = (page.items.length ? "(" + page.items.length + ") " : "") + "Parley";
  say(page.items.length ? t.waiting(page.items.length) : t.none);
  by("asks").replaceChildren(...page.items.map(card));
  if (source) return;
  source = new EventSource("/v1/events?after=" + page.as_of);
  for (const type of ["created", "answered", "skipped", "expired", "cancelled", "replied"])
    source.addEventListener("ask." + type, show);
  source.onerror = () => say(t.lost);
  source.onopen = show;
}

async function start() {
  document.documentElement.lang = language;
  by("what").textContent = t.what;
  by("l-name").textContent = t.name;
  by("l-password").textContent = t.password;
  by("b-login").textContent = t.enter;
  by("login").addEventListener("submit", async (e) => {
    e.preventDefault();
    const f = new FormData(e.target);
    const reply = await post("/v1/login", { name: f.get("name"), password: f.get("password") });
    say(reply.ok ? "" : t.bad);
    await show();
  });
  if (location.pathname === "/login" && location.hash.length > 1) {
    const reply = await post("/v1/login", { code: location.hash.slice(1) });
    history.replaceState(null, "", "/");
    if (!reply.ok) say(t.used);
  }
  await show();
}
start();
