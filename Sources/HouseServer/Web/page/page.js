// The page of `matterctl serve --web`: the house by room, live. It speaks the WebSocket interface of Home Assistant's Matter
// integration, and makes no markup of what devices say: all text goes through textContent.
"use strict";
(() => {

// MARK: Elements and text

const byId = (id) => document.getElementById(id);

/** Characters that hide or turn text around are shown as their numbers. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const clean = (text) => String(text).replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** An element with attributes and children; a child that is no element becomes text. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : clean(value));
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : clean(child));
  }
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, clean(value));
  for (const child of children) element.append(child instanceof Node ? child : clean(child));
  return element;
}

/** Changes text only if it differs, so that nothing is read out twice. */
function write(element, text) {
  const words = clean(text);
  if (element.textContent !== words) element.textContent = words;
}
function mark(element, name, value) {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

// MARK: JSON with integers of 64 bits

const LONG = "\u0000";
/** Integers that a number of JavaScript cannot hold become texts that begin with NUL. */
function parse(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])/g, (part) =>
    part[0] === '"' ? part : `"\\u0000${part}"`));
}
/** A node id as decimal digits, or null. */
function idText(value) {
  const text = typeof value === "string" && value[0] === LONG ? value.slice(1) : String(value);
  return /^\d{1,20}$/.test(text) ? text : null;
}
/** A value for people, and for the filter. */
function valueText(value) {
  if (typeof value === "string") return value[0] === LONG ? value.slice(1) : JSON.stringify(value);
  return JSON.stringify(value).replace(/"\\u0000(-?\d+)"/g, "$1");
}

// MARK: Telling

let sayTimer = 0;
let toSay = [];
/** Tells of a change to those who listen to the page. */
function say(words) {
  toSay.push(words);
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => {
    write(byId("says"), toSay.length > 4 ? `${toSay.length} changes` : toSay.join(". "));
    toSay = [];
  }, 300);
}

/** Shows an error until it is closed, at most three of them. */
function complain(words, kind = "") {
  const place = byId("errors");
  for (const old of [...place.children]) if (old.dataset.words === clean(words)) old.remove();
  const toast = make("div", { class: "toast", "data-words": words, "data-kind": kind }, make("p", null, words));
  toast.append(make("button", { type: "button", onclick: () => toast.remove() }, "Close"));
  place.append(toast);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => toast.remove(), 20000);
}

const withStop = (sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
/** An error of the interface, in words (the numbers are those of python-matter-server). */
function errorWords(error) {
  const told = error.details ? ` The server says: ${withStop(error.details)}` : "";
  switch (error.code) {
  case 3: return `the device is not reachable now.${told}`;
  case 4: return `the device does not answer.${told}`;
  case 5: return `this device is no longer part of the house.${told}`;
  case 7: return `the device refused this.${told}`;
  case 8: return `the server did not understand the values.${told}`;
  case 9: return `the server does not do this.${told}`;
  case "lost": return "the connection was lost. The device may have done it, or not.";
  case "late": return "no answer came in time. The device may have done it, or not.";
  case "away": return "the server is not connected. Nothing was sent.";
  case "gone": return "the device is not reachable now. Nothing was sent.";
  default: return told ? `it did not work.${told}` : "it did not work.";
  }
}

// MARK: The token

const KEY = "matterctl.token";
const store = {
  read() {
    for (const place of ["sessionStorage", "localStorage"]) {
      try {
        const token = window[place].getItem(KEY);
        if (token) return token;
      } catch { /* a browser that keeps nothing */ }
    }
    return null;
  },
  write(token, remember) {
    try { (remember ? localStorage : sessionStorage).setItem(KEY, token); } catch { /* it lasts as long as the page */ }
  },
  clear() {
    for (const place of ["sessionStorage", "localStorage"]) {
      try { window[place].removeItem(KEY); } catch { /* nothing was kept */ }
    }
  },
};
let token = null;

/** Asks for a document of the server: its status, and the value if that is 200. Status 0: no answer. */
async function get(path, limit = 15000) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limit);
  try {
    const answer = await fetch(path, {
      headers: { Authorization: `Bearer ${token}` }, cache: "no-store", credentials: "omit", redirect: "error",
      signal: abort.signal,
    });
    const wait = Number(answer.headers.get("Retry-After")) || 0;
    return { status: answer.status, wait, value: answer.status === 200 ? parse(await answer.text()) : null };
  } catch (error) {
    // Text that is no JSON is no document of ours.
    return { status: error instanceof SyntaxError ? 404 : 0, wait: 0, value: null };
  } finally {
    clearTimeout(timer);
  }
}

// MARK: The connection

const ANSWER_LIMIT = 35000;
const connection = {
  state: "off",          // off, connecting, on, away
  socket: null,
  calls: new Map(),      // message id -> {resolve, reject, timer}
  number: 0,
  failures: 0,
  timer: 0,
  heart: 0,
  round: 0,              // raised by each start and stop: what belongs to an older one is dropped
  wasOn: false,

  /** Begins with a token that was typed, or with one that was kept. */
  start(typed) { this.stop(); this.wasOn = false; this.failures = 0; this.typed = typed; this.attempt(); },

  stop() {
    this.round += 1;
    clearTimeout(this.timer);
    clearInterval(this.heart);
    clearInterval(this.countdown);
    const socket = this.socket;
    this.socket = null;
    if (socket) { try { socket.close(1000); } catch { /* closed already */ } }
    this.dropCalls();
    this.become("off");
  },

  dropCalls() {
    for (const call of this.calls.values()) {
      clearTimeout(call.timer);
      call.reject({ code: "lost" });
    }
    this.calls.clear();
  },

  become(state) {
    this.state = state;
    mark(byId("link"), "data-state", state);
    write(byId("link-words"), { off: "Not connected", connecting: "Connecting", on: "Live", away: "Not connected" }[state]);
    if (state === "on") byId("away").hidden = true;
    document.title = state === "away" ? "House (not connected)" : "House";
  },

  /** A document first: a browser does not tell a page why a WebSocket was refused. */
  async attempt() {
    clearTimeout(this.timer);
    clearInterval(this.countdown);
    const round = ++this.round;
    if (this.state !== "away") this.become("connecting");
    const house = await get("/house");
    if (round !== this.round) return;
    if (house.status === 401) return refuse("The server does not know this token. It may have been taken back.");
    if (house.status === 429) return this.retry("The server refuses log-ins for a while, because too many failed.", house.wait);
    if (house.status === 0 || house.status >= 500) return this.retry("The server does not answer.");
    names.take(house.value);
    this.open(round, house.status === 403
      ? "The server refuses this page: it does not answer to this host name, or the token has no rights." : "The connection to the server was lost.");
  },

  open(round, why) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    let socket;
    try {
      socket = new WebSocket(`${scheme}//${location.host}/ws/${encodeURIComponent(token)}`);
    } catch {
      return refuse("This token cannot be sent. Check that it is complete.");
    }
    this.socket = socket;
    let greeted = false;
    const limit = setTimeout(() => socket.close(), 60000);
    socket.addEventListener("message", async (message) => {
      if (round !== this.round || typeof message.data !== "string") return;
      let value;
      try { value = parse(message.data); } catch { return socket.close(); }
      if (value === null || typeof value !== "object") return;
      if (!greeted && "sdk_version" in value) {
        greeted = true;
        try {
          const nodes = await this.call("start_listening", null, null, 60000);
          if (round !== this.round) return;
          clearTimeout(limit);
          this.listening(nodes);
        } catch { socket.close(); }
        return;
      }
      this.take(value);
    });
    socket.addEventListener("close", () => {
      clearTimeout(limit);
      if (round !== this.round || this.socket !== socket) return;
      this.socket = null;
      this.lost(greeted ? undefined : why);
    });
  },

  take(value) {
    if ("event" in value) return house.event(value.event, value.data);
    const call = this.calls.get(value.message_id);
    if (!call) return;
    this.calls.delete(value.message_id);
    clearTimeout(call.timer);
    if ("error_code" in value) call.reject({ code: value.error_code, details: typeof value.details === "string" ? value.details : "" });
    else call.resolve(value.result);
  },

  listening(nodes) {
    const again = this.wasOn;
    this.wasOn = true;
    this.failures = 0;
    this.become("on");
    house.replace(Array.isArray(nodes) ? nodes : []);
    loggedIn();
    if (again) say("Connected again");
    for (const toast of byId("errors").querySelectorAll('[data-kind="away"]')) toast.remove();
    // A server that vanished without a word is found by its silence.
    clearInterval(this.heart);
    this.heart = setInterval(() => this.beat(), 25000);
  },

  async beat() {
    const socket = this.socket;
    try {
      await this.call("server_info", null, null, 10000);
    } catch (error) {
      if (error.code === "late" && this.socket === socket && socket) {
        this.socket = null;
        socket.close();
        this.lost();
      }
    }
  },

  lost(why = "The connection to the server was lost.") {
    clearInterval(this.heart);
    this.dropCalls();
    this.retry(why);
  },

  retry(why, atLeast = 0) {
    if (!this.wasOn && this.typed) return refuse(why, true);
    if (this.state !== "away") say(why);
    this.become("away");
    const wait = Math.max(atLeast, Math.min(30, 2 ** this.failures) * (0.75 + Math.random() / 2));
    this.failures += 1;
    let left = Math.ceil(wait);
    byId("away").hidden = false;
    const tell = () => write(byId("away-words"), `${why}${this.wasOn ? " What you see may be old." : ""} Trying again in ${left} s.`);
    tell();
    house.updateAll();
    clearInterval(this.countdown);
    this.countdown = setInterval(() => { left = Math.max(0, left - 1); tell(); }, 1000);
    this.timer = setTimeout(() => this.attempt(), wait * 1000);
  },

  tryNow() { if (this.state === "away" && !this.socket) this.attempt(); },

  /** Sends a command; the node's id is written as its digits, which may be more than a number holds. */
  call(command, node, args, limit = ANSWER_LIMIT) {
    return new Promise((resolve, reject) => {
      const socket = this.socket;
      if (!socket || socket.readyState !== WebSocket.OPEN) return reject({ code: "away" });
      const id = String(++this.number);
      const rest = args ? JSON.stringify(args).slice(1, -1) : "";
      const fields = [node === null ? "" : `"node_id":${node}`, rest].filter(Boolean).join(",");
      const timer = setTimeout(() => { this.calls.delete(id); reject({ code: "late" }); }, limit);
      this.calls.set(id, { resolve, reject, timer });
      socket.send(`{"message_id":"${id}","command":"${command}","args":{${fields}}}`);
    });
  },
};

