import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";
import { readTyped } from "./read-typed.js";
import { protobufBody, type TypedKinds } from "./typed-object.js";

/** A kind by name: `{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" }`. */
export interface TypedName {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The requests of one of client-go's generated clients: bodies in protobuf, answers as the Go type holds them. The kind
 * must be built in. Errors are the client's.
 */
export class TypedClient {
  readonly #mapping: RestMapping;

  constructor(
    private readonly client: RestClient,
    private readonly kinds: TypedKinds,
    private readonly type: TypedName,
  ) {
    this.#mapping = kinds.mapping({ ...type });
  }

  get(namespace: string, name: string): Promise<KubeObject> {
    return this.#send("GET", resourcePath(this.#mapping, namespace, name));
  }

  create(namespace: string, object: KubeObject): Promise<KubeObject> {
    return this.#send("POST", resourcePath(this.#mapping, namespace), object);
  }

  update(namespace: string, object: KubeObject, subresource?: string): Promise<KubeObject> {
    return this.#send("PUT", resourcePath(this.#mapping, namespace, object.metadata?.name ?? "", subresource), object);
  }

  /** Deletes the object only if it has this `uid` still. */
  async delete(namespace: string, name: string, uid: string): Promise<void> {
    const options = { ...this.type, kind: "DeleteOptions", preconditions: { uid } };
    await this.client.request({
      method: "DELETE",
      path: resourcePath(this.#mapping, namespace, name),
      ...protobufBody(options, this.kinds),
      accept: "application/json",
      sentBy: "typed",
    });
  }

  async #send(method: string, path: string, object?: KubeObject): Promise<KubeObject> {
    const body = object && protobufBody({ ...object, ...this.type }, this.kinds);
    const answer = await this.client.request({ method, path, ...body, accept: "application/json", sentBy: "typed" });
    return readTyped({ ...(answer.json() as KubeObject), ...this.type }, this.kinds);
  }
}
