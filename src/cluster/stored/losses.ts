import type { Release } from "../../api/facts/index.js";
import { allScheme } from "../../api/scheme/all.js";
import { publishedScheme } from "../../api/scheme/published.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import { decodeValue } from "./decode-value.js";
import { isInternalKey } from "./expected-key.js";
import { readPages } from "./pages.js";
import { reading } from "./read-storage.js";
import type { NamedStorage, OpenOptions } from "./storage-place.js";

/**
 * The fields and kinds that a server of an older version would not read from a storage, and would drop when it writes, each with
 * its number of objects.
 */
export type Losses = ReadonlyMap<string, number>;

/**
 * Reads every object of a storage as a server of `release` would. Returns the kinds that it does not know, "lifecycle.k8s.io/v1alpha1 Eviction", and the
 * fields, "spec.evictionResponders of v1 Pod", in the order in which they were found. Changes nothing.
 */
export const findLosses = (storage: NamedStorage, release: Release, options: OpenOptions): Promise<Losses> =>
  reading(storage, options, async (kv) => {
    const [known, older] = [allScheme(), publishedScheme(release)];
    const losses = new Map<string, number>();
    for await (const page of readPages(kv)) {
      options.signal?.throwIfAborted();
      for (const { key, value } of page) {
        if (isInternalKey(key)) continue;
        for (const loss of lossesOf(decodeValue(value).object, known, older)) {
          losses.set(loss, (losses.get(loss) ?? 0) + 1);
        }
      }
    }
    return losses;
  });

function lossesOf(object: KubeObject, known: Scheme, older: Scheme): readonly string[] {
  const { apiVersion = "", kind = "" } = object;
  const gvk = { ...parseGroupVersion(apiVersion), kind };
  // The schema of a custom kind stands in its definition, and stays.
  if (!known.isRegistered(gvk)) return [];
  const name = `${apiVersion} ${kind}`;
  if (!older.isRegistered(gvk)) return [name];
  const { strictErrors } = decodeObject(object, older.kind(gvk).schema);
  const fields = strictErrors.map((error) => /^unknown field "(.*)"$/.exec(error)?.[1]?.replaceAll(/\[\d+\]/g, "[]"));
  return [...new Set(fields)].flatMap((field) => (field === undefined ? [] : [`${field} of ${name}`]));
}