// MARK: Names and rooms

const names = {
  nodes: new Map(),      // id -> {name, room, endpoints: Map(endpoint -> {label, room})}
  take(value) {
    if (!value || typeof value !== "object") return;
    this.nodes.clear();
    for (const node of Array.isArray(value.nodes) ? value.nodes : []) {
      const id = idText(node && node.node_id);
      if (!id) continue;
      const endpoints = new Map();
      for (const part of Array.isArray(node.endpoints) ? node.endpoints : []) endpoints.set(Number(part.endpoint), part);
      this.nodes.set(id, { name: node.name, room: node.room, endpoints });
    }
    for (const node of house.nodes.values()) node.devices = null;
  },
  async refresh() {
    const answer = await get("/house");
    if (answer.status === 200) { this.take(answer.value); house.render(); }
  },
};

// MARK: The house

const ROOMLESS = "\uffff";
const house = {
  nodes: new Map(),      // id -> {id, there, attributes: Map(path -> value), interview, devices: what devicesOf gave, or null}
  cards: new Map(),      // key of a device -> card
  pending: new Map(),    // "id path" -> {value, answered}
  layout: "",
  stale: new Set(),
  timer: 0,
  refreshTimer: 0,

  clear() {
    this.nodes.clear();
    this.cards.clear();
    this.pending.clear();
    this.layout = "";
    byId("rooms").replaceChildren();
  },

  put(data) {
    const id = idText(data && data.node_id);
    if (!id || typeof data.attributes !== "object" || data.attributes === null) return null;
    const node = {
      id, there: data.available === true, attributes: new Map(Object.entries(data.attributes)), interview: data.last_interview,
      devices: null,
    };
    this.nodes.set(id, node);
    return node;
  },

  replace(list) {
    this.nodes.clear();
    this.pending.clear();
    for (const data of list) this.put(data);
    this.render();
    if (details.node) details.update();
  },

  event(name, data) {
    switch (name) {
    case "attribute_updated": {
      if (!Array.isArray(data)) return;
      const node = this.nodes.get(idText(data[0]));
      const path = String(data[1]);
      if (!node) return;
      const before = node.attributes.get(path);
      node.attributes.set(path, data[2]);
      const wish = this.pending.get(`${node.id} ${path}`);
      if (wish && (wish.answered || wish.value === data[2])) this.pending.delete(`${node.id} ${path}`);
      if (before === undefined || changesShape(path)) {
        node.devices = null;
        this.renderSoon();
      }
      if (before !== data[2]) tellChange(node, path, data[2]);
      this.touch(node);
      return;
    }
    case "node_added":
    case "node_updated": {
      const id = idText(data && data.node_id);
      const was = this.nodes.get(id);
      const node = this.put(data);
      if (!node) return;
      if (was && was.there !== node.there) say(`${nameOfNode(node)} is ${node.there ? "reachable again" : "not reachable"}`);
      if (!was) this.refreshNames();
      // Mostly only values have changed, or that it can be reached: then its cards stay, and no other is looked at.
      node.devices = devicesOf(node);
      const places = (devices) => JSON.stringify((devices || []).map(({ key, shape, name, room }) => [key, shape, name, room]));
      if (was && places(was.devices) === places(node.devices)) {
        for (const device of node.devices) {
          const card = this.cards.get(device.key);
          if (card) card.device = device;
        }
      } else {
        this.renderSoon();
      }
      this.touch(node);
      return;
    }
    case "node_removed":
      this.nodes.delete(idText(data));
      this.renderSoon();
      return;
    case "endpoint_removed": {
      const node = this.nodes.get(idText(data && data.node_id));
      if (!node) return;
      for (const path of [...node.attributes.keys()]) if (path.startsWith(`${data.endpoint_id}/`)) node.attributes.delete(path);
      node.devices = null;
      this.renderSoon();
      return;
    }
    case "endpoint_added": this.refreshNames(); return;
    }
  },

  refreshNames() {
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => names.refresh(), 700);
  },

  touch(node) { this.stale.add(node.id); this.later(); },
  renderSoon() { this.mustRender = true; this.later(); },
  later() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (this.mustRender) { this.mustRender = false; this.render(); } else {
        for (const card of this.cards.values()) if (this.stale.has(card.device.node.id)) card.update();
        this.count();
      }
      if (details.node && this.stale.has(details.node)) details.update();
      this.stale.clear();
    }, 40);
  },
  updateAll() { for (const card of this.cards.values()) card.update(); },

  /** Puts the cards into their rooms. What is there already stays the same element, with its focus. */
  render() {
    const rooms = new Map();
    const seen = new Set();
    for (const node of this.nodes.values()) {
      node.devices ??= devicesOf(node);
      for (const device of node.devices) {
        seen.add(device.key);
        let card = this.cards.get(device.key);
        if (!card || card.shape !== device.shape) {
          card = makeCard(device);
          this.cards.set(device.key, card);
        }
        card.device = device;
        const room = device.room || ROOMLESS;
        if (!rooms.has(room)) rooms.set(room, []);
        rooms.get(room).push(card);
      }
    }
    for (const key of [...this.cards.keys()]) if (!seen.has(key)) this.cards.delete(key);
    const order = [...rooms.keys()].sort((one, other) => one === ROOMLESS ? 1 : other === ROOMLESS ? -1 : one.localeCompare(other));
    for (const list of rooms.values()) {
      list.sort((one, other) => one.device.name.localeCompare(other.device.name, undefined, { numeric: true })
        || one.device.key.localeCompare(other.device.key));
    }
    const layout = JSON.stringify(order.map((room) => [room, rooms.get(room).map((card) => card.number)]));
    if (layout !== this.layout) {
      this.layout = layout;
      const focused = document.activeElement;
      byId("rooms").replaceChildren(...order.map((room, index) => {
        const title = make("h2", { id: `room-${index}` }, room === ROOMLESS ? (order.length > 1 ? "No room" : "Devices") : room);
        const grid = make("div", { class: "grid" }, ...rooms.get(room).map((card) => card.element));
        return make("section", { class: "room", "aria-labelledby": `room-${index}` }, title, grid);
      }));
      if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
      if (!order.length) {
        byId("rooms").append(make("p", { class: "note" }, "No devices are here yet. Join one with ",
          make("code", null, "matterctl commission CODE"), "."));
      }
    }
    this.updateAll();
    filterCards();
    this.count();
  },

  count() {
    const cards = [...this.cards.values()];
    const gone = cards.filter((card) => !isThere(card.device)).length;
    write(byId("house-count"), `${cards.length} ${cards.length === 1 ? "device" : "devices"}${gone ? `, ${gone} not reachable` : ""}`);
  },
};

