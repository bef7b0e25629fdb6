import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** Which folders a folder may import; docs/architecture.md draws them as floors. A folder may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  machinery: ["base"],
  api: ["machinery", "base"],
  client: ["api", "machinery", "base"],
  component: ["client", "machinery", "base"],
  resource: ["client", "machinery", "base"],
  printers: ["machinery", "base"],
  "polymorphic-helpers": ["client", "api", "machinery", "base"],
  kustomize: ["polymorphic-helpers", "machinery", "base"],
  actions: ["polymorphic-helpers", "resource", "client", "api", "machinery", "base"],
  project: ["client", "api", "machinery", "base"],
  cli: ["actions", "polymorphic-helpers", "resource", "printers", "component", "client", "machinery", "base"],
  commands: [
    "cli",
    "project",
    "actions",
    "polymorphic-helpers",
    "resource",
    "printers",
    "component",
    "client",
    "api",
    "machinery",
    "base",
  ],
  server: ["component", "client", "api", "machinery", "base"],
  controllers: ["client", "api", "machinery", "base"],
  node: ["client", "api", "machinery", "base"],
  scheduler: ["client", "api", "machinery", "base"],
  cluster: ["server", "controllers", "scheduler", "node", "component", "client", "api", "machinery", "base"],
  "main.ts": ["commands", "cli", "base"],
  "kubectl.ts": ["main.ts", "commands", "cli", "client", "node", "base"],
  library: ["actions", "polymorphic-helpers", "resource", "client", "machinery", "base"],
  testing: ["cluster", "library", "polymorphic-helpers", "client", "api", "machinery", "base"],
  "index.ts": ["library", "actions", "client", "machinery"],
};

/** Inside server; what is not listed may import nothing there. */
const SERVER_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  request: [],
  metrics: ["request", "storage"],
  threads: [],
  storage: ["threads"],
  // Webhooks of users, of rights and of admission are called by one client.
  authn: ["request", "webhook"],
  audit: ["request", "metrics", "authz", "webhook", "filters"],
  webhook: [],
  kubelet: ["request"],
  admission: ["request", "metrics", "authz", "webhook"],
  registry: ["storage", "request", "authz"],
  authz: ["request", "webhook"],
  filters: ["request", "metrics", "authn", "authz"],
  // It names requests as metrics and the audit log do.
  tracing: ["request", "filters", "metrics", "audit"],
  // Its filter stands among the others, and it counts what is stored of the resources.
  "flow-control": ["request", "metrics", "filters", "storage", "registry", "api-registry"],
  endpoints: ["registry", "storage", "admission", "request", "metrics", "authz", "kubelet"],
  // Pages and profiles for operators.
  debug: ["request", "endpoints"],
  builtin: ["endpoints", "registry", "storage", "authn", "authz", "request", "kubelet"],
  "api-registry": ["request", "storage", "admission", "authz", "registry", "endpoints"],
  generic: [
    "request",
    "metrics",
    "storage",
    "authn",
    "authz",
    "webhook",
    "kubelet",
    "admission",
    "registry",
    "filters",
    "endpoints",
    "api-registry",
  ],
  extensions: ["metrics", "webhook", "storage", "registry", "api-registry"],
  aggregator: [
    "metrics",
    "webhook",
    "kubelet",
    "request",
    "storage",
    "registry",
    "endpoints",
    "api-registry",
    "builtin",
  ],
  "kinds-in-code": ["registry", "endpoints", "api-registry", "extensions"],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly dynamic: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports = files.flatMap((file) => importsOf(file));

