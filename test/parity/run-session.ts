import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Cluster } from "../../src/cluster/index.js";
import { SHORT_LIVED } from "../helpers/real-tools.js";
import { installProgram, linkExecutable } from "../helpers/program-under-test.js";
import { startCompanions } from "./companions.js";
import { type LineOutcome, runInProcess } from "./in-process.js";
import type { Session } from "./session.js";
import { startSessionCluster } from "./session-cluster.js";
import { LASTING, LASTING_REQUESTS, sessionPrograms } from "./session-programs.js";
import { runShell } from "./shells.js";

/** What can be seen of one command line. */
export interface StepResult {
  readonly command: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** "METHOD path?query [content-type]\nbody", discovery sorted, the others in the order they came. */
  readonly requests: readonly string[];
}

export interface SessionResult {
  readonly steps: readonly StepResult[];
  /** Every object the cluster holds in the end, by its list's path. */
  readonly objects: ReadonlyMap<string, string>;
}

/** Puts a program named kubectl into `folder`. */
export type InstallProgram = (folder: string) => void;

export const installReal =
  (path: string): InstallProgram =>
  (folder) =>
    symlinkSync(path, join(folder, "kubectl"));

export const installOurs: InstallProgram = (folder) => installProgram(join(folder, "kubectl"));

export const installExecutable: InstallProgram = (folder) => linkExecutable(join(folder, "kubectl"));

/** The project's examples are at hand in every session, as `examples/`. */
export const EXAMPLES = join(import.meta.dirname, "../../examples");

const DAY = 86_400_000;

/** Thirty days ago: kubectl, whose ages follow the machine's clock, shows ages in days, which stay the same until midnight. */
export const START_OF_SESSIONS = Math.floor(Date.now() / DAY) * DAY - 30 * DAY;

/**
 * Runs a session on a cluster of its own. Clock and randomness are the same for every run, so uids, versions and ages
 * are too; the clock goes on by 90 seconds after each step.
 */