/** Attributes that decide what a card consists of. */
const changesShape = (path) => /\/(29\/\d+|57\/[35]|40\/[35]|65532|513\/27|514\/1)$/.test(path);

const numberOr = (value, other = null) => (typeof value === "number" && Number.isFinite(value) ? value : other);
const valueAt = (node, path) => node.attributes.get(path);
/** The value that is shown: what was asked for, until the device reports. */
function shown(node, path) {
  const wish = house.pending.get(`${node.id} ${path}`);
  return wish ? wish.value : node.attributes.get(path);
}
const isPending = (node, ...paths) => paths.some((path) => house.pending.has(`${node.id} ${path}`));

function nameOfNode(node) {
  const known = names.nodes.get(node.id);
  return clean((known && known.name) || valueAt(node, "0/40/5") || valueAt(node, "0/40/3") || `Node ${node.id}`);
}
function isThere(device) {
  const { node, root } = device;
  return node.there && (root === 0 || valueAt(node, `${root}/57/17`) !== false);
}

/** Device types with a word of their own; an icon by its name. */
const TYPES = new Map([
  [10, ["Lock", "lock"]], [14, ["Bridge", "hub"]], [15, ["Button", "button"]], [21, ["Contact sensor", "contact"]], [34, ["Speaker", "media"]],
  [43, ["Fan", "fan"]], [44, ["Air quality sensor", "sensor"]], [45, ["Air purifier", "fan"]], [65, ["Freeze detector", "sensor"]],
  [66, ["Water valve", "valve"]], [67, ["Leak detector", "sensor"]], [68, ["Rain sensor", "sensor"]], [114, ["Air conditioner", "thermostat"]],
  [118, ["Smoke alarm", "sensor"]], [256, ["Light", "light"]], [257, ["Dimmable light", "light"]], [259, ["Switch", "button"]],
  [260, ["Dimmer switch", "button"]], [262, ["Light sensor", "sensor"]], [263, ["Motion sensor", "sensor"]], [266, ["Plug", "plug"]],
  [267, ["Dimmable plug", "plug"]], [268, ["White light", "light"]], [269, ["Colour light", "light"]], [271, ["Switch", "plug"]],
  [272, ["Dimmer", "light"]], [514, ["Cover", "cover"]], [769, ["Thermostat", "thermostat"]], [770, ["Temperature sensor", "sensor"]],
  [771, ["Pump", "valve"]], [773, ["Pressure sensor", "sensor"]], [774, ["Flow sensor", "sensor"]], [775, ["Humidity sensor", "sensor"]],
  [1296, ["Meter", "plug"]],
]);
const ICONS = {
  light: ["M9 18h6M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.7.5 1.1 1.3 1.1 2.2h5c0-.9.4-1.7 1.1-2.2A6 6 0 0 0 12 3z"],
  plug: ["M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4"],
  lock: ["M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3"],
  cover: ["M4 4h16M5 4v13h14V4M5 8h14M5 12h14M5 17h14M12 17v3"],
  fan: ["M12 12m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M12 10.5C9 8 10 3 13 3s2 5-.5 7.5M13.5 12.5C16 10 21 11 20.5 14s-5 1.5-7.5-.8M11 13.3C11.5 17 8 20.5 5.8 18.8s1.7-5 4.7-6"],
  thermostat: ["M10 14V5a2 2 0 0 1 4 0v9a4 4 0 1 1-4 0zM12 9v7"],
  valve: ["M12 3s6 6.5 6 11a6 6 0 0 1-12 0c0-4.5 6-11 6-11z"],
  contact: ["M5 21V3h10v18M5 21h14M15 6l4 2v11M11.5 12v1"],
  button: ["M5 5h14v14H5zM12 12m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0"],
  media: ["M4 9h4l5-4v14l-5-4H4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11"],
  hub: ["M4 14h16v6H4zM8 17h.1M12 14V9M8 6.5a6 6 0 0 1 8 0M10 9a3 3 0 0 1 4 0"],
  sensor: ["M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.5 16.5a6.5 6.5 0 0 1 0-9M16.5 7.5a6.5 6.5 0 0 1 0 9M4.5 19.5a11 11 0 0 1 0-15M19.5 4.5a11 11 0 0 1 0 15"],
  other: ["M5 5h14v14H5zM9 9h6v6H9z"],
};
const icon = (name) => draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
  ...(ICONS[name] || ICONS.other).map((path) => draw("path", { d: path })));

/** Device types that say nothing of what a device does. */
const UTILITY = new Set([17, 18, 19, 20, 22, 25]);
function typesOf(node, endpoint) {
  const list = valueAt(node, `${endpoint}/29/0`);
  return (Array.isArray(list) ? list : []).map((type) => numberOr(type && type["0"])).filter((type) => type !== null && !UTILITY.has(type));
}

/** The devices of a node: itself, and what is behind a bridge (endpoints with Bridged Device Basic Information). */
function devicesOf(node) {
  const clusters = new Map();
  for (const path of node.attributes.keys()) {
    const [endpoint, cluster] = path.split("/").map(Number);
    if (!Number.isInteger(endpoint) || !Number.isInteger(cluster)) continue;
    if (!clusters.has(endpoint)) clusters.set(endpoint, new Set());
    clusters.get(endpoint).add(cluster);
  }
  const endpoints = [...clusters.keys()].sort((one, other) => one - other);
  const taken = new Set();
  const devices = [];
  for (const root of endpoints.filter((endpoint) => endpoint !== 0 && clusters.get(endpoint).has(57))) {
    const parts = valueAt(node, `${root}/29/3`);
    const members = [root, ...(Array.isArray(parts) ? parts : []).filter((part) => part !== root && clusters.has(part) && !clusters.get(part).has(57))];
    members.forEach((member) => taken.add(member));
    devices.push(describe(node, root, members, clusters));
  }
  return [describe(node, 0, endpoints.filter((endpoint) => !taken.has(endpoint)), clusters), ...devices];
}

function describe(node, root, endpoints, clusters) {
  const known = names.nodes.get(node.id);
  const place = (endpoint) => (known && known.endpoints.get(endpoint)) || {};
  const own = root === 0 ? {} : place(root);
  // A device with one endpoint may have its label and room there.
  const working = endpoints.filter((endpoint) => endpoint !== 0);
  const single = root === 0 && working.length === 1 ? place(working[0]) : {};
  const name = root === 0 ? nameOfNode(node)
    : clean(own.label || valueAt(node, `${root}/57/5`) || valueAt(node, `${root}/57/3`) || `${nameOfNode(node)}, endpoint ${root}`);
  const room = own.room || single.room || (known && known.room) || null;
  const plan = [];
  for (const endpoint of endpoints) {
    const parts = partsOf(node, endpoint, clusters.get(endpoint));
    if (parts.length) plan.push({ endpoint, parts });
  }
  const types = endpoints.flatMap((endpoint) => typesOf(node, endpoint));
  const kind = TYPES.get(types.find((type) => TYPES.has(type))) || ["Device", "other"];
  // Readings of several endpoints stand together, unless two are of the same kind.
  const readings = plan.flatMap((group) => group.parts.flatMap(([type, keys]) => (type === "readings" ? keys : [type])));
  const together = plan.every((group) => group.parts.every(([type]) => type === "readings")) && new Set(readings).size === readings.length;
  for (const group of plan) {
    const label = place(group.endpoint).label;
    group.name = plan.length > 1 && !together ? clean(label || `${(TYPES.get(typesOf(node, group.endpoint)[0]) || ["Part"])[0]} ${group.endpoint}`) : null;
  }
  const shape = JSON.stringify([plan, kind]);
  return { key: `${node.id}/${root}`, node, root, endpoints, name, room: room === null ? null : clean(room), kind, plan, shape };
}

// MARK: Parts of a device

const COLOUR_TEMPERATURE = 1 << 4;
/** What an endpoint can do and measure, in the order of the card. */
function partsOf(node, endpoint, clusters) {
  const at = (cluster, id) => valueAt(node, `${endpoint}/${cluster}/${id}`);
  const features = (cluster) => numberOr(at(cluster, 65532), 0);
  const types = typesOf(node, endpoint);
  const parts = [];
  if (endpoint !== 0) {
    if (clusters.has(6) && at(6, 0) !== undefined) parts.push(["switch"]);
    if (clusters.has(8) && at(8, 0) !== undefined) parts.push(["level", types.includes(34)]);
    if (clusters.has(768) && ((features(768) & COLOUR_TEMPERATURE) || at(768, 7) !== undefined)) parts.push(["colour"]);
    if (clusters.has(513)) parts.push(["thermostat", at(513, 18) !== undefined, at(513, 17) !== undefined, systemModes(at(513, 27), features(513))]);
    if (clusters.has(258)) parts.push(["cover", Boolean(features(258) & 4), Boolean(features(258) & 16)]);
    if (clusters.has(257)) parts.push(["lock", at(257, 51) === true]);
    if (clusters.has(129)) parts.push(["valve"]);
    if (clusters.has(514)) parts.push(["fan", fanModes(at(514, 1))]);
  }
  const readings = READINGS.filter(([cluster, id]) => clusters.has(cluster) && at(cluster, id) !== undefined).map(([cluster, id]) => `${cluster}/${id}`);
  if (readings.length) parts.push(["readings", readings, types]);
  return parts;
}