function importsOf(file: string): Import[] {
  const whole = readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  // What a template holds belongs to the project that is made of it.
  const text = file.startsWith(join("project", "templates", "")) ? whole.replace(/`(?:[^`\\]|\\[^])*`/g, "``") : whole;
  const found: Import[] = [];
  for (const [pattern, dynamic] of [
    [/^(?:import|export)\b[^;]*?\bfrom\s+"(\.[^"]+)"/gm, false],
    [/\bimport\(\s*"(\.[^"]+)"\s*\)/g, true],
  ] as const) {
    for (const match of text.matchAll(pattern)) {
      const target = resolve(src, dirname(file), match[1] ?? "");
      found.push({ from: file, to: relative(src, target), dynamic });
    }
  }
  return found;
}

const folderOf = (file: string): string => file.split(sep)[0]?.replace(/\.js$/, ".ts") ?? "";

/** Where src asks the process it runs in for time, randomness or environment; everything else is given them. */
const ASKS_THE_PROCESS: Readonly<Record<string, string>> = {
  "base/time/clock.ts": "the system's clock",
  "base/numbers/random.ts": "the system's randomness",
  "base/time/timers.ts": "measures how long a wait has lasted",
  "base/async/time-slice.ts": "measures slices of the event loop",
  "client/surroundings.ts": "what the library's public functions use when a caller gives none",
  "cluster/named/serve.ts": "composes a process that serves a cluster: when it started",
  "cluster/named/manage.ts": "waits for another process to end",
  "main.ts": "composes the program: its randomness",
  "project/templates/operator-files.ts": "a template, whose program reads its environment",
  "project/templates/package-files.ts": "a template, whose program reads its environment",
  "server/storage/etcd/grpc-channel.ts": "gRPC compares a call's deadline with the process's own time",
};

/** Who may choose the system's clock, timers or randomness; tests and callers give others. */
const CHOOSES_THE_SYSTEMS: Readonly<Record<string, string>> = {
  "actions/surroundings.ts": "the default of the library's actions, whose pauses keep the process alive",
  "cli/component-command.ts": "runs a component, whose log may be buffered",
  "client/surroundings.ts": "the default of the library's public functions",
  "cluster/apiserver/serve-api.ts": "composes a server by kube-apiserver's flags",
  "cluster/cluster-clock.ts": "waits for work that a manual clock does not time",
  "cluster/encryption/stored-encryption.ts": "reads stored values for a command, and encrypts none",
  "cluster/programs/surroundings.ts": "composes the programs of a control plane",
  "cluster/stages/config.ts": "the default of a server",
  "cluster/stages/opened-server.ts": "composes a server",
  "cluster/stages/prepared-server.ts": "composes a server",
  "component/run-process.ts": "runs a component as the whole of a process",
  "main.ts": "composes the program",
  "server/generic/server.ts": "the default of a server",
  "server/kinds-in-code/fuzz/round-trips.ts": "the seed of a user's test that names none",
  "server/kinds-in-code/judge-value.ts": "a kind judges objects without a server, which would give the clock",
  "server/storage/create-storage.ts": "the default of storages",
  "server/storage/etcd/etcd-kv.ts": "the default of a store",
  "server/storage/files/files-kv.ts": "the default of a store",
  "server/storage/memory/memory-kv.ts": "the default of a store",
  "server/storage/postgres/writes.ts": "numbers the batches of a store",
  "server/storage/sqlite/sqlite-kv.ts": "the default of a store",
};

/** Where what runs in a cluster uses Node's own timers; everything else is given timers, and takes turns by base/async/turns.ts. */
const USES_NODES_TIMERS: Readonly<Record<string, string>> = {
  "base/async/time-slice.ts": "slices of the event loop, where turns are not driven",
  "base/time/timers.ts": "the system's timers, and those that keep a process alive",
  "base/async/turns.ts": "turns of the event loop",
  "client/rest/request-lifetime.ts": "a request's --request-timeout, and a server that is silent",
  "client/transport/bun-fetch.ts": "sockets",
  "client/transport/dial.ts": "sockets, and proxies that do not answer",
  "client/transport/http2.ts": "connections that nobody uses",
  "client/transport/node-https.ts": "connections that nobody uses",
  "client/transport/peer-pulse.ts": "the other end of a connection",
  "client/transport/tls-alert.ts": "a socket",
  "cluster/envtest/until-parent-ends.ts": "another process",
  "cluster/idle-memory.ts": "the process's memory",
  "cluster/named/manage.ts": "another process",
  "server/admission/guarded-plugin.ts": "code from outside, which runs by real time",
  "server/endpoints/verbs/watch.ts": "groups deliveries, where turns are not driven",
  "server/filters/own-filter.ts": "code from outside, which runs by real time",
  "server/generic/create-missing.ts": "another server that starts on the same storage",
  "server/generic/plain-listener.ts": "sockets",
  "server/generic/requests-under-way.ts": "clients that do not read while the server stops",
  "server/generic/secure-listener.ts": "sockets",
  "server/generic/transport/http2-sessions.ts": "sockets",
  "server/kubelet/upgraded-connections.ts": "sockets",
  "server/storage/etcd/etcd-client.ts": "another process",
  "server/storage/etcd/etcd-kv.ts": "another process",
  "server/storage/postgres/database.ts": "another process",
  "server/storage/postgres/follower.ts": "another process",
  "server/storage/postgres/writes.ts": "another process",
  "server/storage/sqlite/sqlite-worker.ts": "runs in a thread",
  "server/webhook/call-deadline.ts": "sockets",
};

/** Where what runs in a cluster loads modules beside the order of turns (`inOrder` in base/async/turns.ts). */
const LOADS_BESIDE_TURNS = /^(client|cluster)\/|^server\/(storage|threads|generic\/transport)\//;

describe("source code that asks for time, randomness or the environment", () => {
  const RUNS_IN_A_CLUSTER = /^(base|client|server|controllers|node|cluster)\//;
  const uncommented = (file: string): string =>
    readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const using = (pattern: RegExp): string[] =>
    files
      .filter((file) => pattern.test(uncommented(file)))
      .map((file) => file.replaceAll(sep, "/"))
      .sort();

  test("reads the process's clock, randomness and environment only in the listed files", () => {
    const asks =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b|\bprocess\.(env|hrtime)\b|\bperformance\.now\b/;
    expect(using(asks)).toEqual(Object.keys(ASKS_THE_PROCESS).sort());
  });

  test("chooses the system's clock, timers and randomness only in the listed files", () => {
    const chooses = /^import [^;]*\b(system(Clock|Timers|Random)|workTimers)\b/m;
    expect(using(chooses)).toEqual(Object.keys(CHOOSES_THE_SYSTEMS).sort());
  });

  test("uses Node's timers within a cluster only in the listed files: a manual clock drives all others", () => {
    const timers = /(?<!\.)\bset(Timeout|Interval|Immediate)\(|\bnew Promise\(setImmediate\)/;
    const uses = using(timers).filter((file) => RUNS_IN_A_CLUSTER.test(file));
    expect(uses).toEqual(Object.keys(USES_NODES_TIMERS).sort());
  });

  test("loads modules within a cluster only by inOrder(), because loading takes a time that differs from run to run", () => {
    const loads = using(/(?<!inOrder\(|typeof )\bimport\(\s*"\./).filter((file) => RUNS_IN_A_CLUSTER.test(file));
    expect(loads.filter((file) => !LOADS_BESIDE_TURNS.test(file))).toEqual([]);
  });
});

/** Who makes or hands on a transport that acts as a server's owner without a token: docs/security.md has the same table. */
const ACTS_AS_THE_OWNER: Readonly<Record<string, string>> = {
  "client/dynamic/kubernetes-client.ts": "the client of who started the server",
  "cluster/delegation/plugin-access.ts": "hands it to the admission plugins of who started the server",
  "cluster/stages/open-fairness.ts": "the writer of FlowSchemas' conditions",
  "cluster/stages/opened-server.ts": "hands it to the hooks of the server",
  "cluster/stages/prepared-server.ts": "hands it to who started the server",
  "cluster/shared-server.ts": "claims the server's nodes, and removes those of earlier versions",
  "cluster/control-plane/aggregator-part.ts": "the APIServices' writer",
  "cluster/control-plane/system-parts.ts": "the definitions' writer",
  "cluster/control-plane/programs.ts": "the controllers and the scheduler",
  "cluster/control-plane/node-parts.ts": "the nodes, and the removal of those that are left over",
  "server/generic/server.ts": "makes it; admission plugins, and the day of a token's use",
  "server/generic/transport/in-process.ts": "is it",
};

describe("source code that sends requests with the trust of the same process", () => {
  const using = (pattern: RegExp): string[] =>
    files
      .filter((file) => pattern.test(readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "")))
      .map((file) => file.replaceAll(sep, "/"))
      .sort();

  test("acts as the server's owner only in the listed files: no pod, program of a pod or webhook gets such a transport", () => {
    expect(using(/\binProcessTransport\(|\bloopback\(|\b(?:server|cluster)\.transport\(/)).toEqual(
      Object.keys(ACTS_AS_THE_OWNER).sort(),
    );
  });

  test("calls a kubelet's API without a certificate or a token only where it holds the node's agent", () => {
    expect(using(/\bserveHolder\(|\bfleet\.node\(|\.connect\(connection\)/)).toEqual([
      "node/fleet-node.ts",
      "node/kubelet-api/kubelet-api.ts",
      "node/node-agent.ts",
    ]);
  });

  test("sends the server's certificate to kubelets only for logs, streams, the node proxy and connections to other servers' nodes", () => {
    expect(using(/\bkubeletClient\?*\.?\(/)).toEqual([
      "cluster/nodes/server-nodes.ts",
      "cluster/pki/client-certificates.ts",
      "cluster/stages/opened-server.ts",
      "server/builtin/core/connect-target.ts",
      "server/kubelet/cluster-network.ts",
    ]);
    expect(using(/\bkubeletTarget\(/)).toEqual([
      "server/builtin/core/connect-target.ts",
      "server/builtin/core/pods/pod-log.ts",
      "server/builtin/core/pods/pod-streams.ts",
      "server/builtin/core/proxies.ts",
    ]);
  });
});

/** Where the program composes control sequences for a terminal; all other text is words, of which a terminal shows control characters. */
const COMPOSES_SEQUENCES: Readonly<Record<string, string>> = {
  "base/text/inert-text.ts": "what is shown in place of control characters",
  "cli/terminal/live-lines.ts": "draws in place",
  "cli/terminal/terminal-keys.ts": "reads the keys of a terminal",
  "cli/terminal/terminal-output.ts": "lets only the program's own sequences pass",
  "cli/terminal/terminal-screen.ts": "draws on the whole terminal",
  "cli/warn.ts": "the colour of warnings",
  "commands/cluster-info/cluster-info.ts": "kubectl's colours",
  "printers/colours/display-width.ts": "measures text with colours",
  "printers/colours/terminal-look.ts": "all other colours",
  "printers/terminal-escape.ts": "what kubectl's printers show in place of escape, in a pipe too",
};

/** Who writes bytes, which a terminal gets as they are: what a user asked to see as it is. */
const WRITES_BYTES: Readonly<Record<string, string>> = {
  "cli/completion/plugin-completion.ts": "what a plugin of the user's writes to stderr",
  "cli/container-session/container-log.ts": "the log of a container",
  "cli/container-session/session-streams.ts": "what a program in a container writes",
  "cli/raw-request.ts": "the answer to --raw",
  "cli/write-output.ts": "defines them",
  "commands/cp/cp.ts": "what the container's tar writes; on a terminal it is text",
  "commands/get/get.ts": "the body of get --raw",
  "commands/get/print-objects.ts": "text",
  "commands/get/watch.ts": "text",
  "commands/logs/log-reader.ts": "lines of a log",
};

describe("source code that writes to a terminal", () => {
  const inProgram = (pattern: RegExp): string[] =>
    files
      .map((file) => file.replaceAll(sep, "/"))
      .filter((file) => /^(main\.ts|(base|cli|commands|printers|polymorphic-helpers|actions|resource)\/)/.test(file))
      .filter((file) => pattern.test(readFileSync(join(src, file), "utf8")))
      .sort();

  test("composes control sequences only in the listed files", () => {
    expect(inProgram(/\\(u001b|x1b|u009b|x9b)|from "chalk"/i)).toEqual(Object.keys(COMPOSES_SEQUENCES).sort());
  });

  test("writes bytes, which reach a terminal unescaped, only in the listed files", () => {
    expect(inProgram(/\b(writeOutput|deliverOutput)\(|\b(out|err)\.write\((chunk|bytes|Buffer)\b/)).toEqual(
      Object.keys(WRITES_BYTES).sort(),
    );
  });

  test("writes to the process's streams only through the guarded ones", () => {
    const direct = inProgram(/\bprocess\.std(out|err)\b|\bproc\.std(out|err)\b|\bconsole\.(log|error|warn|info)\(/);
    expect(direct).toEqual(["main.ts"]);
    const main = readFileSync(join(src, "main.ts"), "utf8");
    expect(main).toMatch(/const streams = guarded\(options\.streams, colours\);/);
  });
});

/** The commands that start servers, or programs of a control plane. */
const CLUSTER_COMMANDS =
  /^commands[\\/](apiserver|cluster|decode|storage|envtest|controller-manager|scheduler|node)[\\/]/;

/**
 * Where API objects are read field by field without their types (machinery/meta/access.ts): the kind is not known there, or has no
 * generated type. Everything else below these folders reads them by machinery/meta/received.ts.
 */
const READS_WITHOUT_TYPES: Readonly<Record<string, string>> = {
  "api/admission/": "reviews of any object",
  "api/conversion/": "objects of two versions",
  "api/defaults/": "drafts of any version",
  "api/gates/gated-fields.ts": "objects of any kind",
  "api/pod-security/": "pod specs of any template",
  "api/validation/apiextensions/": "schemas",
  "api/validation/collect.ts": "values of any type",
  "api/validation/declarative/": "values of any type, by the rules of their types",
  "api/validation/go-shapes.ts": "structs by their names",
  "api/validation/rules.ts": "values of any type",
  "api/validation/selected-template.ts": "templates of several kinds",
  "api/validation/storage/storage-class.ts": "parameters",
  "api/validation/volumes/persistent-volume.ts": "sources by the names of their fields",
  "api/validation/volumes/volume-sources.ts": "sources by the names of their fields",
  "controllers/horizontal-pod-autoscaler/metric-reader.ts": "metrics.k8s.io, which is no built-in group",
  "controllers/horizontal-pod-autoscaler/served-metrics.ts": "metrics.k8s.io, which is no built-in group",
  "node/scripted/": "files and answers of programs",
  "polymorphic-helpers/describe/generic.ts": "any kind",
  "polymorphic-helpers/exposure.ts": "several kinds",
  "polymorphic-helpers/pod-template.ts": "templates of several kinds",
  "polymorphic-helpers/rollout/": "several kinds, and revisions",
  "polymorphic-helpers/selector.ts": "several kinds",
  "server/admission/expressions/": "any object",
  "server/admission/matching/": "any object",
  "server/admission/plugins/node-restriction/own-objects.ts": "any field",
  "server/admission/plugins/without-fields.ts": "any field",
  "server/admission/pod-security/": "templates of several kinds",
  "server/admission/policy/": "any object",
  "server/admission/webhook/": "reviews of any object",
  "server/authn/": "tokens and reviews",
  "server/authz/": "reviews and configurations",
  "server/builtin/admissionregistration/parameter-rights.ts": "parameters of any kind",
  "server/builtin/apiextensions/custom-resource-definition.ts": "definitions with their schemas",
  "server/builtin/apiregistration/api-service.ts": "not typed yet",
  "server/builtin/authentication/reviews.ts": "a review",
  "server/builtin/authorization/": "reviews",
  "server/builtin/core/persistent-volume-claim.ts": "not typed yet",
  "server/builtin/core/pods/": "bodies of subresources",
  "server/builtin/core/service-account.ts": "not typed yet",
  "server/builtin/core/services/": "objects as the store has them",
  "server/builtin/resource/claim-status-rights.ts": "any field",
  "server/extensions/": "custom resources",
  "server/kinds-in-code/": "objects of users' kinds",
  "server/webhook/": "answers of webhooks",
};

test("source code reads objects of a known kind by their TypeScript types, not by untyped field access", () => {
  const rooms = /^(?:api|controllers|node|polymorphic-helpers|scheduler|server)\b/;
  const untyped = imports
    .filter(({ from, to }) => rooms.test(from) && to === join("machinery", "meta", "access.js"))
    .map(({ from }) => from.replaceAll(sep, "/"));
  const covers = (entry: string, file: string): boolean =>
    entry.endsWith("/") ? file.startsWith(entry) : file === entry;
  const entries = Object.keys(READS_WITHOUT_TYPES);
  expect(untyped.filter((file) => !entries.some((entry) => covers(entry, file)))).toEqual([]);
  expect(entries.filter((entry) => !untyped.some((file) => covers(entry, file)))).toEqual([]);
});

describe("the table of allowed imports between folders", () => {
  test("lists every folder of src", () => {
    const known = new Set(Object.keys(MAY_IMPORT));
    expect([...new Set(files.map(folderOf))].filter((folder) => !known.has(folder))).toEqual([]);
  });

  test("allows every import between folders", () => {
    const forbidden = imports.filter(({ from, to, dynamic }) => {
      const [a, b] = [folderOf(from), folderOf(to)];
      if (a === b) return false;
      if (b === "cluster" && dynamic && CLUSTER_COMMANDS.test(from)) return false;
      if (b === "kubectl.ts" && dynamic && from === join("cluster", "nodes", "start-nodes.ts")) return false;
      if (b === "kustomize" && dynamic && a === "resource") return false;
      if (b === "kustomize" && from.startsWith(join("commands", "kustomize"))) return false;
      return !(MAY_IMPORT[a] ?? []).includes(b);
    });
    expect(forbidden.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test("allows a stage of the server to import only the stages below it", () => {
    const forbidden = imports.filter(({ from, to }) => {
      if (folderOf(from) !== "server" || folderOf(to) !== "server") return false;
      const [a, b] = [from.split(sep)[1] ?? "", to.split(sep)[1] ?? ""];
      return a !== b && !(SERVER_MAY_IMPORT[a] ?? []).includes(b);
    });
    expect(forbidden.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test("a command never imports another command", () => {
    const forbidden = imports.filter(({ from, to }) => {
      const [a, b] = [from.split(sep), to.split(sep)];
      return a[0] === "commands" && b[0] === "commands" && a.length > 2 && b.length > 2 && a[1] !== b[1];
    });
    expect(forbidden.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test("commands import actions one by one: the library's index would load all of them", () => {
    const barrel = imports.filter(({ to }) => to === join("actions", "index.js"));
    expect(barrel.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test("there is no util folder or file", () => {
    expect(files.filter((file) => /(^|\/)(util|utils|helpers|common|misc)(\/|\.ts$)/.test(file))).toEqual([]);
  });

  test("is checked over imports that all name an existing file", () => {
    const missing = imports.filter(
      ({ to }) => !existsSync(join(src, to.replace(/\.js$/, ".ts"))) && !to.endsWith(".json"),
    );
    expect(missing.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

const root = resolve(src, "..");

test("every path that README.md, CONTRIBUTING.md and the pages of docs/ name exists", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const named = ["README.md", "CONTRIBUTING.md", ...pages.map((name) => `docs/${name}`)].flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    return [...text.matchAll(/`((?:src|test|docs|bench|bin|tools|completions)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => `${page}: ${path}`,
    );
  });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((one) => !existsSync(join(root, one.slice(one.indexOf(": ") + 2))))).toEqual([]);
});

