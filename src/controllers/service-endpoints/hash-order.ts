import { structOf } from "../../api/facts/index.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { fnv128a } from "../template-hash/template-hash.js";
import { goDump } from "../template-hash/go-dump.js";

const utf8 = new TextEncoder();

/** Sorts objects of a type, "io.k8s.api.core.v1.EndpointPort", as Kubernetes does: by the hashes of their dumps. */
export function inHashOrder<T extends object>(type: string, objects: readonly T[]): T[] {
  if (objects.length < 2) return [...objects];
  const schema = structOf(type) as StructSchema;
  const hashed = objects.map((object) => ({ object, hash: fnv128a(utf8.encode(goDump(schema, object))) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)).map(({ object }) => object);
}
