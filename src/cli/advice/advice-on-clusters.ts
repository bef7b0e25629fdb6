import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { holdsControls } from "../../base/text/inert-text.js";
import { isContextNotFound } from "../../client/config/config-errors.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import {
  type ClusterAddress,
  clusterOfContext,
  clustersFolder,
  isProcessAlive,
  readClusterRecord,
  recordFile,
} from "../../client/config/named-cluster.js";
import { isConnectionRefused, isTransportError, type TransportError } from "../../client/transport/transport-error.js";
import type { Factory } from "../connect/factory.js";
import { readText } from "../../base/files/read-file.js";
import { findPemBlock } from "../../machinery/crypto/pem.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { type Certificate, readX509 } from "../../machinery/crypto/x509/certificate.js";

type Surroundings = Pick<Factory, "clientConfig" | "rawConfig" | "env" | "cwd" | "program">;

/** Another server has the port of the one that the kubeconfig's authority belongs to. */
const UNKNOWN_AUTHORITY = "certificate signed by unknown authority";

/**
 * Advises a user whose context belongs to an embedded cluster that does not serve: it is stopped, deleted or another one, and what
 * to do about it. Only files are read; no request is sent.
 */
export async function adviceOnClusters(errors: readonly unknown[], factory: Surroundings): Promise<string | undefined> {
  const config = await factory.rawConfig();
  const dangling = errors.find((error) => isContextNotFound(error));
  if (dangling !== undefined) return adviceOnMissingContext(dangling.context, config, factory);
  const failure = errors.find(
    (error): error is TransportError =>
      isConnectionRefused(error) || (isTransportError(error) && error.reason.includes(UNKNOWN_AUTHORITY)),
  );
  if (failure === undefined) return undefined;
  const { server } = await factory.clientConfig();
  // What was refused may be the download of a manifest.
  if (originOf(failure.url) !== originOf(server)) return undefined;
  const entry = clusterEntry(config, originOf(server));
  if (entry !== undefined) return adviceOnCluster(entry, isConnectionRefused(failure), config, factory);
  const isDefault = server === DEFAULT_SERVER && !factory.env["KUBERNETES_MASTER"];
  return isDefault && config.currentContext === ""
    ? `No context is in use; ${anotherContext(config, "", factory)}`
    : undefined;
}

/** What a command asks without a context. */
const DEFAULT_SERVER = "http://localhost:8080";

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** An entry of the kubeconfig that `cluster start` has written. */
interface ClusterEntry {
  /** Of the kubeconfig's cluster. */
  readonly name: string;
  /** The cluster's own name. */
  readonly cluster: string;
  readonly server: string;
  readonly authority: Uint8Array;
}

/** The one with this address; of several, which had the same port one after the other, the one of the current context. */
function clusterEntry(
  { clusters, contexts, currentContext }: Kubeconfig,
  origin: string | undefined,
): ClusterEntry | undefined {
  const entries = [...clusters].flatMap(([name, { server = "", "certificate-authority-data": authority }]) => {
    const cluster = clusterOfContext(name);
    const isThis = cluster !== undefined && authority !== undefined && originOf(server) === origin;
    return isThis ? [{ name, cluster, server, authority }] : [];
  });
  const current = contexts.get(currentContext)?.cluster;
  return entries.find(({ name }) => name === current) ?? entries[0];
}

async function adviceOnCluster(
  entry: ClusterEntry,
  isRefused: boolean,
  config: Kubeconfig,
  factory: Surroundings,
): Promise<string | undefined> {
  const { cluster, name, server } = entry;
  const folder = clustersFolder(factory.env, factory.cwd);
  const record = await readClusterRecord(recordFile(folder, cluster));
  if (record === undefined) return deleted(folder, cluster, anotherContext(config, name, factory, cluster));
  if (record === "damaged") return damaged(folder, cluster);
  const runs = isProcessAlive(record.pid);
  const start = `start it with: kubets cluster start ${cluster}`;
  const own = join(folder, cluster, "kubeconfig");
  const ownText = await readFile(own, "utf8").catch(() => undefined);
  if (ownText?.includes(Buffer.from(entry.authority).toString("base64")) === false) {
    const use = runs ? `use that one with: --kubeconfig=${shellWord(own)}` : start;
    return `The context is of another cluster "${cluster}" than the one in ${folder}; ${use}`;
  }
  if (originOf(record.url) !== originOf(server) && runs) return moved(name, record, factory);
  // A process that runs now has the id of the one that has ended, or starts or ends the cluster at this moment.
  if (isRefused) return `Cluster "${cluster}" is stopped; ${start}`;
  return runs ? undefined : `Cluster "${cluster}" is stopped, and another server has its port; ${start}`;
}

const deleted = (folder: string, cluster: string, instead: string): string =>
  `There is no cluster "${cluster}" in ${folder} any more; ${instead}`;

