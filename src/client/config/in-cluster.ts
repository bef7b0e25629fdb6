import { existsSync, readFileSync, statSync } from "node:fs";
import { PathError } from "../../base/path-error.js";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN = `${FOLDER}/token`;
const AUTHORITY = `${FOLDER}/ca.crt`;

type Environment = Readonly<Record<string, string | undefined>>;

/** True inside a pod that has a service account's token. */
export function inClusterPossible(env: Environment): boolean {
  if (!env["KUBERNETES_SERVICE_HOST"] || !env["KUBERNETES_SERVICE_PORT"]) return false;
  return statSync(TOKEN, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Where a pod finds its API server, and as whom. */
export function inClusterServer(env: Environment): {
  readonly server: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly caFile?: string;
} {
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const authority = host.includes(":") ? `[${host}]` : host;
  let token: string;
  try {
    token = readFileSync(TOKEN, "utf8");
  } catch (error) {
    throw new PathError("open", TOKEN, error);
  }
  return {
    server: `https://${authority}:${env["KUBERNETES_SERVICE_PORT"] ?? ""}`,
    token,
    tokenFile: TOKEN,
    ...(existsSync(AUTHORITY) && { caFile: AUTHORITY }),
  };
}

export function inClusterNamespace(env: Environment): string {
  if (env["POD_NAMESPACE"]) return env["POD_NAMESPACE"];
  try {
    return readFileSync(`${FOLDER}/namespace`, "utf8").trim() || "default";
  } catch {
    return "default";
  }
}
