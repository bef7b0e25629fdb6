import { append } from "../base/collections/append.js";
import type { RestClient } from "../client/rest/rest-client.js";
import type { DescribeReader } from "../kinds/describe/index.js";
import type { GroupVersionResource } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import { Helper } from "../resource/helper.js";
import { readTyped } from "./typed/read-typed.js";
import type { TypedKinds } from "./typed/typed-object.js";

/** Reads from the server, lists in pages of `chunkSize`; 0 reads them at once. */
export function clusterReader(client: RestClient, chunkSize: number, signal?: AbortSignal): DescribeReader {
  return readerOf(client, chunkSize, (page) => (page.items ?? []) as KubeObject[], signal);
}

/** Reads what Go's types hold of the server's objects: each is as {@link readTyped} makes it, an item of a list too. */
export function typedReader(client: RestClient, kinds: TypedKinds, signal?: AbortSignal): DescribeReader {
  const itemsOf = ({ apiVersion = "", kind = "", items = [] }: KubeObject): KubeObject[] =>
    (items as KubeObject[]).map((item) => readTyped({ ...item, apiVersion, kind: kind.replace(/List$/, "") }, kinds));
  const { get, list } = readerOf(client, 0, itemsOf, signal);
  return { get: async (...what) => readTyped(await get(...what), kinds), list };
}

function readerOf(
  client: RestClient,
  chunkSize: number,
  itemsOf: (page: KubeObject) => readonly KubeObject[],
  signal: AbortSignal | undefined,
): DescribeReader {
  const helper = (resource: GroupVersionResource, namespace: string): Helper =>
    new Helper(client, mappingOf(resource, namespace), { typed: true, signal });
  return {
    get: (resource, namespace, name) => helper(resource, namespace).get(namespace, name),
    async list(resource, namespace, { unlimited = false, ...what } = {}) {
      const limit = unlimited ? 0 : chunkSize;
      const items: KubeObject[] = [];
      let next = "";
      do {
        const page = await helper(resource, namespace).list(namespace, { ...what, limit, continue: next });
        append(items, itemsOf(page));
        next = (page.metadata as { continue?: string } | undefined)?.continue ?? "";
      } while (next !== "");
      return items;
    },
  };
}

/** Paths need no more of a mapping than that. */
const mappingOf = (resource: GroupVersionResource, namespace: string): RestMapping => ({
  resource,
  kind: { ...resource, kind: "" },
  namespaced: namespace !== "",
});