export async function runSession(
  session: Session,
  install: InstallProgram,
  kubernetesVersion: string,
): Promise<SessionResult> {
  const folder = mkdtempSync(join(tmpdir(), "kubets-parity-"));
  const requests: string[] = [];
  const { cluster, passTime, ...living } = await startSessionCluster(
    session,
    START_OF_SESSIONS,
    (request) => {
      requests.push(describeRequest(request));
      if (LASTING.test(request.path)) appendFileSync(join(folder, LASTING_REQUESTS), `${request.path}\n`);
    },
    kubernetesVersion,
  );
  const companions = await startCompanions(session, folder, cluster.caCertificate, (request) =>
    requests.push(describeRequest(request)),
  );
  const ports = { ...companions.ports, ...living.ports };
  try {
    for (const sub of ["bin", "home", "work", "tmp"]) mkdirSync(join(folder, sub));
    install(join(folder, "bin"));
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
    cpSync(EXAMPLES, join(folder, "work", "examples"), { recursive: true });
    for (const [path, text] of session.files) {
      mkdirSync(dirname(join(folder, "work", path)), { recursive: true });
      writeFileSync(join(folder, "work", path), text);
    }
    const mask = (text: string): string => maskText(text, folder, cluster, ports);
    const steps: StepResult[] = [];
    for (const command of session.steps) {
      requests.length = 0;
      writeFileSync(join(folder, LASTING_REQUESTS), "");
      const { code, stdout, stderr } = await runLine(command, folder, ports, install);
      steps.push({
        command,
        code,
        stdout: mask(stdout),
        stderr: mask(stderr),
        requests: orderRequests(requests).map(mask),
      });
      if (requests.some((request) => NAMESPACE_DELETED.test(request))) await namespacesEmptied(cluster);
      if (requests.some((request) => BUDGET_WRITTEN.test(request))) await budgetsObserved(cluster);
      if (requests.some((request) => DEFINITION_WRITTEN.test(request))) await definitionsJudged(cluster);
      if (requests.some((request) => FURNITURE_TOUCHED.test(request))) await namespacesFurnished(cluster);
      await passTime();
    }
    return { steps, objects: await dumpObjects(cluster, mask) };
  } finally {
    await living.close();
    await companions.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const NAMESPACE_DELETED = /^DELETE \/api\/v1\/namespaces(?:\/[^/?]+)?(?:\?|\n| |$)/;
const BUDGET_WRITTEN = /^(?:POST|PUT|PATCH) \/apis\/policy\/v1\/namespaces\/[^/]+\/poddisruptionbudgets/;
const DEFINITION_WRITTEN = /^(?:POST|PUT|PATCH|DELETE) \/apis\/apiextensions\.k8s\.io\/v1\/customresourcedefinitions/;
const FURNITURE_TOUCHED =
  /^(?:(?:POST|PATCH) \/api\/v1\/namespaces(?:\/[^/?]+)?(?:\?|\n| |$)|DELETE \/api\/v1\/namespaces\/[^/]+\/(?:configmaps|serviceaccounts))/;
const LOOKS = 400;
const LOOK_MILLISECONDS = 25;

/**
 * The namespace controller empties a deleted namespace while the next lines run: both clusters wait for it, so that their
 * writes come in one order. A namespace that something holds is waited for as long on both.
 */
const namespacesEmptied = (cluster: Cluster): Promise<void> =>
  until(async () => {
    const { items } = JSON.parse(await read(cluster, "/api/v1/namespaces")) as { items: { metadata: object }[] };
    return !items.some(({ metadata }) => "deletionTimestamp" in metadata);
  });

/** The disruption controller writes the status of a new budget while the next lines run: both clusters wait for it as well. */
const budgetsObserved = (cluster: Cluster): Promise<void> =>
  until(async () => {
    const { items } = JSON.parse(await read(cluster, "/apis/policy/v1/poddisruptionbudgets")) as {
      items: { metadata: { generation?: number }; status?: { observedGeneration?: number } }[];
    };
    return items.every(({ metadata, status }) => status?.observedGeneration === metadata.generation);
  });

/**
 * The server judges a definition's names and deletes the objects of one that goes, while the next lines run: both clusters wait
 * for it. A definition whose names are another's is waited for as long on both.
 */
const definitionsJudged = (cluster: Cluster): Promise<void> =>
  until(async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const { items } = JSON.parse(await read(cluster, path)) as { items: Definition[] };
    return items.every(({ metadata, spec, status }) => {
      const held = new Set(status?.conditions?.flatMap((one) => (one.status === "True" ? [one.type] : [])));
      const isJudged = held.has("NamesAccepted") && held.has("Established");
      const names = JSON.stringify(spec.names.shortNames) === JSON.stringify(status?.acceptedNames?.shortNames);
      return !("deletionTimestamp" in metadata) && isJudged && names;
    });
  });

interface Definition {
  readonly metadata: object;
  readonly spec: { readonly names: { readonly shortNames?: readonly string[] } };
  readonly status?: {
    readonly acceptedNames?: { readonly shortNames?: readonly string[] };
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
  };
}

/**
 * Controllers put a certificate and a service account into every namespace, and again where a line deleted them: both clusters
 * wait for it, because the clock goes on behind the line.
 */
const namespacesFurnished = (cluster: Cluster): Promise<void> =>
  until(async () => {
    const names = async (path: string, field: "name" | "namespace"): Promise<Set<string>> => {
      const { items } = JSON.parse(await read(cluster, path)) as { items: { metadata: Record<string, string> }[] };
      return new Set(
        items.filter(({ metadata }) => !("deletionTimestamp" in metadata)).map(({ metadata }) => metadata[field] ?? ""),
      );
    };
    const one = (name: string) => `?fieldSelector=metadata.name%3D${name}`;
    const [namespaces, certificates, accounts] = await Promise.all([
      names("/api/v1/namespaces", "name"),
      names(`/api/v1/configmaps${one("kube-root-ca.crt")}`, "namespace"),
      names(`/api/v1/serviceaccounts${one("default")}`, "namespace"),
    ]);
    return [...namespaces].every((namespace) => certificates.has(namespace) && accounts.has(namespace));
  });

/** Goes on when it holds, and when it has not for long: what differs then shows in the lines that follow. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < LOOKS && !(await holds()); look++) await setTimeout(LOOK_MILLISECONDS);
}

async function read(cluster: Cluster, path: string): Promise<string> {
  const answer = await cluster.transport().send({
    method: "GET",
    path,
    headers: { accept: "application/json", authorization: `Bearer ${cluster.token}` },
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

async function runLine(
  command: string,
  folder: string,
  ports: Readonly<Record<string, number>>,
  install: InstallProgram,
): Promise<LineOutcome> {
  const here = { cwd: join(folder, "work"), env: environment(folder, ports) };
  const outcome = install === installOurs ? await runInProcess(command, here) : undefined;
  return outcome ?? shell(command, folder, ports);
}

function environment(folder: string, ports: Readonly<Record<string, number>>): Record<string, string> {
  return {
    PATH: `${join(folder, "bin")}:${sessionPrograms()}:/usr/bin:/bin`,
    HOME: join(folder, "home"),
    KUBECONFIG: join(folder, "kubeconfig"),
    LASTING_REQUESTS: join(folder, LASTING_REQUESTS),
    ...SHORT_LIVED,
    LC_ALL: "C",
    TZ: "UTC",
    TMPDIR: join(folder, "tmp"),
    // Without one, vi would wait for somebody.
    EDITOR: "false",
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
  };
}

export async function shell(
  command: string,
  folder: string,
  ports: Readonly<Record<string, number>>,
): Promise<LineOutcome> {
  const surroundings = { cwd: join(folder, "work"), env: environment(folder, ports) };
  const { code, signal, stdout, stderr } = await runShell(command, surroundings);
  return { code: code ?? (signal === "SIGINT" ? 130 : 143), stdout, stderr };
}

const KLOG_HEADER = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ /gm;

/** Of a watch that its time ran out on, and of a reflector's end: kubectl says so or not, as it happens. */
const BROKEN_WATCH =
  /^[IWE]<KLOG> (?:reflector\.go:\d+\] .*(?:Failed to watch|watch ended with error|Stopping reflector)|streamwatcher\.go:\d+\] .*err="(?:context |net\/http: request canceled)).*\n/gm;