/** ControlSequenceOfOperationEnum and the features, as values of SystemModeEnum. */
function systemModes(sequence, features) {
  const modes = [[0, "Off"]];
  const heats = ![0, 1].includes(sequence), cools = ![2, 3].includes(sequence);
  if (heats) modes.push([4, "Heat"]);
  if (cools) modes.push([3, "Cool"]);
  if (heats && cools && features & (1 << 5)) modes.push([1, "Auto"]);
  return modes;
}
/** FanModeSequenceEnum, as values of FanModeEnum. */
function fanModes(sequence) {
  const [off, low, medium, high, auto] = [[0, "Off"], [1, "Low"], [2, "Medium"], [3, "High"], [5, "Auto"]];
  return [[off, low, medium, high], [off, low, high], [off, low, medium, high, auto], [off, low, high, auto], [off, high, auto], [off, high]][sequence]
    || [off, low, medium, high];
}

const decimals = (value, digits) => value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const degrees = (hundredths) => `${decimals(hundredths / 100, 1)} °C`;
const quantity = (unit, divisor = 1, digits = 0) => (value) => (Number.isFinite(value) ? `${decimals(value / divisor, digits)} ${unit}` : "not known");
/** Cluster, attribute, name, words for a value; the words may be of an alarm. */
const READINGS = [
  [1026, 0, "Temperature", degrees],
  [1029, 0, "Humidity", (value) => `${decimals(value / 100, 0)} %`],
  [1024, 0, "Light", (value) => (value === 0 ? "dark" : `${decimals(10 ** ((value - 1) / 10000), 0)} lx`)],
  [1030, 0, "Motion", (value) => (value & 1 ? "motion" : "none")],
  [69, 0, "Contact", (value, types) => types.includes(67) ? (value ? { alarm: "leak" } : "dry")
    : types.includes(65) ? (value ? { alarm: "freezing" } : "no frost") : types.includes(68) ? (value ? "rain" : "dry") : value ? "closed" : "open"],
  [1027, 0, "Pressure", quantity("hPa")],
  [1028, 0, "Flow", quantity("m³/h", 10, 1)],
  [91, 0, "Air quality", (value) => ["unknown", "good", "fair", "moderate", "poor", "very poor", "extremely poor"][value] || `value ${value}`],
  [1037, 0, "CO₂", quantity("ppm")],
  [1066, 0, "Fine dust (PM2.5)", quantity("µg/m³")],
  [92, 1, "Smoke", (value) => (value ? { alarm: value === 2 ? "critical" : "warning" } : "none")],
  [92, 2, "Carbon monoxide", (value) => (value ? { alarm: value === 2 ? "critical" : "warning" } : "none")],
  [144, 8, "Power", quantity("W", 1000, 1)],
  [145, 1, "Energy", (value) => quantity("kWh", 1e6, 2)(Number(idText(value["0"]) ?? NaN))],
];
const READING = new Map(READINGS.map((reading) => [`${reading[0]}/${reading[1]}`, reading]));

/** The words for a reading; a device may send any value. */
function readingWords(node, endpoint, key, types) {
  const [, , name, words] = READING.get(key);
  const value = valueAt(node, `${endpoint}/${key}`);
  const label = key === "69/0" ? (types.includes(67) ? "Water" : types.includes(65) ? "Frost" : types.includes(68) ? "Rain" : name) : name;
  const usable = key === "69/0" ? typeof value === "boolean" : key === "145/1" ? value !== null && typeof value === "object" : numberOr(value) !== null;
  return { label, words: usable ? words(value, types) : "not known" };
}

function battery(device) {
  for (const endpoint of device.root === 0 ? device.endpoints : [device.root, ...device.endpoints]) {
    const share = numberOr(valueAt(device.node, `${endpoint}/47/12`));
    const level = numberOr(valueAt(device.node, `${endpoint}/47/14`));
    if (share !== null) return { words: `Battery ${Math.round(share / 2)} %`, low: share <= 20 || level === 2 };
    if (level !== null) return { words: `Battery ${["ok", "low", "nearly empty"][level] || "not known"}`, low: level > 0 };
  }
  return null;
}

const LOCK_STATES = ["Not fully locked", "Locked", "Unlocked", "Unlatched"];

/** Changes that those who listen are told of. */
function tellChange(node, path, value) {
  const [endpoint, cluster, id] = path.split("/").map(Number);
  let words = null;
  if (cluster === 6 && id === 0) words = value ? "on" : "off";
  else if (cluster === 257 && id === 0) words = LOCK_STATES[value];
  else if (cluster === 1030 && id === 0) words = value & 1 ? "motion" : "no motion";
  else if ((cluster === 69 && id === 0) || (cluster === 92 && (id === 1 || id === 2))) {
    const told = readingWords(node, endpoint, `${cluster}/${id}`, typesOf(node, endpoint));
    words = `${told.label} ${told.words.alarm || told.words}`;
  }
  if (!words) return;
  const card = [...house.cards.values()].find((card) => card.device.node.id === node.id && card.device.endpoints.includes(endpoint));
  say(`${card ? card.device.name : nameOfNode(node)}: ${words}`);
}

// MARK: Doing

const timers = new Map();
/**
 * Has a device do something. What is asked for is shown at once, marked, until the device reports it.
 * `wanted` has the attributes that will change, `send` sends; with a delay only the last of several is sent.
 */
function act(device, wanted, send, delay = 0) {
  const { node } = device;
  if (connection.state !== "on") return fail(device, { code: "away" });
  if (!isThere(device)) return fail(device, { code: "gone" });
  const keys = Object.keys(wanted).map((path) => `${node.id} ${path}`);
  const wishes = Object.entries(wanted).filter(([path, value]) => delay || valueAt(node, path) !== value)
    .map(([path, value]) => { const wish = { value, answered: false }; house.pending.set(`${node.id} ${path}`, wish); return [`${node.id} ${path}`, wish]; });
  const drop = () => {
    for (const [key, wish] of wishes) if (house.pending.get(key) === wish) house.pending.delete(key);
    house.touch(node);
  };
  house.touch(node);
  const group = keys[0] || node.id;
  clearTimeout(timers.get(group));
  timers.set(group, setTimeout(async () => {
    timers.delete(group);
    try {
      await send();
      for (const [key, wish] of wishes) {
        wish.answered = true;
        const [id, path] = key.split(" ");
        const now = house.nodes.get(id);
        if (now && now.attributes.get(path) === wish.value && house.pending.get(key) === wish) house.pending.delete(key);
      }
      house.touch(node);
      // A device that did not change reports nothing.
      setTimeout(drop, 8000);
    } catch (error) {
      drop();
      fail(device, error);
    }
  }, delay));
}
function fail(device, error) {
  if (!isIn) return;
  complain(`${device.name}: ${errorWords(error || {})}`, (error && error.code) || "");
  house.touch(device.node);
}
const invoke = (device, endpoint, cluster, name, payload = {}, timed = null) => connection.call("device_command", device.node.id, {
  endpoint_id: endpoint, cluster_id: cluster, command_name: name, payload,
  ...(timed === null ? {} : { timed_request_timeout_ms: timed }),
});
async function writeAttribute(device, path, value) {
  const result = await connection.call("write_attribute", device.node.id, { attribute_path: path, value });
  const refused = (Array.isArray(result) ? result : []).find((one) => one && one.Status);
  if (refused) throw { code: 7, details: `status ${refused.Status}` };
}

// MARK: Controls

/** A button that stays where it is, and keeps the focus, while it cannot be used. */
function button(words, label, press, kind = null) {
  return make("button", { type: "button", class: kind, "aria-label": label, onclick: press }, words);
}
function usable(card, control) {
  const works = connection.state === "on" && isThere(card.device);
  if (control.localName === "button") mark(control, "aria-disabled", !works);
  else control.disabled = !isThere(card.device);
}

