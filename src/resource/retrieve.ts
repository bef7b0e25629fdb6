import { goQuote } from "../base/text/go-quote.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { isNotFound } from "../machinery/errors/status-error.js";
import { Helper, type HelperOptions } from "./helper.js";
import type { Info } from "./info.js";
import { isList } from "./lists.js";
import { formatResource } from "./selector-source.js";
import type { VisitorFn } from "./visitor.js";

/** Fills an Info from the server. */
export type Retrieve = (info: Info) => Promise<void>;

/** Makes the function that reads an object. It reports a missing namespace as such, instead of a missing object. */
export const retrieveWith =
  (client: () => Promise<RestClient>, options: HelperOptions = {}): Retrieve =>
  async (info) => {
    const rest = await client();
    const helper = new Helper(rest, info.mapping, { ...options, subresource: info.subresource });
    const object = await helper.get(info.namespace, info.name).catch(async (error: unknown) => {
      if (isNotFound(error) && info.namespace !== "" && info.namespace !== "default") {
        await namespaceExists(rest, info.namespace, options);
      }
      throw error;
    });
    info.object = object;
    info.resourceVersion = object.metadata?.resourceVersion ?? "";
  };

/** Throws when the server says that it does not; anything else is not the caller's question. */
async function namespaceExists(
  client: RestClient,
  namespace: string,
  { accept = "application/json", query = {} }: HelperOptions,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  await client.request({ method: "GET", path, query, accept, userPath: true }).catch((error: unknown) => {
    if (isNotFound(error)) throw error;
  });
}

/** Reads the object of an Info from the server, unless its source had it. */
export const retrieveLazily =
  (retrieve: Retrieve): VisitorFn =>
  async (info) => {
    if (info.object === undefined) await retrieve(info);
  };

/** Reads the object of an Info from the server again, if its source had it. */
export const retrieveLatest =
  (retrieve: Retrieve): VisitorFn =>
  async (info) => {
    if (info.object !== undefined && isList(info.object)) {
      throw new Error(
        "watch is only supported on individual resources and resource collections, but a list of resources is found",
      );
    }
    if (info.name === "") return;
    if (info.mapping.namespaced && info.namespace === "") {
      throw new Error(`no namespace set on resource ${formatResource(info.mapping.resource)} ${goQuote(info.name)}`);
    }
    await retrieve(info);
  };