/** How long a reflector took. */
const DURATION = /\bduration="[\d.]+(?:ms|µs|s)"/g;

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const BASE64_PEM = /\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g;

/** Which certificate a user came with. */
const FINGERPRINT = /\bX509SHA256=[0-9a-f]{64}\b/g;

/** When a request for a certificate was decided upon: kubectl's own clock, in each order that the fields are written in. */
const DECIDED =
  /("lastUpdateTime": "|lastUpdateTime: "|by kubectl certificate \w+\.","lastUpdateTime":")[^"]+(?="(?:,?\s+"?message"?: "?This CSR was|,"lastTransitionTime|\}))/g;

/** Names of temporary files, and the times that diff prints of them. */
const TEMPORARY = /\b(kubectl-edit-|LIVE-|MERGED-)\d+/g;
const FILE_TIME = /^((?:---|\+\+\+) .*\t)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} /gm;

/** When a rollout was started anew: kubectl's own clock. */
const RESTARTED_AT = /(kubectl\.kubernetes\.io\/restartedAt"?: ?"?)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** Names of debug containers, and of pods that debug nodes. */
const DEBUGGER = /\b(debugger-(?:[a-z0-9-]+-)?)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

/** How long something took, in the lines of -v. */
const MILLISECONDS = /\b(milliseconds|[a-zA-Z]+Milliseconds)=\d+/g;

/** Headers of an answer, as the log shows them: the server's own clock, and the name it gave the request. */
const ANSWER_HEADERS = /^(\t(?:Date|Expires|Audit-Id): ).*$/gm;

/** A watch without a timeout of its own gets a random one from its client. */
const RANDOM_TIMEOUT = /timeoutSeconds=\d{3}&watch=true/g;
/** A typed client says it as a duration too. */
const RANDOM_DURATION = /\btimeout=\d+m\d+s(?=&timeoutSeconds=)/g;

