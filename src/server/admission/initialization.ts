import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { InformerFactory } from "../../client/informers/informer-factory.js";
import type { Authorizer } from "../authz/authorizer.js";

/** A server that plugins and hooks send requests to, and whose objects they follow. */
export interface ApiAccess {
  readonly client: KubernetesClient;
  /** The informers that all users of the server share. Those that are there when the server starts are started by it. */
  readonly informers: InformerFactory;
}

/** What an admission plugin from outside may take of its server before the server starts: the initializers of k8s.io/apiserver. */
export interface AdmissionInitialization {
  /** The main server. Reading it throws where the server has none. */
  readonly coreApi: ApiAccess;
  /** This server, asked as the server itself. */
  readonly loopback: ApiAccess;
  /** Asks the server's authorizers. */
  readonly authorize: Authorizer;
}
