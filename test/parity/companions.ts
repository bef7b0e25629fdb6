import { join } from "node:path";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { startFakeKubelet } from "../helpers/fake-kubelet.js";
import { startScriptedKubelet } from "../helpers/scripted-kubelet.js";
import { type DocumentRequest, serveDocumentsOf } from "./served-documents.js";
import type { Session } from "./session.js";

/** An image that is not here has a shell and its programs. */
const IMAGES = { bare: { shell: false }, "without-tar": { without: ["tar"] } };

/** Servers beside the cluster, for sessions that name their ports: each is there when a line has its variable. */
export interface Companions {
  /** Variables of the shell, as KUBELET_PORT. */
  readonly ports: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * KUBELET_PORT: a node's agent that has logs. STREAMS_PORT: one whose containers can be entered; on it run the pods of the session's
 * `streams.json`, a List. DOCUMENTS_PORT: answers out of the session's files below `served/`. `authority` is the cluster's, PEM.
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
  return {
    ports: Object.fromEntries(Object.entries(servers).map(([name, { port }]) => [name, port])),
    close: async () => {
      for (const server of Object.values(servers)) await server.close();
    },
  };
}
