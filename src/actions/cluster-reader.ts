import type { BuiltInKinds } from "../api/kinds/built-in-kinds.js";
import { builtInResource } from "../api/kinds/built-in-resource.js";
import { append } from "../base/collections/append.js";
import type { RestClient } from "../client/rest/rest-client.js";
import type { DescribeReader, ListWhat } from "../polymorphic-helpers/describe/index.js";
import type { GroupVersionResource } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { ReceivedObject } from "../machinery/meta/received.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import { Helper } from "../resource/helper.js";
import { readTyped } from "./typed/read-typed.js";
import type { TypedKinds } from "./typed/typed-object.js";

/** Reads from the server, lists in pages of `chunkSize`; 0 reads them at once. */
export function clusterReader(client: RestClient, chunkSize: number, signal?: AbortSignal): DescribeReader {
  return readerOf(client, chunkSize, AS_SENT, signal);
}

/** Reads objects in the form of Go's types: each object, also an item of a list, is as {@link readTyped} makes it. */
export function typedReader(client: RestClient, kinds: TypedKinds, signal?: AbortSignal): DescribeReader {
  return readerOf(
    client,
    0,
    { object: (sent) => readTyped(sent, kinds), items: (page) => typedItems(page, kinds) },
    signal,
  );
}

/** What a reader makes of the server's answers. */
interface Reading {
  readonly object: (sent: KubeObject) => KubeObject;
  readonly items: (page: KubeObject) => readonly KubeObject[];
}

const AS_SENT: Reading = { object: (sent) => sent, items: (page) => (page.items ?? []) as KubeObject[] };

function typedItems({ apiVersion = "", kind = "", items = [] }: KubeObject, kinds: TypedKinds): KubeObject[] {
  return (items as KubeObject[]).map((item) =>
    readTyped({ ...item, apiVersion, kind: kind.replace(/List$/, "") }, kinds),
  );
}

function readerOf(
  client: RestClient,
  chunkSize: number,
  reading: Reading,
  signal: AbortSignal | undefined,
): DescribeReader {
  const helper = (resource: GroupVersionResource, namespace: string): Helper =>
    new Helper(client, mappingOf(resource, namespace), { typed: true, signal });
  const getAny: DescribeReader["getAny"] = async (resource, namespace, name) =>
    reading.object(await helper(resource, namespace).get(namespace, name));
  return {
    getAny,
    get: <Kind extends keyof BuiltInKinds>(kind: Kind, namespace: string, name: string) =>
      getAny(resourceOf(kind), namespace, name) as Promise<ReceivedObject<BuiltInKinds[Kind]>>,
    async list<Kind extends keyof BuiltInKinds>(
      kind: Kind,
      namespace: string,
      { unlimited = false, ...what }: ListWhat = {},
    ) {
      const resource = resourceOf(kind);
      const limit = unlimited ? 0 : chunkSize;
      const items: ReceivedObject<BuiltInKinds[Kind]>[] = [];
      let next = "";
      do {
        const page = await helper(resource, namespace).list(namespace, { ...what, limit, continue: next });
        append(items, reading.items(page));
        next = (page.metadata as { continue?: string } | undefined)?.continue ?? "";
      } while (next !== "");
      return items;
    },
  };
}

function resourceOf(kind: keyof BuiltInKinds): GroupVersionResource {
  const slash = kind.lastIndexOf("/");
  const found = builtInResource(kind.slice(0, slash), kind.slice(slash + 1));
  if (found === undefined) throw new Error(`${kind} is not a built-in kind`);
  return found.resource;
}

/** Paths need no more of a mapping than that. */
const mappingOf = (resource: GroupVersionResource, namespace: string): RestMapping => ({
  resource,
  kind: { ...resource, kind: "" },
  namespaced: namespace !== "",
});
