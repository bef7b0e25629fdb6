import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { ByteStream } from "../../src/machinery/wire/streams/byte-stream.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { startFakeKubelet } from "../helpers/fake-kubelet.js";
import { freePorts } from "../helpers/free-ports.js";
import { startScriptedKubelet } from "../helpers/scripted-kubelet.js";
import { type DocumentRequest, serveDocumentsOf } from "./served-documents.js";
import type { Session } from "./session.js";

/** An image that is not here has a shell and its programs. */
const IMAGES = {
  bare: { shell: false },
  "without-tar": { without: ["tar"] },
  served: { ports: { 7: echo, 80: echo, 8080: echo } },
};

/** Sends back what comes, until the end of it. */
async function echo(connection: ByteStream): Promise<void> {
  for await (const chunk of connection) await connection.write(chunk);
  await connection.end();
}

/** Servers beside the cluster, for sessions that name their ports: each is there when a line has its variable. */
export interface Companions {
  /** Variables of the shell, as KUBELET_PORT. */
  readonly ports: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * KUBELET_PORT: a node's agent that has logs. STREAMS_PORT: one whose containers can be entered; on it run the pods of the session's
 * `streams.json`, a List. DOCUMENTS_PORT: answers out of the session's files below `served/`. BUSY_PORT: taken at 127.0.0.1. LOCAL_PORT
 * and SECOND_PORT are free, for what a line listens on. `authority` is the cluster's, PEM.
 */
export async function startCompanions(
  session: Session,
  folder: string,
  authority: string,
  onRequest: (request: DocumentRequest) => void,
): Promise<Companions> {
  const uses = (name: string): boolean => session.steps.some((step) => step.includes(name));
  const servers: Record<string, { readonly port: number; close(): Promise<void> }> = {};
  if (uses("KUBELET_PORT")) servers["KUBELET_PORT"] = await startFakeKubelet();
  if (uses("STREAMS_PORT")) {
    const { items } = JSON.parse(session.files.get("streams.json") ?? '{"items":[]}') as { items: KubeObject[] };
    const kubelet = await startScriptedKubelet(items, authority, IMAGES);
    servers["STREAMS_PORT"] = { port: kubelet.port, close: async () => kubelet[Symbol.asyncDispose]() };
  }
  if (uses("DOCUMENTS_PORT"))
    servers["DOCUMENTS_PORT"] = await serveDocumentsOf(join(folder, "work", "served"), onRequest);
  if (uses("BUSY_PORT")) servers["BUSY_PORT"] = await takePort();
  const free = FREE.filter(uses);
  const freed = await freePorts(free.length);
  return {
    ports: Object.fromEntries([
      ...Object.entries(servers).map(([name, { port }]) => [name, port] as const),
      ...free.map((name, index) => [name, freed[index] ?? 0] as const),
    ]),
    close: async () => {
      for (const server of Object.values(servers)) await server.close();
    },
  };
}

const FREE = ["LOCAL_PORT", "SECOND_PORT"];

async function takePort(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: async () => void server.close() };
}
