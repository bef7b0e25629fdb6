import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ConfigMap } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ApiObject, KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { ensure } from "../writes.js";
import { isTerminating } from "../terminating.js";

/** An object that every namespace has. */
export interface NamespaceObject {
  readonly kind: "ServiceAccount" | "ConfigMap";
  readonly name: string;
  /** The object without its namespace. */
  readonly object: KubeObject;
}

/** Creates the objects that controllers add here in every namespace, in the order in which they are added. */
export class NamespaceObjects {
  readonly #objects: NamespaceObject[] = [];
  /** By namespace: callers that come meanwhile wait for the same work. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(private readonly client: KubernetesClient) {}

  add(object: NamespaceObject): void {
    this.#objects.push(object);
  }

  get objects(): readonly NamespaceObject[] {
    return this.#objects;
  }

  /** Creates what the namespace lacks. Resolves when it has everything. */
  prepare(namespace: string): Promise<void> {
    let running = this.#running.get(namespace);
    if (running === undefined) {
      running = this.#create(namespace).finally(() => this.#running.delete(namespace));
      this.#running.set(namespace, running);
    }
    return running;
  }

  async #create(namespace: string): Promise<void> {
    for (const { kind, object } of this.#objects) {
      const metadata: ObjectMeta = { ...object.metadata, namespace };
      await ensure(this.client.of<KubeObject>("v1", kind), { ...object, metadata } satisfies FieldsOf<ApiObject>);
    }
  }
}

/** Creates the standard objects in new namespaces, and again when one of them is deleted. */
export function namespaceObjectsController({ manager, namespaceObjects }: ControllerContext): void {
  const { objects } = namespaceObjects;
  const inNamespace = ({ metadata }: KubeObject) => [{ namespace: "", name: metadata?.namespace ?? "" }];
  const caches = objects.map(({ kind, name }) => {
    const { cache } = manager.informers.of("v1", kind, { fieldSelector: `metadata.name=${name}` });
    return { name, cache };
  });
  let controller = manager.controllerFor("v1", "Namespace").named("namespace-objects");
  for (const { kind, name } of objects) {
    const selected = { fieldSelector: `metadata.name=${name}` };
    controller = controller.watches<string, string>("v1", kind, inNamespace, selected);
  }
  controller.reconcile(async ({ name: namespace, object }) => {
    if (object === undefined || isTerminating(object)) return;
    if (caches.every(({ name, cache }) => cache.has(`${namespace}/${name}`))) return;
    await namespaceObjects.prepare(namespace);
  });
}

/** Creates these objects in the namespaces that exist at the start of a server. */
export function preparedNamespaces({ client, namespaceObjects, report }: ControllerContext): OwnWork {
  return {
    async prepare() {
      for await (const namespace of client.of("v1", "Namespace").listAll()) {
        if (isTerminating(namespace)) continue;
        try {
          await namespaceObjects.prepare(namespace.metadata?.name ?? "");
        } catch (error) {
          // The cluster starts all the same, and the namespace is reconciled then.
          report(error);
        }
      }
    },
  };
}

const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Creates in every namespace a ConfigMap with the CA certificate by which pods verify the API server. */
export function rootCaPublisher({ namespaceObjects, cluster }: ControllerContext): void {
  const name = "kube-root-ca.crt";
  namespaceObjects.add({
    kind: "ConfigMap",
    name,
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, annotations: { "kubernetes.io/description": DESCRIPTION } },
      data: { "ca.crt": cluster.caCertificate },
    } satisfies FieldsOf<ConfigMap>,
  });
}

/** Creates the ServiceAccount "default" in every namespace. */
export function defaultServiceAccounts({ namespaceObjects }: ControllerContext): void {
  const name = "default";
  const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } } satisfies FieldsOf<ApiObject>;
  namespaceObjects.add({ kind: "ServiceAccount", name, object });
}