/** A slider with its name and its value. */
function slider(card, title, { path, range, read, words, send }) {
  const value = make("span", { class: "value" });
  const input = make("input", { type: "range", "aria-label": `${card.device.name}: ${title}` });
  const element = make("div", { class: "setting" }, make("div", { class: "row" }, make("span", null, title), value), input);
  let moving = false;
  input.addEventListener("input", () => { moving = true; write(value, words(Number(input.value))); input.setAttribute("aria-valuetext", words(Number(input.value))); });
  input.addEventListener("change", () => { moving = false; send(Number(input.value)); card.update(); });
  input.addEventListener("blur", () => { moving = false; });
  return {
    element,
    update() {
      const { node } = card.device;
      const [least, most, step] = range(node);
      for (const [name, number] of [["min", least], ["max", most], ["step", step]]) if (input[name] !== String(number)) input[name] = number;
      usable(card, input);
      mark(element, "data-pending", isPending(node, path));
      if (moving) return;
      const now = read(node);
      const text = now === null ? "not known" : words(now);
      if (now !== null && input.value !== String(now)) input.value = now;
      mark(input, "aria-valuetext", text);
      write(value, text);
    },
  };
}

function choice(card, title, options, { path, send }) {
  const select = make("select", { "aria-label": `${card.device.name}: ${title}` }, ...options.map(([value, words]) => make("option", { value }, words)));
  const value = make("span", { class: "value unseen" });
  const element = make("div", { class: "row" }, make("span", { class: "small" }, title), select, value);
  select.addEventListener("change", () => { send(Number(select.value)); card.update(); });
  return {
    element,
    update() {
      const { node } = card.device;
      const now = shown(node, path);
      usable(card, select);
      mark(element, "data-pending", isPending(node, path));
      if (![...select.options].some((option) => option.value === String(now))) {
        select.append(make("option", { value: now }, `Mode ${now ?? "not known"}`));
      }
      if (select.value !== String(now)) select.value = String(now);
      write(value, select.selectedOptions[0] ? select.selectedOptions[0].textContent : "");
    },
  };
}

const PARTS = {
  switch(card, endpoint, group) {
    const path = `${endpoint}/6/0`;
    const words = make("span", { class: "value" });
    const element = make("button", {
      type: "button", role: "switch", class: "switch", "aria-label": group ? `${card.device.name}: ${group}` : card.device.name, "aria-checked": "false",
      onclick: () => {
        const on = shown(card.device.node, path) !== true;
        act(card.device, { [path]: on }, () => invoke(card.device, endpoint, 6, on ? "On" : "Off"));
        card.update();
      },
    }, words, make("span", { class: "track", "aria-hidden": "true" }));
    return {
      element,
      update() {
        const { node } = card.device;
        const on = shown(node, path) === true;
        mark(element, "aria-checked", on);
        mark(element, "data-pending", isPending(node, path));
        mark(element, "aria-busy", isPending(node, path));
        write(words, on ? "On" : "Off");
        usable(card, element);
      },
    };
  },

  level(card, endpoint, group, isSpeaker) {
    const path = `${endpoint}/8/0`;
    const limits = (node) => [numberOr(valueAt(node, `${endpoint}/8/2`), 1), numberOr(valueAt(node, `${endpoint}/8/3`), 254) || 254];
    return slider(card, isSpeaker ? "Volume" : "Brightness", {
      path,
      range: () => [1, 100, 1],
      read: (node) => { const level = numberOr(shown(node, path)); return level === null ? null : Math.max(1, Math.round(level * 100 / 254)); },
      words: (percent) => `${percent} %`,
      send(percent) {
        const [least, most] = limits(card.device.node);
        // The least level would switch the light off.
        const level = Math.min(most, Math.max(least + (isSpeaker ? 0 : 1), Math.round(percent * 254 / 100)));
        const wanted = { [path]: level };
        if (!isSpeaker && valueAt(card.device.node, `${endpoint}/6/0`) === false) wanted[`${endpoint}/6/0`] = true;
        act(card.device, wanted, () => invoke(card.device, endpoint, 8, isSpeaker ? "MoveToLevel" : "MoveToLevelWithOnOff",
          { level, transitionTime: null, optionsMask: 0, optionsOverride: 0 }), 200);
      },
    });
  },

  colour(card, endpoint) {
    const path = `${endpoint}/768/7`;
    const kelvin = (mireds) => Math.round(1e6 / mireds / 50) * 50;
    const bounds = (node) => {
      const warm = numberOr(valueAt(node, `${endpoint}/768/16396`), 0), cold = numberOr(valueAt(node, `${endpoint}/768/16395`), 0);
      return [warm >= 50 ? warm : 500, cold >= 50 ? cold : 153];
    };
    return slider(card, "White", {
      path,
      range: (node) => { const [warm, cold] = bounds(node); return [kelvin(warm), kelvin(cold), 50]; },
      read: (node) => { const mireds = numberOr(shown(node, path)); return mireds ? kelvin(mireds) : null; },
      words: (value) => `${value} K`,
      send(value) {
        const [warm, cold] = bounds(card.device.node);
        const mireds = Math.min(warm, Math.max(cold, Math.round(1e6 / value)));
        act(card.device, { [path]: mireds }, () => invoke(card.device, endpoint, 768, "MoveToColorTemperature",
          { colorTemperatureMireds: mireds, transitionTime: 0, optionsMask: 1, optionsOverride: 1 }), 200);
      },
    });
  },

  thermostat(card, endpoint, group, heats, cools, modes) {
    const at = (id) => `${endpoint}/513/${id}`;
    const now = make("span", { class: "big" });
    const element = make("div", { class: "part" }, make("div", { class: "row" }, make("span", { class: "small" }, "Temperature now"), now));
    const children = [];
    const setPoint = (title, id, limitIds, otherwise) => {
      const value = make("output", { class: "value" });
      const change = (steps) => {
        const { node } = card.device;
        const old = numberOr(shown(node, at(id)));
        if (old === null) return;
        const [least, most] = limitIds.map((list, index) => list.map((limit) => numberOr(valueAt(node, at(limit)))).find((limit) => limit !== null) ?? otherwise[index]);
        const wanted = Math.min(most, Math.max(least, Math.round(old / 50) * 50 + steps * 50));
        if (wanted !== old) act(card.device, { [at(id)]: wanted }, () => writeAttribute(card.device, at(id), wanted), 700);
        card.update();
      };
      const less = button("−", `${card.device.name}: ${title.toLowerCase()}, half a degree less`, () => change(-1));
      const more = button("+", `${card.device.name}: ${title.toLowerCase()}, half a degree more`, () => change(1));
      const row = make("div", { class: "row" }, make("span", { class: "small" }, title), make("div", { class: "stepper" }, less, value, more));
      element.append(row);
      children.push(() => {
        const { node } = card.device;
        const set = numberOr(shown(node, at(id)));
        write(value, set === null ? "not known" : degrees(set));
        mark(row, "data-pending", isPending(node, at(id)));
        usable(card, less);
        usable(card, more);
      });
    };
    if (heats) setPoint("Heat to", 18, [[21, 3], [22, 4]], [700, 3000]);
    if (cools) setPoint("Cool to", 17, [[23, 5], [24, 6]], [1600, 3200]);
    const mode = choice(card, "Mode", modes, {
      path: at(28), send: (value) => act(card.device, { [at(28)]: value }, () => writeAttribute(card.device, at(28), value)),
    });
    element.append(mode.element);
    return {
      element,
      update() {
        const local = numberOr(valueAt(card.device.node, at(0)));
        write(now, local === null ? "not known" : degrees(local));
        children.forEach((update) => update());
        mode.update();
      },
    };
  },

  cover(card, endpoint, group, lifts, tilts) {
    const at = (id) => `${endpoint}/258/${id}`;
    const state = make("span", { class: "value" });
    const name = card.device.name;
    const press = (words, command) => button(words, `${words}: ${name}`, () => act(card.device, {}, () => invoke(card.device, endpoint, 258, command, {}, 5000)));
    const buttons = [press("Open", "UpOrOpen"), press("Stop", "StopMotion"), press("Close", "DownOrClose")];
    const element = make("div", { class: "part" }, make("div", { class: "row" }, make("span", { class: "small" }, "Position"), state),
      make("div", { class: "buttons" }, ...buttons));
    const share = (node, fine, coarse) => {
      const hundredths = numberOr(shown(node, at(fine)));
      return hundredths !== null ? Math.round(hundredths / 100) : numberOr(valueAt(node, at(coarse)));
    };
    const sliders = [[lifts, "Closed", 14, 8, "GoToLiftPercentage", "liftPercent100thsValue"], [tilts, "Slats closed", 15, 9, "GoToTiltPercentage", "tiltPercent100thsValue"]]
      .filter(([there]) => there)
      .map(([, title, fine, coarse, command, field]) => slider(card, title, {
        path: at(fine), range: () => [0, 100, 1], read: (node) => share(node, fine, coarse), words: (percent) => `${percent} %`,
        send: (percent) => act(card.device, { [at(fine)]: percent * 100 }, () => invoke(card.device, endpoint, 258, command, { [field]: percent * 100 }, 5000), 200),
      }));
    sliders.forEach((one) => element.append(one.element));
    return {
      element,
      update() {
        const { node } = card.device;
        const moving = numberOr(valueAt(node, at(10)), 0) & 3;
        const closed = share(node, 14, 8);
        write(state, moving === 1 ? "opening" : moving === 2 ? "closing" : closed === null ? "not known" : closed === 0 ? "open" : closed === 100 ? "closed" : `${closed} % closed`);
        buttons.forEach((one) => usable(card, one));
        sliders.forEach((one) => one.update());
      },
    };
  },

  lock(card, endpoint, group, needsPin) {
    const path = `${endpoint}/257/0`;
    const state = make("span", { class: "big value" });
    const name = card.device.name;
    const send = (locked, pin) => act(card.device, { [path]: locked ? 1 : 2 },
      () => invoke(card.device, endpoint, 257, locked ? "LockDoor" : "UnlockDoor", pin ? { PINCode: base64(pin) } : {}, 10000));
    const lock = button("Lock", `Lock ${name}`, async () => {
      const answer = needsPin ? await ask(`Lock ${name}?`, "The lock wants its PIN code.", "Lock", true) : { pin: "" };
      if (answer) { send(true, answer.pin); card.update(); }
    });
    const unlock = button("Unlock…", `Unlock ${name}`, async () => {
      const answer = await ask(`Unlock ${name}?`, "The door can be opened afterwards.", "Unlock", needsPin);
      if (answer) { send(false, answer.pin); card.update(); }
    });
    const element = make("div", { class: "part" }, make("div", { class: "row" }, state, make("div", { class: "buttons" }, lock, unlock)));
    return {
      element,
      update() {
        const { node } = card.device;
        const now = shown(node, path);
        write(state, LOCK_STATES[now] || "State not known");
        mark(state, "data-pending", isPending(node, path));
        mark(state, "class", now === 1 ? "big value" : "big value alarm");
        usable(card, lock);
        usable(card, unlock);
      },
    };
  },

  valve(card, endpoint) {
    const path = `${endpoint}/129/4`;
    const state = make("span", { class: "big value" });
    const name = card.device.name;
    const open = button("Open…", `Open ${name}`, async () => {
      if (await ask(`Open ${name}?`, "What it holds back will flow.", "Open", false)) {
        act(card.device, { [path]: 1 }, () => invoke(card.device, endpoint, 129, "Open"));
        card.update();
      }
    });
    const close = button("Close", `Close ${name}`, () => act(card.device, { [path]: 0 }, () => invoke(card.device, endpoint, 129, "Close")));
    const element = make("div", { class: "part" }, make("div", { class: "row" }, state, make("div", { class: "buttons" }, open, close)));
    return {
      element,
      update() {
        const { node } = card.device;
        write(state, ["Closed", "Open", "Moving"][shown(node, path)] || "State not known");
        mark(state, "data-pending", isPending(node, path));
        usable(card, open);
        usable(card, close);
      },
    };
  },

  fan(card, endpoint, group, modes) {
    const mode = `${endpoint}/514/0`, speed = `${endpoint}/514/2`;
    const parts = [
      choice(card, "Fan", modes, { path: mode, send: (value) => act(card.device, { [mode]: value }, () => writeAttribute(card.device, mode, value)) }),
      slider(card, "Speed", {
        path: speed, range: () => [0, 100, 1], read: (node) => numberOr(shown(node, speed)) ?? numberOr(valueAt(node, `${endpoint}/514/3`)),
        words: (percent) => `${percent} %`, send: (percent) => act(card.device, { [speed]: percent }, () => writeAttribute(card.device, speed, percent), 200),
      }),
    ];
    return { element: make("div", { class: "part" }, ...parts.map((part) => part.element)), update() { parts.forEach((part) => part.update()); } };
  },

  readings(card, endpoint, group, keys, types) {
    const rows = keys.map((key) => {
      const name = make("span", { class: "small" }), value = make("span", { class: "value" });
      return { key, name, value, element: make("div", { class: "row" }, name, value) };
    });
    return {
      element: make("div", { class: "readings" }, ...rows.map((row) => row.element)),
      update() {
        for (const row of rows) {
          const told = readingWords(card.device.node, endpoint, row.key, types);
          write(row.name, told.label);
          write(row.value, told.words.alarm || told.words);
          mark(row.value, "class", told.words.alarm ? "value alarm" : keys.length === 1 ? "value big" : "value");
        }
      },
    };
  },
};

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

