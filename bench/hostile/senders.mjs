// The hostile senders: each is one who has few rights, or none, and what they send. `prepare` sets up by the administrator what
// the sender may use, `send` is repeated until the time is over, `pod` is created once and runs meanwhile.
import { http2Session, rawSocket } from "./target.mjs";

const SHOP = "/api/v1/namespaces/shop";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const named = (name, more = {}) => ({ metadata: { name, ...more } });
const deployment = (name, container, spec = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "busybox", ...container }], ...spec },
    },
  },
});
const variables = (count) => times(count, (index) => ({ name: `V${index}`, value: "v" }));
const DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments";
let next = 0;

const pod = (name, script, container = {}) => ({
  name: `pod: ${name}`,
  who: "pods",
  pod: () => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `hostile-${next++}`, namespace: "shop" },
    spec: {
      containers: [
        { name: "c", image: "busybox", ...(script !== undefined && { command: ["sh", "-c", script] }), ...container },
      ],
      terminationGracePeriodSeconds: 0,
    },
  }),
});

/** A request that changes one object which the administrator has made. */
const change = (name, { make, at, path, body, type = MERGE, who = "edit", method = "PATCH" }) => ({
  name,
  who,
  prepare: (admin) => admin.must("POST", at, make),
  send: (sender) => sender.send(method, path, typeof body === "function" ? body(next++) : body, type),
});

const frame = (type, flags, stream, payload = Buffer.alloc(0)) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const PREFACE = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);

/** Writes frames on one connection as fast as the server takes them, for a tenth of a second; dials again where it was ended. */
const flood = (name, frames) => ({
  name: `nobody: ${name}`,
  who: "nobody",
  async send({ target }) {
    const socket = await rawSocket(target, "h2");
    if (socket === undefined) return;
    socket.write(PREFACE);
    const end = performance.now() + 100;
    let stream = 1;
    while (performance.now() < end && !socket.destroyed) {
      const bytes = Buffer.concat(times(500, () => frames((stream += 2))));
      if (!socket.write(bytes)) await Promise.race([new Promise((done) => socket.once("drain", done)), pause(50)]);
      else await pause(0);
    }
    socket.destroy();
  },
});
const pause = (time) => new Promise((done) => setTimeout(done, time));

/** Header blocks by HPACK's literals without indexing; a pseudo-header by its place in the static table. */
const literal = (name, value) =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
const GET_ROOT = Buffer.concat([Buffer.from([0x82, 0x87, 0x84]), literal(":authority", "localhost")]);

const customKind = (plural, schema, more = {}) => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, kind: plural[0].toUpperCase() + plural.slice(1, -1), singular: plural.slice(0, -1) },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
  },
});
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const wide = (name) => ({
  apiVersion: "example.com/v1",
  kind: "Wide",
  ...named(name),
  spec: Object.fromEntries(times(75_000, (index) => [`field${index}`, `value of ${index}`])),
});
const ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
async function makeWide(admin) {
  await admin.send("POST", DEFINITIONS, customKind("wides", ANYTHING));
  for (;;) {
    const { status } = await admin.send("GET", "/apis/example.com/v1/namespaces/shop/wides");
    if (status === 200) return;
    await pause(20);
  }
}
const WIDES = "/apis/example.com/v1/namespaces/shop/wides";

