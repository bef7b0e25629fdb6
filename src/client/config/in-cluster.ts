import { join } from "node:path";
import { type CommandFiles, machineFiles } from "../../base/files/command-files.js";
import { PathError } from "../../base/files/path-error.js";

/** The folder where Kubernetes mounts a pod's service account. */
export const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the process runs in a pod with a service account's token. */
export function inClusterPossible(env: Environment, folder: string, files: CommandFiles = machineFiles): boolean {
  if (!env["KUBERNETES_SERVICE_HOST"] || !env["KUBERNETES_SERVICE_PORT"]) return false;
  try {
    return !files.statSync(join(folder, "token")).isDirectory();
  } catch {
    return false;
  }
}

/** The API server and the credentials of a pod. */
export function inClusterServer(
  env: Environment,
  folder: string,
  files: CommandFiles = machineFiles,
): {
  readonly server: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly caFile?: string;
} {
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${env["KUBERNETES_SERVICE_PORT"] ?? ""}`;
  const [tokenFile, caFile] = [join(folder, "token"), join(folder, "ca.crt")];
  try {
    const token = files.readFileSync(tokenFile).toString("utf8");
    return { server, token, tokenFile, ...(files.existsSync(caFile) && { caFile }) };
  } catch (error) {
    throw new PathError("open", tokenFile, error);
  }
}

export function inClusterNamespace(env: Environment, folder: string, files: CommandFiles = machineFiles): string {
  if (env["POD_NAMESPACE"]) return env["POD_NAMESPACE"];
  try {
    return files.readFileSync(join(folder, "namespace")).toString("utf8").trim() || "default";
  } catch {
    return "default";
  }
}