let cardNumber = 0;
function makeCard(device) {
  const card = { device, shape: device.shape, number: ++cardNumber };
  const id = `device-${card.number}`;
  const name = make("h3", { class: "tile-name", id });
  const kind = make("p", { class: "tile-kind" }, device.kind[0]);
  const gone = make("p", { class: "gone" }, "Not reachable. These are the last values.");
  const charge = make("span", { class: "small" });
  const open = make("button", { type: "button", class: "quiet", onclick: () => details.show(card.device) }, "Details");
  const head = make("div", { class: "tile-head" }, icon(device.kind[1]), make("div", { class: "tile-title" }, name, kind));
  card.element = make("article", { class: "card tile", "aria-labelledby": id }, head, gone);
  const parts = [];
  for (const group of device.plan) {
    const place = group.name !== null ? make("div", { class: "part" }, make("div", { class: "row part-name" }, make("span", null, group.name))) : card.element;
    for (const [type, ...options] of group.parts) {
      const part = PARTS[type](card, group.endpoint, group.name, ...options);
      parts.push(part);
      if (type === "switch") (place === card.element ? head : place.firstChild).append(part.element);
      else place.append(part.element);
    }
    if (place !== card.element) card.element.append(place);
  }
  card.element.append(make("div", { class: "tile-foot" }, charge, open));
  card.update = () => {
    const { node } = card.device;
    write(name, card.device.name);
    mark(open, "aria-label", `Details of ${card.device.name}`);
    const there = isThere(card.device);
    mark(card.element, "data-there", there);
    gone.hidden = there;
    mark(card.element, "data-on", there && card.device.endpoints.some((endpoint) => shown(node, `${endpoint}/6/0`) === true));
    const power = battery(card.device);
    write(charge, power ? power.words : "");
    mark(charge, "class", power && power.low ? "small alarm" : "small");
    parts.forEach((part) => part.update());
  };
  return card;
}

function filterCards() {
  const wanted = byId("find").value.trim().toLowerCase();
  for (const room of byId("rooms").querySelectorAll(".room")) {
    const title = room.querySelector("h2").textContent.toLowerCase();
    let some = false;
    for (const tile of room.querySelectorAll(".tile")) {
      tile.hidden = !(title.includes(wanted) || tile.querySelector("h3").textContent.toLowerCase().includes(wanted));
      some ||= !tile.hidden;
    }
    room.hidden = !some;
  }
}

// MARK: Asking

function ask(title, words, yes, needsPin) {
  const dialog = byId("ask"), pin = byId("ask-pin");
  write(byId("ask-title"), title);
  write(byId("ask-words"), words);
  write(byId("ask-yes"), yes);
  byId("ask-pin-part").hidden = !needsPin;
  pin.value = "";
  return new Promise((resolve) => {
    let answer = null;
    const accept = () => { answer = { pin: pin.value }; dialog.close(); };
    byId("ask-yes").onclick = accept;
    byId("ask-no").onclick = () => dialog.close();
    byId("ask-form").onsubmit = (event) => { event.preventDefault(); accept(); };
    dialog.onclose = () => { pin.value = ""; resolve(answer); };
    dialog.showModal();
    (needsPin ? pin : byId("ask-no")).focus();
  });
}

// MARK: Details