const damaged = (folder: string, cluster: string): string =>
  `${recordFile(folder, cluster)} is damaged; remove the cluster with: kubets cluster delete ${cluster}`;

const moved = (name: string, { url }: ClusterAddress, { program }: Surroundings): string =>
  `The cluster has another address now; write it to the kubeconfig with: ${program} config set-cluster ${name} --server=${new URL(url).origin}`;

/** Only of the context in force: a name that was typed is more probably mistyped. */
async function adviceOnMissingContext(
  context: string,
  config: Kubeconfig,
  factory: Surroundings,
): Promise<string | undefined> {
  const cluster = clusterOfContext(context);
  if (cluster === undefined || context !== config.currentContext) return undefined;
  const folder = clustersFolder(factory.env, factory.cwd);
  const record = await readClusterRecord(recordFile(folder, cluster));
  if (record === undefined) return deleted(folder, cluster, anotherContext(config, "", factory, cluster));
  if (record === "damaged") return damaged(folder, cluster);
  return `Cluster "${cluster}" is there, but not its context; "kubets cluster start ${cluster}" writes it.`;
}

/** A word of a line that may be copied into a shell. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** How many contexts are named. */
const MOST_CONTEXTS = 4;

/** What to do without the contexts of the kubeconfig's cluster `without`. */
function anotherContext(config: Kubeconfig, without: string, { program }: Surroundings, cluster?: string): string {
  const names = [...config.contexts].flatMap(([name, context]) =>
    (without !== "" && context.cluster === without) || !isOffered(name) ? [] : [shellWord(name)],
  );
  const [first] = names;
  if (first === undefined) return `start one with: kubets cluster start${cluster === undefined ? "" : ` ${cluster}`}`;
  const shown = names.slice(0, MOST_CONTEXTS).join(", ");
  const list = names.length === 1 ? "" : ` (there are ${shown}${names.length > MOST_CONTEXTS ? ", ..." : ""})`;
  return `choose another context with: ${program} config use-context ${first}${list}`;
}

/** A terminal would not show control characters as they are, and a command would take a dash for the beginning of a flag. */
const isOffered = (context: string): boolean => !holdsControls(context) && !context.startsWith("-");

/** Alerts by which a server ends the handshake with a client whose certificate it does not take. */
const REFUSED_IN_HANDSHAKE = /remote error: tls: (?:expired|bad|unknown) certificate/;

/** Advises a user whose request was refused, where the client certificate of the kubeconfig is not valid at this time. */
export async function adviceOnCertificates(
  errors: readonly unknown[],
  factory: Pick<Factory, "clientConfig" | "rawConfig" | "clock">,
): Promise<string | undefined> {
  if (!errors.some(isRefusal)) return undefined;
  const own = await ownCertificate(factory);
  if (own === undefined) return undefined;
  const { place, certificate } = own;
  const now = factory.clock.now();
  if (now > certificate.notAfter) return `${place} expired on ${dateOf(certificate.notAfter)}. Get a new one.`;
  if (now < certificate.notBefore) {
    return `${place} is not valid before ${dateOf(certificate.notBefore)}. Check the clock of this machine.`;
  }
  return undefined;
}

const isRefusal = (error: unknown): boolean =>
  isStatusError(error)
    ? error.reason === "Unauthorized"
    : isTransportError(error) && REFUSED_IN_HANDSHAKE.test(error.reason);

interface OwnCertificate {
  /** "Your client certificate in /home/me/client.crt". */
  readonly place: string;
  readonly certificate: Certificate;
}

async function ownCertificate({
  clientConfig,
  rawConfig,
}: Pick<Factory, "clientConfig" | "rawConfig">): Promise<OwnCertificate | undefined> {
  const { certFile, certData } = (await clientConfig()).tls;
  if (certData !== undefined) {
    const text = Buffer.from(certData).toString("latin1");
    return ownIn(text, `Your client certificate (client-certificate-data${await kubeconfigOf(certData, rawConfig)})`);
  }
  return certFile === undefined ? undefined : ownIn(await readText(certFile), `Your client certificate in ${certFile}`);
}

function ownIn(text: string, place: string): OwnCertificate | undefined {
  const block = findPemBlock(text);
  return block && { place, certificate: readX509(block.bytes) };
}

/** ` of user "me" in /home/me/.kube/config`; "" where no user of the kubeconfig has the certificate. */
async function kubeconfigOf(data: Uint8Array, rawConfig: Factory["rawConfig"]): Promise<string> {
  for (const [name, { "client-certificate-data": own, origin }] of (await rawConfig()).users) {
    if (own === undefined || Buffer.compare(own, data) !== 0) continue;
    return ` of user ${JSON.stringify(name)}${origin === "" ? "" : ` in ${origin}`}`;
  }
  return "";
}

const dateOf = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
