import type { RestClient } from "../client/rest/rest-client.js";
import { resourcePath } from "../client/dynamic/resource-path.js";
import { PODS } from "./selected-pods.js";

/** v1 PodLogOptions; undefined is the server's default. */
export interface PodLogOptions {
  readonly container?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly previous?: boolean | undefined;
  readonly timestamps?: boolean | undefined;
  readonly insecureSkipTLSVerifyBackend?: boolean | undefined;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339, whole seconds, in UTC. */
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
}

export interface PodLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly options: PodLogOptions;
}

/** The log as it arrives. Throws the server's error before the first piece. */
export async function* podLog(
  client: RestClient,
  { namespace, pod, options }: PodLogRequest,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const query = Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined && value !== false && value !== "")
      .map(([name, value]) => [name, String(value)]),
  );
  const path = resourcePath(PODS, namespace, pod, "log");
  const { body } = await client.stream({ method: "GET", path, query, accept: "application/json, */*", signal });
  yield* body;
}