export const SENDERS = [
  {
    name: "view: lists over HTTP/2, each cancelled after 1 ms",
    who: "view",
    session: true,
    async send({ target, state }) {
      if (state.session === undefined || state.session.closed || state.session.destroyed)
        state.session = http2Session(target);
      const stream = state.session.request({ ":path": `${SHOP}/configmaps` });
      stream.on("error", () => {});
      await pause(1);
      stream.close(8);
    },
  },
  {
    name: "view: lists over HTTP/1.1, each cancelled after 1 ms",
    who: "view",
    async send({ target }) {
      const socket = await rawSocket(target, "http/1.1");
      if (socket === undefined) return;
      socket.write(`GET ${SHOP}/configmaps HTTP/1.1\r\nhost: x\r\n\r\n`);
      await pause(1);
      socket.destroy();
    },
  },
  {
    name: "view: lists that nobody reads",
    who: "view",
    async send({ target, state }) {
      state.sockets ??= [];
      if (state.sockets.length >= 50) return void (await pause(50));
      const socket = await rawSocket(target, "http/1.1");
      if (socket === undefined) return;
      socket.pause();
      socket.write(`GET ${SHOP}/configmaps HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(20));
      state.sockets.push(socket);
    },
    end: ({ sockets = [] }) => sockets.forEach((socket) => socket.destroy()),
  },
  {
    name: "view: 500 watches at once",
    who: "view",
    async send({ target }) {
      const sessions = times(5, () => http2Session(target));
      for (const session of sessions)
        for (const stream of times(100, () => session.request({ ":path": `${SHOP}/configmaps?watch=true` })))
          stream.on("error", () => {});
      await pause(200);
      for (const session of sessions) session.destroy();
    },
  },
  {
    name: "view: a selector of 20,000 requirements",
    who: "view",
    send: (sender) =>
      sender.send("GET", `${SHOP}/configmaps?labelSelector=${times(2000, (index) => `a${index}!=b`).join(",")}`),
  },
  flood("rapid reset", (stream) =>
    Buffer.concat([frame(1, 5, stream, GET_ROOT), frame(3, 0, stream, Buffer.from([0, 0, 0, 8]))]),
  ),
  flood("CONTINUATION without end", () => frame(9, 0, 1, literal("x", "y".repeat(100)))),
  flood("SETTINGS", () => frame(4, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))),
  flood("PING", () => frame(6, 0, 0, Buffer.alloc(8))),
  flood("streams that stay half open", (stream) => frame(1, 4, stream, GET_ROOT)),
  {
    name: "nobody: 200 slow headers",
    who: "nobody",
    async send({ target, state }) {
      state.sockets ??= [];
      if (state.sockets.length < 200) {
        const socket = await rawSocket(target, "http/1.1");
        socket?.write("GET / HTTP/1.1\r\nhost: x\r\n");
        if (socket !== undefined) state.sockets.push(socket);
        return;
      }
      for (const socket of state.sockets) socket.write("x: y\r\n");
      await pause(100);
    },
    end: ({ sockets = [] }) => sockets.forEach((socket) => socket.destroy()),
  },
  {
    name: "nobody: 200 slow bodies",
    who: "nobody",
    async send({ target, state }) {
      state.sockets ??= [];
      if (state.sockets.length < 200) {
        const socket = await rawSocket(target, "http/1.1");
        socket?.write(
          "POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 3000000\r\n\r\n{",
        );
        if (socket !== undefined) state.sockets.push(socket);
        return;
      }
      for (const socket of state.sockets) socket.write(" ");
      await pause(100);
    },
    end: ({ sockets = [] }) => sockets.forEach((socket) => socket.destroy()),
  },
  {
    name: "nobody: a wrong token in each request",
    who: "nobody",
    send: (sender) =>
      sender.send("GET", `${SHOP}/pods`, undefined, undefined, {
        authorization: `Bearer ${"x".repeat(4000)}${next++}`,
      }),
  },
  {
    name: "nobody: connections that end after the handshake",
    who: "nobody",
    send: async ({ target }) => void (await rawSocket(target, "h2"))?.destroy(),
  },
  pod("a glob of many stars", "case $(printf %03000d 0) in *0*0*0*0*0*1) ;; esac"),
  pod("a suffix of many stars", 'x=$(printf %03000d 0); echo "${x%%*0*0*0*0*0*1}"'),
  pod("a fork bomb", 'sh -c \'sh -c "$0" "$0" & sh -c "$0" "$0" &\' \'sh -c "$0" "$0" & sh -c "$0" "$0" & wait\''),
  pod("jobs without end", "while :; do sleep 100000 & done"),
  pod("a tail of everything", "yes | tail -n 100000000"),
  pod("a string that doubles", 'x=aaaaaaaa; while :; do x="$x$x"; done'),
  pod("200,000 commands in one line", undefined, { command: ["sh", "-c", `:${" && :".repeat(200_000)}`] }),
  pod("files of 200 MB", "yes 0123456789012345678901234567890123456789 | head -c 209715200 > /tmp/a; sleep 1000"),
  pod("a loop without end", "while :; do :; done"),
  pod("a function that calls itself", "f() { f; }; f"),
  pod("a width of printf", "printf %0999999999d 1; printf %999999999s x"),
  pod("output without end", "yes"),
  pod("variables that double", undefined, {
    command: ["sleep", "1000"],
    env: [
      { name: "A0", value: "0123456789" },
      ...times(30, (index) => ({ name: `A${index + 1}`, value: `$(A${index})$(A${index})` })),
    ],
  }),
  change("edit: 15,000 variables deleted by a strategic patch", {
    at: DEPLOYMENTS,
    make: deployment("many", { env: variables(15_000) }),
    path: `${DEPLOYMENTS}/many`,
    type: STRATEGIC,
    body: () => ({
      spec: {
        template: {
          spec: {
            containers: [{ name: "c", env: times(15_000, (index) => ({ name: `V${index}`, $patch: "delete" })) }],
          },
        },
      },
    }),
  }),
  change("edit: 9,000 variables in another order by a strategic patch", {
    at: DEPLOYMENTS,
    make: deployment("ordered", { env: variables(9000) }),
    path: `${DEPLOYMENTS}/ordered`,
    type: STRATEGIC,
    body: (count) => ({
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: "c",
                env: variables(9000)
                  .map((one) => ({ ...one, value: `v${count}` }))
                  .reverse(),
              },
            ],
          },
        },
      },
    }),
  }),
  change("edit: a label on a pod of 2,000 tolerations", {
    at: `${SHOP}/pods`,
    make: {
      ...named("tolerant"),
      spec: {
        nodeName: "nowhere",
        containers: [{ name: "c", image: "i" }],
        tolerations: times(2000, (index) => ({ key: `k${index}`, operator: "Exists" })),
      },
    },
    path: `${SHOP}/pods/tolerant`,
    body: (count) => ({ metadata: { labels: { a: `v${count}` } } }),
  }),
  change("edit: a label on an object of 20,000 owners", {
    at: `${SHOP}/configmaps`,
    make: named("owned", {
      ownerReferences: times(20_000, (index) => ({
        apiVersion: "v1",
        kind: "Node",
        name: `n${index}`,
        uid: `00000000-0000-0000-0000-${String(index).padStart(12, "0")}`,
      })),
    }),
    path: `${SHOP}/configmaps/owned`,
    body: (count) => ({ metadata: { labels: { a: `v${count}` } } }),
  }),
  change("edit: a label on an object of 20,000 finalizers", {
    at: `${SHOP}/configmaps`,
    make: named("held", { finalizers: times(20_000, (index) => `example.com/f${index}`) }),
    path: `${SHOP}/configmaps/held`,
    body: (count) => ({ metadata: { labels: { a: `v${count}` } } }),
  }),
  {
    name: "edit: a Service that selects by 100,000 labels",
    who: "edit",
    send: (sender) =>
      sender.send("POST", `${SHOP}/services`, {
        ...named(`wide-${next++}`),
        spec: { ports: [{ port: 80 }], selector: Object.fromEntries(times(100_000, (index) => [`k${index}`, "v"])) },
      }),
    remove: (admin) => admin.send("DELETE", `${SHOP}/services`),
  },
  {
    name: "edit: a Service of 60,000 ports",
    who: "edit",
    send: (sender) =>
      sender.send("POST", `${SHOP}/services?dryRun=All`, {
        ...named("ports"),
        spec: { ports: times(60_000, (index) => ({ name: `p${index}`, port: index + 1 })) },
      }),
  },
  change("edit: an apply that conflicts in 12,000 variables", {
    at: DEPLOYMENTS,
    make: deployment("contended", { env: variables(12_000) }),
    path: `${DEPLOYMENTS}/contended?fieldManager=other`,
    type: APPLY,
    body: () => deployment("contended", { env: variables(12_000).map((one) => ({ ...one, value: "w" })) }),
  }),
  change("edit: a JSON patch that copies 10,000 times", {
    at: `${SHOP}/configmaps`,
    make: { ...named("copied"), data: { a: "x".repeat(1000) } },
    path: `${SHOP}/configmaps/copied`,
    type: JSON_PATCH,
    body: () => times(9999, (index) => ({ op: "copy", from: "/data", path: `/data/k${index}` })),
  }),
  {
    name: "edit: 1,000 levels of lists, 3 MB of them",
    who: "edit",
    send: (sender) =>
      sender.send(
        "POST",
        `${SHOP}/configmaps`,
        `{"metadata":{"name":"deep"},"data":${"[".repeat(1_400_000)}${"]".repeat(1_400_000)}}`,
      ),
  },
  {
    name: "edit: YAML of 150,000 anchors",
    who: "edit",
    send: (sender) =>
      sender.send(
        "POST",
        `${SHOP}/configmaps`,
        `metadata: {name: anchored}\ndata:\n${times(150_000, (index) => `  k${index}: &a${index} v\n`).join("")}`,
        "application/yaml",
      ),
  },
  {
    name: "admin: a Role of 120 verbs, groups and resources",
    who: "admin",
    send: (sender) => {
      const list = (letter) => times(120, (index) => `${letter}${index}`);
      return sender.send("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles", {
        ...named("wide"),
        rules: [{ verbs: list("v"), apiGroups: list("g"), resources: list("r") }],
      });
    },
  },
  {
    name: "admin: an EndpointSlice of 20,000 endpoints",
    who: "slices",
    send: (sender) =>
      sender.send("POST", "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?dryRun=All", {
        ...named("wide"),
        addressType: "IPv4",
        endpoints: times(20_000, (index) => ({
          addresses: [`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`],
        })),
        ports: [{ port: 80 }],
      }),
  },
  {
    name: "definitions: objects of 75,000 fields, created",
    who: "definitions",
    prepare: makeWide,
    send: (sender) => sender.send("POST", `${WIDES}?dryRun=All`, wide("wide")),
  },
  {
    name: "definitions: objects of 75,000 fields, applied",
    who: "definitions",
    prepare: makeWide,
    send: (sender) => sender.send("PATCH", `${WIDES}/applied?fieldManager=m&dryRun=All`, wide("applied"), APPLY),
  },
  {
    name: "definitions: a definition of 100,000 columns",
    who: "definitions",
    send: (sender) =>
      sender.send(
        "POST",
        `${DEFINITIONS}?dryRun=All`,
        customKind("tables", ANYTHING, {
          additionalPrinterColumns: times(40_000, (index) => ({ name: `c${index}`, type: "string", jsonPath: ".a" })),
        }),
      ),
  },
  {
    name: "definitions: an enumeration of 1 MB",
    who: "definitions",
    send: (sender) =>
      sender.send(
        "POST",
        `${DEFINITIONS}?dryRun=All`,
        customKind("enums", {
          type: "object",
          properties: { spec: { type: "string", enum: times(100_000, (index) => `v${index}`) } },
        }),
      ),
  },
  {
    name: "policies: an expression of many steps",
    who: "policies",
    prepare: async (admin) => {
      const at = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
      await admin.must("POST", `${at}ies`, {
        ...named("dear"),
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
            ],
          },
          validations: [{ expression: "object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != 'x')))" }],
        },
      });
      await admin.must("POST", `${at}ybindings`, {
        ...named("dear"),
        spec: { policyName: "dear", validationActions: ["Deny"] },
      });
    },
    end: async (_, admin) => {
      const at = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
      await admin.send("DELETE", `${at}ybindings/dear`);
      await admin.send("DELETE", `${at}ies/dear`);
    },
    send: (sender) =>
      sender.send("POST", `${SHOP}/configmaps?dryRun=All`, {
        ...named("judged"),
        data: Object.fromEntries(times(1000, (index) => [`k${index}`, "v"])),
      }),
  },
];
