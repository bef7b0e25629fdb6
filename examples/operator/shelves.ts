// A controller in the way of Deployments, over ConfigMaps so that it runs on any cluster: a shelf asks for so many books of
// one text, and the controller keeps them there.
//
//     apiVersion: v1
//     kind: ConfigMap
//     metadata: { name: novels, labels: { example.com/kind: shelf } }
//     data: { books: "3", text: "Call me Ishmael." }
import { createHash } from "node:crypto";
import { isAlreadyExists, isNotFound, type Manager } from "kubets";
import type { ConfigMap } from "kubets/api";

const SHELVES = { labelSelector: "example.com/kind=shelf" };
const BOOKS = { labelSelector: "example.com/kind=book" };

/** Adds the controller of shelves to a manager. */
export function addShelves(manager: Manager) {
  const books = manager.informers.of("v1", "ConfigMap", BOOKS);
  books.addIndexers({ shelf: ({ metadata }) => metadata?.ownerReferences?.map(({ uid }) => uid) ?? [] });

  return manager
    .controllerFor("v1", "ConfigMap", SHELVES)
    .named("shelves")
    .owns("v1", "ConfigMap", BOOKS)
    .reconcile(async ({ namespace, object: shelf, signal }) => {
      if (shelf?.metadata?.deletionTimestamp !== undefined || shelf === undefined) return; // The books go with their shelf.
      const client = manager.client.of("v1", "ConfigMap").namespace(namespace);
      const wanted = new Map(booksFor(shelf).map((book) => [book.metadata?.name ?? "", book]));
      const there = books.cache.byIndex("shelf", shelf.metadata?.uid ?? "");

      for (const { metadata } of there) wanted.delete(metadata?.name ?? "");
      for (const book of wanted.values()) {
        await client.create(book, { signal }).catch(unless(isAlreadyExists));
      }
      // What is not of the newest text, or too many, goes when all the new ones are there.
      const names = new Set(booksFor(shelf).map(({ metadata }) => metadata?.name));
      for (const { metadata } of there.filter(({ metadata }) => !names.has(metadata?.name))) {
        await client.delete(metadata?.name ?? "", { signal }).catch(unless(isNotFound));
      }
      const state = `${names.size} of ${revisionOf(shelf)}`;
      if (shelf.metadata?.annotations?.["example.com/state"] === state) return;
      const metadata = { annotations: { "example.com/state": state } };
      await client.patch(shelf.metadata?.name ?? "", { metadata }, { type: "merge", signal }).catch(unless(isNotFound));
    });
}

/** The books that a shelf asks for. Their names follow from their text, so that creating one twice is harmless. */
function booksFor(shelf: ConfigMap): ConfigMap[] {
  const { name = "", uid = "" } = shelf.metadata ?? {};
  return Array.from({ length: Number(shelf.data?.["books"] ?? 0) }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${name}-${revisionOf(shelf)}-${index}`,
      labels: { "example.com/kind": "book" },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true, blockOwnerDeletion: true }],
    },
    data: { text: shelf.data?.["text"] ?? "" },
  }));
}

const revisionOf = ({ data }: ConfigMap) =>
  createHash("sha256")
    .update(data?.["text"] ?? "")
    .digest("hex")
    .slice(0, 8);

/** Passes over an error that means that there is nothing left to do. */
const unless = (isFine: (error: unknown) => boolean) => (error: unknown) => {
  if (!isFine(error)) throw error;
};
