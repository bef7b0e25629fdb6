import type { Credentials } from "../auth/authenticator.js";
import type { ClientConfig } from "../config/client-config.js";
import type { Surroundings } from "../surroundings.js";
import type { RestClientOptions } from "./create-rest-client.js";
import type { RestClient } from "./rest-client.js";

/** A client that exposes the config and options of its requests, for upgraded connections. */
export interface ConnectingRestClient extends RestClient {
  readonly config: ClientConfig;
  readonly options: RestClientOptions;
  readonly surroundings: Surroundings;
  /** Throws a TransportError when there are none. */
  credentials(where: { readonly method: string; readonly url: string }): Promise<Credentials>;
}

/** The client below clients that add to it. Throws for a client without connections. */
export function connectingClient(client: RestClient): ConnectingRestClient {
  if (client.wrapped !== undefined) return connectingClient(client.wrapped);
  if ("credentials" in client) return client as ConnectingRestClient;
  throw new Error("this client has no connection that could be upgraded");
}