test("the diagram of floors in docs/architecture.md names every folder of src", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, picture = ""] = /```text diagram\n([^`]*)```/.exec(page) ?? [];
  const words = new Set(picture.match(/[\w.-]+/g));
  expect(Object.keys(MAY_IMPORT).filter((folder) => !words.has(folder))).toEqual([]);
});

test("each seam of docs/architecture.md is exported by the file that the page names", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const seams = page.slice(page.indexOf("## Seams"), page.indexOf("## Glossary"));
  const rows = [...seams.matchAll(/^\| (`.+) \| (`.+) \| .+ \|$/gm)];
  const named = rows.flatMap(([, names = "", files = ""]) => {
    const paths = quoted(files);
    return quoted(names).map((name, index) => ({ name, path: paths[index] ?? "" }));
  });
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(
    ({ name, path }) =>
      !new RegExp(`export (?:interface|type|class) ${name}\\b`).test(readFileSync(join(root, path), "utf8")),
  );
  expect(missing).toEqual([]);
});

describe('"Where to put things" in docs/architecture.md', () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const section = page.slice(page.indexOf("## Where to put things"));
  const rows = [...section.matchAll(/^\| (.+) \| (.+) \| (.*) \|$/gm)]
    .map(([, thing = "", places = "", example = ""]) => ({
      thing,
      places: quoted(places).filter((word) => word.includes("/")),
      example: quoted(example),
    }))
    .filter(({ places }) => places.length > 0);

  test.each(
    [
      "a command",
      "a built-in resource",
      "a column of a table",
      "what `describe` prints of a kind",
      "an admission plugin",
      "one with a configuration",
      "a filter",
      "an authenticator",
      "a storage",
      "a controller",
      "an input of a controller",
      "a plugin of the scheduler",
    ].map((thing) => [thing]),
  )("has a row with an example for %s", (thing) => {
    expect(rows.find((row) => row.thing === thing)?.example).not.toEqual([]);
  });

  test.each(rows.map((row) => [row.thing, row] as const))(
    "%s: the places exist, and lists name the example",
    (_, row) => {
      const words = placeholderWords(row);
      const name = row.example.at(-1);
      const missing = row.places.filter((place) => {
        const path = join(
          root,
          place.replaceAll(/<\w+>/g, (placeholder) => words.get(placeholder) ?? placeholder),
        );
        if (!existsSync(path)) return true;
        if (place.includes("<") || name === undefined || !path.endsWith(".ts")) return false;
        return !plain(readFileSync(path, "utf8")).includes(plain(name));
      });
      expect(missing).toEqual([]);
    },
  );

  /** The words of the example, by the placeholders of the row in the order in which they first come. */
  function placeholderWords({ places, example }: (typeof rows)[number]): ReadonlyMap<string, string> {
    const placeholders = [...new Set(places.join(" ").match(/<\w+>/g) ?? [])];
    return new Map(placeholders.map((placeholder, index) => [placeholder, example[index] ?? placeholder]));
  }
});

/** The words in backticks. */
function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

/** A name in any case: "cron-job", "CronJob" and "cronjob" are one. */
const plain = (text: string): string => text.toLowerCase().replaceAll("-", "");

const metafilePath = resolve(import.meta.dirname, "../dist/metafile.json");

interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly bytes: number;
        readonly entryPoint?: string;
        readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
        readonly inputs: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

describe.skipIf(!existsSync(metafilePath))("the files that the built program loads at its start", () => {
  const { outputs } = (
    existsSync(metafilePath) ? JSON.parse(readFileSync(metafilePath, "utf8")) : { outputs: {} }
  ) as Metafile;

  /** The chunk and everything it imports statically. */
  function closure(path: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const next of outputs[path]?.imports ?? []) {
      if (next.kind === "import-statement" && next.external !== true) closure(next.path, seen);
    }
    return seen;
  }
  const inputsOf = (chunks: Iterable<string>): string[] =>
    [...chunks].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  const bytesOf = (chunks: Iterable<string>): number =>
    [...chunks].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
  const chunkOf = (module: string): string =>
    Object.entries(outputs).find(([, output]) => output.entryPoint === module)?.[0] ?? "";

  const startOf = (...files: string[]): string[] => [...new Set(files.flatMap((file) => [...closure(file)]))];
  const heavy = /node_modules\/(undici|ws|js-yaml|cli-table3|@peculiar|reflect-metadata)\/|src\/(server|cluster|api)\//;

  test("contain in main, one file under 130 kB, no heavy library and no server", () => {
    const main = startOf("dist/cli/main.cjs");
    expect(main).toEqual(["dist/cli/main.cjs"]);
    expect(inputsOf(main).filter((input) => heavy.test(input))).toEqual([]);
    expect(bytesOf(main)).toBeLessThan(130_000);
  });

  test("are main and one more for the command `version`", () => {
    expect(startOf("dist/cli/main.cjs", chunkOf("src/commands/version/version.ts"))).toHaveLength(2);
  });

  test("are four for the command `get`, without undici, js-yaml, cli-table3 and the server", () => {
    const get = startOf("dist/cli/main.cjs", chunkOf("src/commands/get/get.ts"), chunkOf("src/cli/connect/connect.ts"));
    expect(get).toHaveLength(4);
    expect(inputsOf(get).filter((input) => heavy.test(input))).toEqual([]);
    expect(bytesOf(get)).toBeLessThan(400_500);
  });

  test("the import of `kubets` loads two files under 252 kB, and no undici, ws, js-yaml or server", () => {
    const library = startOf("dist/index.js");
    expect(library.toSorted()).toEqual(["dist/client.js", "dist/index.js"]);
    expect(inputsOf(library).filter((input) => heavy.test(input) && !input.startsWith("src/api/kinds/"))).toEqual([]);
    expect(bytesOf(library)).toBeLessThan(252_000);
  });

  test("the import of `kubets/kind` holds no server but what declares kinds, and neither does the first object that it judges", () => {
    const server =
      /src\/(server\/(?!kinds-in-code|extensions\/|registry\/table-columns|api-registry\/own-types|endpoints\/encode)|controllers|node|scheduler)/;
    const kinds = startOf("dist/kind.js", chunkOf("src/server/kinds-in-code/judge-value.ts"));
    expect(inputsOf(kinds).filter((input) => server.test(input))).toEqual([]);
  });

  test("contain for no entry of the library undici or ws, which the first request loads", () => {
    const starts = ["index", "actions", "cluster", "server"].flatMap((name) => startOf(`dist/${name}.js`));
    expect(inputsOf(starts).filter((input) => /node_modules\/(undici|ws)\//.test(input))).toEqual([]);
  });

  test("contain gRPC in one file, which only etcd storage and KMS plugins load", () => {
    const holders = Object.keys(outputs).filter((file) => inputsOf([file]).some((input) => /\/@grpc\//.test(input)));
    expect(holders).toEqual(["dist/grpc.js"]);
    const loaders = Object.keys(outputs).filter((file) =>
      outputs[file]?.imports.some(({ path, kind }) => path === "dist/grpc.js" && kind === "import-statement"),
    );
    const users = ["src/server/storage/etcd/etcd-kv.ts", "src/server/storage/encryption/kms/plugin-channel.ts"];
    expect(loaders.sort()).toEqual(users.map(chunkOf).sort());
    const starts = startOf("dist/cli/main.cjs", "dist/index.js", "dist/cluster.js", "dist/actions.js");
    expect(starts.filter((file) => loaders.includes(file))).toEqual([]);
  });

  test("program and library share one file, undici's; else the program loads the library's for what serves or runs beside servers, and for projects", () => {
    const inProgram = (path: string): boolean => path.startsWith("dist/cli/");
    const crossing = Object.entries(outputs).flatMap(([file, { imports: loaded }]) =>
      loaded
        .filter(({ path, external }) => external !== true && inProgram(path) !== inProgram(file))
        .map(({ path }) => ({ path, file })),
    );
    // Containers that call kubectl run the program's command line.
    const toProgram = crossing.filter(({ file }) => !inProgram(file)).map(({ path }) => path);
    expect(toProgram).toEqual(["dist/cli/kubectl.cjs"]);
    expect([...new Set(crossing.map(({ path }) => path))].sort()).toEqual([
      "dist/cli/kubectl.cjs",
      "dist/cluster-apiserver.js",
      "dist/cluster-named.js",
      "dist/cluster-programs.js",
      "dist/cluster-stored.js",
      "dist/project-modules.js",
      "dist/project-templates.js",
      "dist/undici-pool.cjs",
    ]);
    expect(crossing.filter(({ path }) => path === "dist/undici-pool.cjs").map(({ file }) => file)).toEqual([
      chunkOf("src/client/transport/undici.ts"),
    ]);
    const leadsOutside = Object.values(outputs).flatMap(({ imports: loaded }) =>
      loaded.map(({ path }) => path).filter((path) => path.startsWith(".")),
    );
    expect(leadsOutside).toEqual([]);
    expect(Object.keys(outputs)).toEqual(
      expect.arrayContaining(["dist/cluster-named.js", "dist/cluster-apiserver.js", "dist/cluster-programs.js"]),
    );
  });

  test("have each module in one file only, in the program and in the library", () => {
    const holders = new Map<string, string[]>();
    for (const [file, { inputs }] of Object.entries(outputs)) {
      const half = file.startsWith("dist/cli/") ? "cli" : "library";
      for (const input of Object.keys(inputs).filter((one) => one.startsWith("src/"))) {
        holders.set(`${half} ${input}`, [...(holders.get(`${half} ${input}`) ?? []), file]);
      }
    }
    expect([...holders].filter(([, held]) => held.length > 1)).toEqual([]);
  });

  test("come from source that exports no variable that changes, because the program's files copy what they import", () => {
    const changing = files.filter((file) => /^export (let|var) /m.test(readFileSync(join(src, file), "utf8")));
    expect(changing).toEqual([]);
  });
});
