import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const folder = process.env.KUBETS_TEST_TOOLS ?? join(homedir(), ".cache", "kubets-test-tools", "v37-2.0.0");

export interface RealTool {
  readonly path: string;
  /** Why it is not there; absent when it is. Print it beside the skip. */
  readonly missing?: string;
}

/** For the environment of kubectl and helm: what lives for milliseconds need not collect garbage, a quarter of its time. */
export const SHORT_LIVED = { GOGC: "off" };

/** kubectl 1.37.1 or helm 4.3.1, put there by test/helpers/fetch-real-tools.mjs, which `npm test` runs first. */
export function realTool(name: "kubectl" | "helm"): RealTool {
  const path = join(folder, name, name);
  if (existsSync(path)) return { path };
  return { path, missing: `${name} is not in ${folder}; run node test/helpers/fetch-real-tools.mjs` };
}

/** kubectl 1.36.3, of the version before: for the wire alone, because our program has the texts of 1.37 only. */
export function previousKubectl(): RealTool {
  const path = join(folder, "..", "v36-2.0.1", "kubectl", "kubectl");
  if (existsSync(path)) return { path };
  return { path, missing: `kubectl 1.36.3 is not at ${path}; run node test/helpers/fetch-real-tools.mjs` };
}

/** kubectl 1.28.3, which is older than WebSockets in kubectl. */
export function oldKubectl(): RealTool {
  const path = join(folder, "..", "v28-2.2.1", "kubectl", "kubectl");
  if (existsSync(path)) return { path };
  return { path, missing: `an older kubectl is not at ${path}; run node test/helpers/fetch-real-tools.mjs` };
}

/** etcd as it is installed, or as test/helpers/fetch-real-tools.mjs fetched it. */
export function realEtcd(): RealTool {
  const installed = (process.env["PATH"] ?? "").split(delimiter).map((entry) => join(entry, "etcd"));
  const fetched = join(folder, "..", "etcd-server", "usr", "bin", "etcd");
  const path = [...installed, fetched].find((file) => existsSync(file));
  if (path !== undefined) return { path };
  return { path: "etcd", missing: "there is no etcd on PATH (Debian: apt-get install etcd-server)" };
}

/** The folder of PostgreSQL's programs, the latest of those that Debian has installed. */
export function realPostgres(): RealTool {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  const path = folders.find((entry) => existsSync(join(entry, "initdb")) && existsSync(join(entry, "postgres")));
  if (path !== undefined) return { path };
  return { path: "", missing: "there is no PostgreSQL (Debian: apt-get install postgresql)" };
}

/** Prometheus with promtool, as they are installed. */
export function realPrometheus(): RealTool {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const has = (name: string) => (entry: string) => existsSync(join(entry, name));
  const path = folders.filter(has("promtool")).find(has("prometheus"));
  if (path !== undefined) return { path };
  return { path: "", missing: "there is no Prometheus on PATH (Debian: apt-get install prometheus)" };
}