const CLUSTERS = new Map(Object.entries({
  3: "Identify", 4: "Groups", 5: "Scenes", 6: "On/Off", 8: "Level Control", 29: "Descriptor", 30: "Binding", 31: "Access Control", 40: "Basic Information",
  41: "OTA Provider", 42: "OTA Requestor", 43: "Localization", 44: "Time Format", 45: "Unit Localization", 46: "Power Source Configuration", 47: "Power Source",
  48: "General Commissioning", 49: "Network Commissioning", 50: "Diagnostic Logs", 51: "General Diagnostics", 52: "Software Diagnostics", 53: "Thread Diagnostics",
  54: "Wi-Fi Diagnostics", 55: "Ethernet Diagnostics", 56: "Time Synchronization", 57: "Bridged Device", 59: "Switch", 60: "Administrator Commissioning",
  62: "Operational Credentials", 63: "Group Key Management", 64: "Fixed Label", 65: "User Label", 69: "Boolean State", 70: "ICD Management", 80: "Mode Select",
  91: "Air Quality", 92: "Smoke CO Alarm", 128: "Boolean State Configuration", 129: "Valve", 144: "Electrical Power", 145: "Electrical Energy", 257: "Door Lock",
  258: "Window Covering", 513: "Thermostat", 514: "Fan Control", 516: "Thermostat Interface", 768: "Color Control", 1024: "Illuminance", 1026: "Temperature",
  1027: "Pressure", 1028: "Flow", 1029: "Humidity", 1030: "Occupancy", 1037: "Carbon Dioxide",
}));
const ROWS = 500;
const details = {
  node: null,
  root: 0,
  rows: new Map(),
  timer: 0,

  show(device) {
    this.node = device.node.id;
    this.root = device.root;
    byId("details-find").value = device.root ? `${device.root}/` : "";
    this.rows.clear();
    byId("details-rows").replaceChildren();
    this.now();
    byId("details").showModal();
  },
  update() { if (!this.timer) this.timer = setTimeout(() => { this.timer = 0; this.now(); }, 300); },
  now() {
    const node = house.nodes.get(this.node);
    if (!node) { if (byId("details").open) byId("details").close(); return; }
    const card = house.cards.get(`${node.id}/${this.root}`);
    write(byId("details-title"), card ? card.device.name : nameOfNode(node));
    const at = (...ids) => ids.map((id) => valueAt(node, this.root ? `${this.root}/57/${id}` : `0/40/${id}`)).find((value) => value !== undefined && value !== null && value !== "");
    const facts = [
      ["Vendor", at(1)], ["Product", at(3)], ["Firmware", at(10, 9)], ["Hardware", at(8, 7)], ["Serial number", at(15)],
      ["Room", card && card.device.room], ["Node", this.root ? `${node.id}, endpoint ${this.root}` : node.id],
      ["State", card && isThere(card.device) ? "reachable" : "not reachable"], ["Read in full", node.interview && moment(node.interview)],
    ].filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = JSON.stringify(facts);
    if (text !== this.facts) {
      this.facts = text;
      byId("details-facts").replaceChildren(...facts.flatMap(([name, value]) => [make("dt", null, name), make("dd", null, value)]));
    }
    this.table(node);
  },
  table(node) {
    const wanted = byId("details-find").value.trim().toLowerCase();
    const paths = [...node.attributes.keys()].map((path) => [path, path.split("/").map(Number)])
      .sort(([, one], [, other]) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
    const found = [];
    for (const [path, [, cluster]] of paths) {
      const name = CLUSTERS.get(String(cluster)) || "";
      const value = valueText(node.attributes.get(path));
      if (!wanted || path.startsWith(wanted) || name.toLowerCase().includes(wanted) || (wanted.indexOf("/") < 0 && value.toLowerCase().includes(wanted))) found.push([path, name, value]);
    }
    write(byId("details-count"), found.length > ROWS ? `The first ${ROWS} of ${found.length} attributes. Filter to see the others.`
      : `${found.length} of ${paths.length} attributes`);
    const body = byId("details-rows");
    const list = found.slice(0, ROWS).map(([path, name, value]) => {
      let row = this.rows.get(path);
      if (!row) {
        row = make("tr", null, make("td", null, path), make("td", null, name), make("td"));
        this.rows.set(path, row);
      }
      write(row.lastChild, value.length > 400 ? `${value.slice(0, 400)}…` : value);
      return row;
    });
    if (list.length !== body.children.length || list.some((row, index) => body.children[index] !== row)) body.replaceChildren(...list);
  },
};

function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? String(text) : date.toLocaleString();
}

// MARK: The map

