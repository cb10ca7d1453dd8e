// What pages do beyond plain forms and links; each works without it.
"use strict";

const TYPING_MILLISECONDS = 200;

// A slash puts the cursor into the search.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("[data-search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// Says in a place that the session is gone, with a link that leads back here.
function tellSignedOut(place) {
  if (place.querySelector("[data-signed-out]")) return;
  const line = document.createElement("span"), link = document.createElement("a");
  const here = location.pathname + location.search;
  line.dataset.signedOut = "";
  link.href = `${document.body.dataset.signIn}?${new URLSearchParams({next: here})}`;
  link.textContent = "sign in";
  line.append("You are signed out: ", link, ", and go on here.");
  place.replaceChildren(line);
}

// Whether the session is gone. The page for signing in leads whoever has signed in elsewhere.
async function isSignedOut() {
  try {
    return (await fetch(document.body.dataset.signIn, {redirect: "manual"})).type !== "opaqueredirect";
  } catch {
    return false; // nobody answers
  }
}

// Puts a part of a page in place. The browser parses it as a document, in which no script runs.
function fetchPart(address, place, done) {
  const request = new XMLHttpRequest();
  request.open("GET", address);
  request.responseType = "document";
  request.onload = () => {
    if (new URL(request.responseURL).pathname === document.body.dataset.signIn) return tellSignedOut(place);
    if (request.status !== 200 || !request.response) return;
    place.replaceChildren(...document.importNode(request.response.body, true).childNodes);
    if (done) done();
  };
  request.send();
  return request;
}

// Calls `look` a little after the last change, and lets go of an answer that is not wanted any more.
function asOneTypes(fields, look) {
  let timer = 0, running = null, before = null;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const address = look();
      if (address === before) return;
      before = address;
      if (running) running.abort();
      running = address === null ? null : fetchPart(address, look.place, look.done);
    }, TYPING_MILLISECONDS);
  };
  for (const field of fields) field.addEventListener("input", changed);
}

for (const form of document.querySelectorAll("form[data-live]")) {
  const empty = location.pathname;
  const look = () => {
    const values = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...values]) if (!value) values.delete(name);
    const isEmpty = ![...values].length;
    // Whoever comes back, or loads the page again, finds the same search.
    history.replaceState(history.state, "", isEmpty ? empty : `${form.action}?${values}`);
    if (isEmpty) { look.place.replaceChildren(); return null; }
    return `${form.action}?${values}&fragment=true`;
  };
  look.place = document.getElementById(form.dataset.live);
  asOneTypes(form.querySelectorAll("input, select"), look);
}

for (const field of document.querySelectorAll("[data-picker]")) {
  const picked = document.getElementById("picked");
  const look = () => `${field.dataset.picker}?${new URLSearchParams({words: field.value})}`;
  look.place = document.getElementById("picks");
  // What is picked moves to the others that are, so that the next search does not lose it.
  const keep = () => {
    const known = new Set([...picked.querySelectorAll("input")].map((box) => box.value));
    for (const box of look.place.querySelectorAll("input")) if (known.has(box.value)) box.closest("li").remove();
  };
  look.done = keep;
  look.place.addEventListener("change", (event) => {
    const entry = event.target.closest("li");
    if (!entry || !event.target.checked) return;
    const line = document.createElement("li");
    line.append(event.target.closest("label"));
    picked.append(line);
    entry.remove();
    line.querySelector("input").focus();
  });
  asOneTypes([field], look);
}

// A line for each note as it arrives, once each, whatever becomes of the connection.
for (const list of document.querySelectorAll("[data-feed]")) {
  const state = document.getElementById("feed-state");
  let after = Number(list.dataset.after);
  list.scrollTop = list.scrollHeight;
  const show = (note) => {
    if (!(note.n > after)) return;
    after = note.n;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const entry = document.createElement("li"), line = document.createElement("span"), by = document.createElement("bdi");
    const who = document.createElement("span");
    entry.dataset.n = note.n;
    entry.className = "new";
    line.dir = "auto";
    line.textContent = note.line;
    by.textContent = note.by;
    who.className = "dim";
    who.append(by);
    entry.append(line, " ", who);
    list.append(entry);
    while (list.children.length > 1000) list.firstElementChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  };
  const open = () => {
    const source = new EventSource(`${list.dataset.feed}?after=${after}`);
    source.onopen = () => { state.textContent = "Notes appear here as they arrive."; };
    source.addEventListener("note", (event) => show(JSON.parse(event.data)));
    source.onerror = async () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      if (isRefused) setTimeout(open, 10_000);
      if (isRefused && await isSignedOut()) tellSignedOut(state);
      else state.textContent = "The connection is interrupted; it is tried again.";
    };
    addEventListener("pagehide", () => source.close(), {once: true});
  };
  open();
}
