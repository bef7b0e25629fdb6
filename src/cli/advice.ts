import { isStatusError } from "../machinery/errors/status-error.js";
import { objectNames, resourceTypes } from "./completion/resource-names.js";
import type { Factory } from "./factory.js";
import { FlagError } from "./flags/flag-errors.js";
import { nearest } from "./suggestions.js";

/**
 * A line for a person who mistyped a flag, a type or a name: what was probably meant. Undefined when nothing is near
 * enough, or the server cannot be asked. Only for terminals: scripts see kubectl's words alone.
 */
export async function adviceOn(error: unknown, factory: Factory | undefined): Promise<string | undefined> {
  try {
    const meant = error instanceof FlagError ? nearestFlag(error) : factory && (await nearestOnServer(error, factory));
    return meant === undefined ? undefined : `Did you mean "${meant}"?`;
  } catch {
    return undefined;
  }
}

function nearestFlag({ typed, known }: FlagError): string | undefined {
  const name = typed === undefined ? undefined : nearest(typed, known);
  return name === undefined ? undefined : `--${name}`;
}

async function nearestOnServer(error: unknown, factory: Factory): Promise<string | undefined> {
  const type = error instanceof Error ? /doesn't have a resource type "([^"]+)"/.exec(error.message)?.[1] : undefined;
  if (type !== undefined) return nearest(type, await typeNames(factory));
  if (!isStatusError(error) || error.reason !== "NotFound") return undefined;
  const { name = "", kind = "", group = "" } = error.status.details ?? {};
  if (name === "" || kind === "") return undefined;
  return nearest(name, await objectNames(factory, group === "" ? kind : `${kind}.${group}`));
}

/** With their singulars and short names, as a user may have meant to type them. */
async function typeNames(factory: Factory): Promise<readonly string[]> {
  const { resources } = await (await factory.discovery()).resources();
  const plural = (await resourceTypes(factory)).map((type) => type.split(".")[0] ?? type);
  return [...plural, ...resources.flatMap(({ singularName, shortNames }) => [singularName, ...shortNames])].filter(
    Boolean,
  );
}