const LINKS = { good: "good", fair: "fair", weak: "weak", unusable: "unusable" };
const mapView = {
  busy: false,
  value: null,
  async read() {
    if (this.busy) return;
    this.busy = true;
    mark(byId("map-read"), "aria-disabled", true);
    if (!this.value) byId("map-content").replaceChildren(make("p", { class: "note" }, "Reading the tables of all devices. This may take a minute."));
    const answer = await get("/map", 180000);
    this.busy = false;
    mark(byId("map-read"), "aria-disabled", false);
    if (answer.status === 404 || answer.status === 403) return hideView("map", "This server, or this token, does not show the map.");
    if (answer.status !== 200) {
      if (!this.value) byId("map-content").replaceChildren(make("p", { class: "note" }, "The map could not be read."));
      return complain("The map could not be read. Try again later.");
    }
    this.value = answer.value;
    try { this.show(answer.value); } catch { complain("The map of the server is in a form that this page does not know."); }
    say("The map is here");
  },

  show(map) {
    const list = (value) => (Array.isArray(value) ? value : []);
    const panels = [];
    const panel = (title, ...children) => panels.push(make("section", { class: "card panel" }, make("h2", null, title), ...children));
    const items = (values, words) => make("ul", null, ...values.map((value) => make("li", null, words(value))));
    const called = (value) => value.name || `Node ${idText(value.node) ?? "?"}`;
    if (list(map.findings).length) panel("Worth a look", items(list(map.findings), (finding) => finding.text));
    for (const network of list(map.threadNetworks)) {
      panel(`Thread network ${network.name || network.extendedPanId || ""}${network.channel ? `, channel ${network.channel}` : ""}`,
        this.picture(network), this.tree(network));
    }
    for (const point of list(map.accessPoints)) {
      panel(`Wi-Fi ${point.ssid || point.bssid || ""}${point.channel ? `, channel ${point.channel}` : ""}`, make("ul", null, ...list(point.nodes).map((node) =>
        make("li", null, called(node), node.rssi === undefined ? "" : `, ${node.rssi} dBm`, node.quality ? " " : "",
          node.quality ? make("span", { class: `quality-${LINKS[node.quality] || "fair"}` }, node.quality) : null))));
    }
    if (list(map.ethernet).length) panel("On a cable", items(map.ethernet, called));
    for (const bridge of list(map.bridges)) {
      panel(`Behind ${called(bridge)}`, items(list(bridge.devices), (device) => `${device.label || `Endpoint ${device.endpoint}`}${device.reachable === false ? ", not reachable" : ""}`));
    }
    if (list(map.elsewhere).length) panel("Tell of no network", items(map.elsewhere, called));
    if (list(map.silent).length) panel("No answer", items(map.silent, (node) => `${called(node)}: ${(node.error && node.error.message) || "no answer"}`));
    if (map.obstacle) panel("Border routers were not looked for", make("p", null, map.obstacle));
    if (!panels.length) panels.push(make("p", { class: "note" }, "Nothing is on the map yet."));
    byId("map-content").replaceChildren(...panels);
    write(byId("map-time"), map.readAt ? `Read ${moment(map.readAt)}` : "");
  },

  name(device) {
    return device.name || (device.borderRouter && device.borderRouter.instance) || (device.node !== undefined ? `Node ${idText(device.node)}` : device.id);
  },
  link(network, one, other) {
    return (network.links || []).find((link) => (link.one === one && link.other === other) || (link.one === other && link.other === one));
  },

  /** The ways to the border routers, as a list in lists. */
  tree(network) {
    const devices = network.devices || [];
    const known = new Set(devices.map((device) => device.id));
    const seen = new Set();
    const branch = (parents) => make("ul", null, ...parents.map((device) => {
      seen.add(device.id);
      const link = device.nextHop ? this.link(network, device.id, device.nextHop) : null;
      const children = devices.filter((child) => child.nextHop === device.id && !seen.has(child.id));
      const words = [device.borderRouter ? "border router" : device.role, device.wayOut === "single" ? "single way out" : device.wayOut === "none" ? "no way out" : null,
        device.unknownChildren ? `${device.unknownChildren} unknown` : null].filter(Boolean).join(", ");
      return make("li", null, this.name(device), words ? `: ${words}` : "", link && link.quality ? ", link " : "",
        link && link.quality ? make("span", { class: `quality-${LINKS[link.quality] || "fair"}` }, link.quality) : null,
        children.length ? branch(children) : null);
    }));
    const top = branch(devices.filter((device) => !known.has(device.nextHop)));
    // A ring of next hops has no beginning.
    const rest = devices.filter((device) => !seen.has(device.id));
    for (const device of rest) top.append(make("li", null, this.name(device)));
    return top;
  },

  /** Rows by the number of links to a border router. */
  picture(network) {
    const rows = new Map();
    for (const device of network.devices || []) {
      const hops = Number.isInteger(device.hops) && device.hops >= 0 ? Math.min(device.hops, 30) : 31;
      if (!rows.has(hops)) rows.set(hops, []);
      rows.get(hops).push(device);
    }
    const order = [...rows.keys()].sort((one, other) => one - other);
    const width = Math.max(280, ...order.map((hops) => rows.get(hops).length * 100));
    const height = order.length * 90;
    const places = new Map();
    order.forEach((hops, index) => rows.get(hops).forEach((device, column) =>
      places.set(device.id, [width * (column + 0.5) / rows.get(hops).length, index * 90 + 30])));
    const svg = draw("svg", { class: "drawing", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Picture of this network. The list below says the same." });
    for (const link of network.links || []) {
      const [from, to] = [places.get(link.one), places.get(link.other)];
      if (!from || !to) continue;
      const one = (network.devices || []).find((device) => device.id === link.one), other = (network.devices || []).find((device) => device.id === link.other);
      const way = one.nextHop === link.other || other.nextHop === link.one;
      svg.append(draw("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: `${LINKS[link.quality] || ""} ${way ? "way" : ""}` },
        draw("title", null, `${this.name(one)} – ${this.name(other)}: ${link.quality || "quality not known"}`)));
    }
    for (const device of network.devices || []) {
      const [x, y] = places.get(device.id);
      const name = clean(this.name(device));
      const short = [...name].length > 14 ? `${[...name].slice(0, 13).join("")}…` : name;
      svg.append(draw("g", { class: /end device|detached/.test(device.role || "") ? "end" : "" },
        device.borderRouter ? draw("rect", { x: x - 10, y: y - 10, width: 20, height: 20, rx: 3 }) : draw("circle", { cx: x, cy: y, r: /end device/.test(device.role || "") ? 7 : 10 }),
        draw("text", { x, y: y + 27 }, short), draw("title", null, name)));
    }
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Picture of the network" }, svg);
  },
};

// MARK: Jobs

const JOBS = {
  join: "Join this fabric", leave: "Leave the fabric", "identity-key": "New identity key", "group-key": "New group key", certificates: "New certificates",
  admit: "Admit administrators", expel: "Expel an administrator",
};
const jobsView = {
  text: "",
  async read(quiet) {
    const answer = await get("/jobs");
    if (answer.status === 404 || answer.status === 403) return hideView("jobs", null);
    if (answer.status !== 200) { if (!quiet) complain("The jobs could not be read. Try again later."); return; }
    showTab("jobs");
    const text = JSON.stringify(answer.value);
    if (text === this.text) return;
    this.text = text;
    const open = new Set([...byId("jobs-content").querySelectorAll("details[open]")].map((one) => one.dataset.job));
    const jobs = (Array.isArray(answer.value) ? answer.value : []).filter((job) => job && typeof job === "object");
    byId("jobs-content").replaceChildren(...jobs.map((job) => this.job(job, open)));
    if (!jobs.length) byId("jobs-content").append(make("p", { class: "note" }, "There are no jobs. A job is work that has to reach every device."));
  },
  job(job, open) {
    const [done, pending, refused] = [job.done, job.pending, job.refused].map((value) => numberOr(value, 0));
    const total = done + pending + refused;
    const nodes = Array.isArray(job.nodes) ? job.nodes : [];
    const number = idText(job.job) ?? "?";
    const words = [`${done} of ${total} done`, pending ? `${pending} pending` : "", refused ? `${refused} refused` : "", job.phase ? `phase ${job.phase}` : ""].filter(Boolean).join(", ");
    return make("section", { class: "card panel" },
      make("div", { class: "row" }, make("h2", null, `${JOBS[job.kind] || job.kind || "Job"} (job ${number})`), make("span", { class: "state" }, job.state || "not known")),
      make("progress", { max: Math.max(1, total), value: done, "aria-label": words }), make("p", null, words),
      job.madeAt ? make("p", { class: "small" }, `Begun ${moment(job.madeAt)}`) : null,
      nodes.length ? make("details", { "data-job": number, open: open.has(number) }, make("summary", null, "Devices"), make("ul", null, ...nodes.map((node) =>
        make("li", null, `${node.name || `Node ${idText(node.node) ?? "?"}`}: ${node.state || "not known"}`, node.error && node.error.message ? ` (${node.error.message})` : "")))) : null);
  },
};

// MARK: Views

const TABS = ["house", "map", "jobs"];
const tab = (name) => document.querySelector(`nav a[data-view="${name}"]`);
const showTab = (name) => { tab(name).hidden = false; };
function hideView(name, why) {
  const wasHere = !byId(`view-${name}`).hidden;
  tab(name).hidden = true;
  if (wasHere) {
    if (why) complain(why);
    location.hash = "#house";
  }
}

/** Shows the view of the address, or the log-in. */
function show(focus) {
  const asked = location.hash.slice(1);
  const name = !connection.wasOn ? "log-in" : TABS.includes(asked) && !tab(asked).hidden ? asked : "house";
  byId("top").hidden = name === "log-in";
  for (const view of [...TABS, "log-in"]) byId(`view-${view}`).hidden = view !== name;
  for (const other of TABS) {
    if (other === name) tab(other).setAttribute("aria-current", "page");
    else tab(other).removeAttribute("aria-current");
  }
  if (focus) (name === "log-in" ? byId("token") : byId(`${name}-title`)).focus({ preventScroll: name !== "log-in" });
  if (name === "map" && !mapView.value) mapView.read();
  if (name === "jobs") jobsView.read(false);
}

let isIn = false;
function loggedIn() {
  if (isIn) return;
  isIn = true;
  busy(false);
  byId("token").value = "";
  showTab("map");
  jobsView.read(true);
  show(true);
}

/** Back to the log-in, with the reason. A server that only is away keeps the token in its field. */
function refuse(why, keep = false) {
  const typed = byId("token").value;
  leave();
  if (keep) byId("token").value = typed;
  write(byId("log-in-error"), why);
  byId("token").setAttribute("aria-invalid", "true");
  byId("token").focus();
}

function busy(is) {
  mark(byId("log-in"), "aria-disabled", is);
  write(byId("log-in"), is ? "Logging in" : "Log in");
}

function leave() {
  isIn = false;
  token = null;
  store.clear();
  connection.stop();
  connection.wasOn = false;
  house.clear();
  names.nodes.clear();
  mapView.value = null;
  jobsView.text = "";
  byId("map-content").replaceChildren();
  byId("jobs-content").replaceChildren();
  byId("errors").replaceChildren();
  byId("away").hidden = true;
  byId("token").value = "";
  byId("find").value = "";
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  for (const name of ["map", "jobs"]) tab(name).hidden = true;
  busy(false);
  show(false);
}

byId("log-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (byId("log-in").getAttribute("aria-disabled") === "true") return;
  token = byId("token").value.trim();
  if (!token) return;
  write(byId("log-in-error"), "");
  byId("token").removeAttribute("aria-invalid");
  if (/[^\x21-\x7e]/.test(token)) return refuse("A token has letters, digits and signs only.");
  store.clear();
  store.write(token, byId("remember").checked);
  busy(true);
  connection.start(true);
});
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("main").focus(); });
byId("log-out").addEventListener("click", () => { leave(); history.replaceState(null, "", "/"); write(byId("log-in-error"), ""); byId("token").focus(); });
byId("try-now").addEventListener("click", () => connection.tryNow());
byId("find").addEventListener("input", filterCards);
byId("details-close").addEventListener("click", () => byId("details").close());
byId("details").addEventListener("close", () => { details.node = null; details.facts = ""; });
byId("details-find").addEventListener("input", () => details.now());
byId("map-read").addEventListener("click", () => mapView.read());
byId("jobs-read").addEventListener("click", () => jobsView.read(false));
window.addEventListener("hashchange", () => show(true));
window.addEventListener("online", () => connection.tryNow());
window.addEventListener("offline", () => { if (connection.state === "on") connection.beat(); });
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  if (connection.state === "on") connection.beat();
  else connection.tryNow();
});
setInterval(() => { if (isIn && connection.state === "on" && !document.hidden && !byId("view-jobs").hidden) jobsView.read(true); }, 10000);

// A token that is kept logs in by itself.
token = store.read();
show(!token);
if (token) { busy(true); connection.start(false); }

})();
