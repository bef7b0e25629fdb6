import { type AdmittingServer, done } from "../../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../../helpers/api-caller.js";

export const MERGE = "application/merge-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";

/** Makes a namespace with labels `pod-security.kubernetes.io/...`, and an account for its pods. */
export async function namespace(server: AdmittingServer, name: string, labels: Labels = {}): Promise<Answer> {
  const answer = await done(server.api, "POST", "/api/v1/namespaces", { metadata: { name, labels: full(labels) } });
  await done(server.api, "POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
  return answer;
}

/** By what follows "pod-security.kubernetes.io/" in their names. */
export type Labels = Readonly<Record<string, string | null>>;

export const full = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));

export const label = (server: AdmittingServer, name: string, labels: Labels): Promise<Answer> =>
  call(server.api, "PATCH", `/api/v1/namespaces/${name}`, { metadata: { labels: full(labels) } }, { type: MERGE });

export const podsOf = (name: string): string => `/api/v1/namespaces/${name}/pods`;

export const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

/** The texts of the answer's `Warning:` headers. */
export function warnings({ headers }: Answer): readonly string[] {
  const given = headers["warning"] ?? [];
  return (typeof given === "string" ? [given] : given).map((header) =>
    (/^299 - "(.*)"$/.exec(header)?.[1] ?? header).replace(/\\(.)/g, "$1"),
  );
}

/** What the server noted of its last request, without the prefix. */
export const notes = ({ requests }: AdmittingServer): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...(requests.at(-1)?.annotations.entries() ?? [])].map(([key, value]) => [
      key.replace("pod-security.kubernetes.io/", ""),
      value,
    ]),
  );
