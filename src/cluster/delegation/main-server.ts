import { withoutTrailing } from "../../base/text/without-trailing.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { configFromFile, inClusterConfig } from "../../client/config/load-config.js";
import type { Environment } from "../../client/surroundings.js";

/** The main server that an extension server asks for the identity and the rights of its callers. */
export interface MainServer {
  /** A kubeconfig file of the main server. Default: the address and the service account of the Pod that the process runs in. */
  readonly kubeconfig?: string;
  /** Whether the server starts outside a Pod without {@link kubeconfig} too: then it asks no main server. Default false. */
  readonly optional?: boolean;
}

export interface MainServerSurroundings {
  readonly env: Environment;
  /** Receives why an optional main server cannot be used, beside that the process runs in no Pod. */
  readonly warn: (warning: string) => void;
}

/**
 * Reads how to reach the main server; undefined where it is optional and nothing names it. Rejects for a kubeconfig that cannot be used, and
 * outside a Pod.
 */
export async function readMainServer(
  { kubeconfig = "", optional = false }: MainServer,
  what: "authentication" | "authorization",
  { env, warn }: MainServerSurroundings,
): Promise<ClientConfig | undefined> {
  try {
    // The variable KUBECONFIG is for people's commands; a server has the file that it is given.
    const { KUBECONFIG: _, ...others } = env;
    return kubeconfig === "" ? await inClusterConfig({ env }) : await configFromFile(kubeconfig, { env: others });
  } catch (error) {
    if (kubeconfig !== "" || !optional) throw error;
    const isInPod = Boolean(env["KUBERNETES_SERVICE_HOST"]) && Boolean(env["KUBERNETES_SERVICE_PORT"]);
    if (isInPod) warn(`failed to read in-cluster kubeconfig for delegated ${what}: ${String(error)}`);
    return undefined;
  }
}

/** The configuration of a client that posts reviews to one path of the main server. */
export const reviewConfig = (config: ClientConfig, path: string): ClientConfig => ({
  ...config,
  server: `${withoutTrailing(config.server, "/")}${path}`,
});

/** The time limit of the main server's answer to a review or a write, in milliseconds. */
export const LONGEST_REVIEW = 10_000;
