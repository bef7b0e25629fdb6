import { isStatusError, type StatusError } from "../machinery/errors/status-error.js";
import { adviceOnCertificates } from "./advice-on-certificates.js";
import { adviceOnKinds } from "./advice-on-kinds.js";
import { objectNames, resourceTypes } from "./completion/resource-names.js";
import type { Factory } from "./factory.js";
import { FlagError } from "./flags/flag-errors.js";
import { nearFields } from "./near-fields.js";
import { nearest } from "./suggestions.js";

/**
 * A line for a person who mistyped a flag, a type, a name or a field, or applied an object before its kind: what was probably meant; or whose
 * own certificate has expired. Undefined when nothing is
 * near enough, or the server cannot be asked. Only for terminals: scripts see kubectl's words alone, and a server their
 * requests.
 */
export async function adviceOn(thrown: unknown, factory: Factory | undefined): Promise<string | undefined> {
  try {
    const errors = leaves(thrown);
    const [flag] = errors.filter((error) => error instanceof FlagError);
    const ofKinds = factory && (await adviceOnKinds(errors.map(messageOf), factory));
    if (ofKinds !== undefined) return ofKinds;
    const ofCertificates = factory && (await adviceOnCertificates(errors, factory));
    if (ofCertificates !== undefined) return ofCertificates;
    const meant = flag === undefined ? factory && (await nearestOnServer(errors, factory)) : nearestFlag(flag);
    if (meant === undefined || meant.length === 0) return undefined;
    return `Did you mean ${meant.map((name) => `"${name}"`).join(", ")}?`;
  } catch {
    return undefined;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");

function leaves(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors.flatMap(leaves) : [error];
}

function nearestFlag({ typed, known }: FlagError): readonly string[] {
  const name = typed === undefined ? undefined : nearest(typed, known);
  return name === undefined ? [] : [`--${name}`];
}

const UNKNOWN_CONTEXT =
  /not found for specified context: (\S+)|no context exists with the name: "([^"]+)"|^context (\S+) not found$/;

async function nearestOnServer(errors: readonly unknown[], factory: Factory): Promise<readonly string[]> {
  for (const message of errors.map(messageOf)) {
    const type = /doesn't have a resource type "([^"]+)"/.exec(message)?.[1];
    if (type !== undefined) return several([nearest(type, await typeNames(factory))]);
    const context = UNKNOWN_CONTEXT.exec(message)
      ?.slice(1)
      .find((name) => name !== undefined);
    if (context !== undefined) return several([nearest(context, (await factory.rawConfig()).contexts.keys())]);
    const fields = await nearFields(message, factory);
    if (fields.length > 0) return fields;
  }
  return nearNames(
    errors.filter((error) => isStatusError(error)),
    factory,
  );
}

const several = (names: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(names.filter((name) => name !== undefined)),
];

/** One list, of the first type that something was not found of. */
async function nearNames(errors: readonly StatusError[], factory: Factory): Promise<readonly string[]> {
  const missing = errors
    .filter(({ reason }) => reason === "NotFound")
    .map(({ status: { details: { name = "", kind = "", group = "" } = {} } }) => ({
      name,
      type: group === "" ? kind : `${kind}.${group}`,
    }))
    .filter(({ name, type }) => name !== "" && type !== "");
  const [first] = missing;
  if (first === undefined) return [];
  const there = await objectNames(factory, first.type);
  return several(missing.filter(({ type }) => type === first.type).map(({ name }) => nearName(name, there)));
}

/** What a controller makes carries the name of its owner, and letters of its own. */
function nearName(typed: string, there: readonly string[]): string | undefined {
  return nearest(typed, there) ?? there.find((name) => name.startsWith(`${typed}-`));
}

/** With their singulars and short names, as a user may have meant to type them. */
async function typeNames(factory: Factory): Promise<readonly string[]> {
  const { resources } = await (await factory.discovery()).resources();
  const plural = (await resourceTypes(factory)).map((type) => type.split(".")[0] ?? type);
  return [...plural, ...resources.flatMap(({ singularName, shortNames }) => [singularName, ...shortNames])].filter(
    Boolean,
  );
}