/** What tar says of absolute names: kubectl's cp may end before it has printed it. */
const TAR_NOTICE = /^tar: Removing leading `\/' from (?:member names|hard link targets)\n/gm;

/**
 * Masks only what cannot be equal: the port, the temporary folder, klog's time and process id, milliseconds and times in its lines, and keys and
 * certificates, random names and timeouts, times of files, when rollouts were started anew, and when requests for certificates were decided upon.
 */
export function maskText(
  text: string,
  folder: string,
  cluster: Cluster,
  ports: Readonly<Record<string, number>>,
): string {
  const port = (number: number | string): RegExp => new RegExp(`(?<![^_\\W])${number}\\b`, "g");
  const masked = text.replaceAll(folder, "<TMP>").replace(port(new URL(cluster.url).port), "<PORT>");
  return Object.entries(ports)
    .reduce((before, [name, number]) => before.replace(port(number), `<${name}>`), masked)
    .replace(TAR_NOTICE, "")
    .replace(MILLISECONDS, "$1=<N>")
    .replace(DURATION, 'duration="<N>"')
    .replace(ANSWER_HEADERS, "$1<VARIES>")
    .replace(RESTARTED_AT, "$1<NOW>")
    .replace(FINGERPRINT, "X509SHA256=<FINGERPRINT>")
    .replace(DECIDED, "$1<NOW>")
    .replace(TEMPORARY, "$1<RANDOM>")
    .replace(DEBUGGER, "$1<RANDOM>")
    .replace(FILE_TIME, "$1<TIME> ")
    .replace(RANDOM_DURATION, "timeout=<RANDOM>")
    .replace(RANDOM_TIMEOUT, "timeoutSeconds=<RANDOM>&watch=true")
    .replace(PEM, "<PEM>")
    .replace(BASE64_PEM, "<PEM>")
    .replace(KLOG_HEADER, "$1<KLOG> ")
    .replace(BROKEN_WATCH, "");
}

const DISCOVERY = /^GET \/(?:api|apis|openapi|version)(?:[/?].*)?$/;
const RESOURCE = /^GET \/(?:api\/v1|apis\/[^/]+\/[^/]+)\//;

const LOG = /^GET \/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log\?/;

/** Logs come last, sorted: kubectl takes them out of a Go map, in no order. */
export function orderRequests(requests: readonly string[]): readonly string[] {
  const isDiscovery = (line: string): boolean => DISCOVERY.test(line.split(" [")[0] ?? "") && !RESOURCE.test(line);
  const others = requests.filter((line) => !isDiscovery(line));
  return [
    ...requests.filter(isDiscovery).sort(),
    ...others.filter((line) => !LOG.test(line)),
    ...others.filter((line) => LOG.test(line)).sort(),
  ];
}

export function describeRequest(request: {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
}): string {
  const type = request.headers["content-type"];
  // kubectl takes the terms of an event's selector out of a Go map: in no order.
  const path = request.path.replace(/involvedObject[^&]*/, (terms) => terms.split("%2C").sort().join("%2C"));
  const head = `${request.method} ${path}${type === undefined ? "" : ` [${type}]`}`;
  if (request.body === undefined || request.body.length === 0) return head;
  const body = path.endsWith("/approval") ? withoutDecisionTimes(request.body) : request.body;
  return `${head}\n${Buffer.from(body).toString("utf8")}`;
}

/** Of a time in protobuf: the tag and the length of the field, the tag of its seconds, and the seconds themselves. */
const TIME_HEAD = 3;
const SECONDS = 5;

/** In protobuf the time of a decision comes behind its message, as seconds: here they are set to none. */
function withoutDecisionTimes(body: Uint8Array): Uint8Array {
  const masked = Buffer.from(body);
  for (const { 0: message, index } of masked.toString("latin1").matchAll(/by kubectl certificate \w+\./g)) {
    const start = index + message.length + TIME_HEAD;
    masked.fill(0, start, start + SECONDS);
  }
  return masked;
}

/** A controller writes when its turn comes, before or after the clock went on behind a line. */
const CONTROLLER_TIME = /("manager":"kubets-controller-manager"[^{}]*"time":")[^"]*/g;

export async function dumpObjects(
  cluster: Cluster,
  mask: (text: string) => string,
): Promise<ReadonlyMap<string, string>> {
  const get = (path: string): Promise<string> => read(cluster, path);
  const objects = new Map<string, string>();
  const groups = JSON.parse(await get("/apis")) as { groups: { versions: { groupVersion: string }[] }[] };
  const bases = ["/api/v1", ...groups.groups.flatMap((g) => g.versions.map((v) => `/apis/${v.groupVersion}`))];
  for (const base of bases) {
    const list = JSON.parse(await get(base)) as { resources: { name: string; verbs: string[] }[] };
    for (const resource of list.resources) {
      if (!resource.verbs.includes("list") || resource.name.includes("/")) continue;
      const path = `${base}/${resource.name}`;
      objects.set(path, mask(await get(path)).replace(CONTROLLER_TIME, "$1<TIME>"));
    }
  }
  return objects;
}
