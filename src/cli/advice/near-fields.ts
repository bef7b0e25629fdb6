import type { Factory } from "../connect/factory.js";
import { nearest } from "./suggestions.js";

const UNKNOWN_FIELD = /unknown field "([^"]+)"/g;
const WHICH_KIND = /(?<!\S)(\S+) in version "([^"]+)" cannot be handled as an? /;
/** What the server says of an unknown field in a server-side apply, which it words otherwise than in a create. */
const UNDECLARED_FIELD = /(?:^|\s)\.(\S+): field not declared in schema/g;
const WHICH_APPLIED_KIND = /\([^();]*; ([^(),]*), Kind=([^(),]+)\): /;

/**
 * Names near to those that a server does not know in an object, by the schema it publishes. Empty when the message is about
 * something else, the kind cannot be told, or nothing is near.
 */
export async function nearFields(message: string, factory: Factory): Promise<readonly string[]> {
  const { kind, version, paths } = unknownFields(message);
  if (kind === undefined || version === undefined) return [];
  const found: string[] = [];
  for (const path of paths.map(fieldPath)) {
    const name = path.at(-1) ?? "";
    const near = nearest(name, await siblings(kind, version, path.slice(0, -1), factory));
    if (near !== undefined && !found.includes(near)) found.push(near);
  }
  return found;
}

interface UnknownFields {
  readonly kind: string | undefined;
  readonly version: string | undefined;
  readonly paths: readonly string[];
}

function unknownFields(message: string): UnknownFields {
  const [, kind, version] = WHICH_KIND.exec(message) ?? [];
  if (kind !== undefined) return { kind, version, paths: pathsIn(message, UNKNOWN_FIELD) };
  const [, groupVersion, applied] = WHICH_APPLIED_KIND.exec(message) ?? [];
  return { kind: applied, version: groupVersion, paths: pathsIn(message, UNDECLARED_FIELD) };
}

const pathsIn = (message: string, pattern: RegExp): readonly string[] =>
  [...message.matchAll(pattern)].map(([, path = ""]) => path);

/** `spec.template.spec.containers[0].imge` without the places in lists. */
const fieldPath = (path: string): readonly string[] => path.replace(/\[[^[\]]*\]/g, "").split(".");

/** The message names the version of the kind without its group: every group with such a kind is asked. */
async function siblings(
  kind: string,
  versionOrGroupVersion: string,
  path: readonly string[],
  factory: Factory,
): Promise<readonly string[]> {
  const version = versionOrGroupVersion.split("/").at(-1) ?? "";
  const { resources } = await (await factory.discovery()).resources();
  const groups = new Set(
    resources.filter((one) => one.kind === kind && one.version === version).map((one) => one.group),
  );
  const openapi = await factory.openapi();
  const names: string[] = [];
  for (const group of groups) names.push(...((await openapi.fieldNames({ group, version, kind }, path)) ?? []));
  return names;
}
