import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";

/** One resource on its way through a command: its source, its mapping, and the object once it was read. */
export interface Info {
  /** A file path, a URL, "STDIN", or "" when it was named by arguments. Shown in errors. */
  readonly source: string;
  readonly mapping: RestMapping;
  namespace: string;
  name: string;
  /** What the source held, later what the server answered. */
  object?: KubeObject;
  resourceVersion?: string;
  subresource?: string;
}

/** Updates an Info with the object that the server returned. */
export function refresh(info: Info, object: KubeObject): void {
  info.name = object.metadata?.name ?? "";
  info.namespace = object.metadata?.namespace ?? "";
  info.resourceVersion = object.metadata?.resourceVersion ?? "";
  info.object = object;
}

/** Formats an object as messages name it: "deployments/web". */
export function objectName({ mapping, name }: Info): string {
  const { resource, kind } = mapping;
  if (resource.resource !== "") return `${resource.resource}/${name}`;
  // No server was asked for the name of the resource; the line break is kubectl's.
  const own = kind.kind.toLowerCase();
  return kind.group === "" ? `${own}/${name}` : `${own}.${kind.group}/${name}\n`;
}
