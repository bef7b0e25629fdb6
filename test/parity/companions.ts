import { join } from "node:path";
import { startFakeKubelet } from "../helpers/fake-kubelet.js";
import { type DocumentRequest, serveDocumentsOf } from "./served-documents.js";
import type { Session } from "./session.js";

/** Servers beside the cluster, for sessions that name their ports: each is there when a line has its variable. */
export interface Companions {
  /** Variables of the shell, as KUBELET_PORT. */
  readonly ports: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** KUBELET_PORT: a node's agent. DOCUMENTS_PORT: answers out of the session's files below `served/`. */
export async function startCompanions(
  session: Session,
  folder: string,
  onRequest: (request: DocumentRequest) => void,
): Promise<Companions> {
  const uses = (name: string): boolean => session.steps.some((step) => step.includes(name));
  const servers: Record<string, { readonly port: number; close(): Promise<void> }> = {};
  if (uses("KUBELET_PORT")) servers["KUBELET_PORT"] = await startFakeKubelet();
  if (uses("DOCUMENTS_PORT"))
    servers["DOCUMENTS_PORT"] = await serveDocumentsOf(join(folder, "work", "served"), onRequest);
  return {
    ports: Object.fromEntries(Object.entries(servers).map(([name, { port }]) => [name, port])),
    close: async () => {
      for (const server of Object.values(servers)) await server.close();
    },
  };
}
