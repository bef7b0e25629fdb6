import type { Info } from "../../resource/info.js";
import type { Invocation } from "../command.js";
import { usageError } from "../errors.js";
import type { Factory } from "../connect/factory.js";
import { SUMMARY_ACCEPT } from "./summary.js";

/** Throws a usage error unless the operands name one object, as TYPE/NAME or TYPE NAME. */
export function requireOneObject(invocation: Invocation): void {
  const { args } = invocation;
  const named = args.length === 1 ? args[0]?.includes("/") === true : args.length === 2 && !args.join("").includes("/");
  if (!named) throw usageError(invocation, "expected one object, as TYPE/NAME or TYPE NAME");
}

/**
 * The object that the operands name, as the server's table has it; without `read` only where it is, and no request for the object. Throws
 * the server's error, NotFound among them.
 */
export async function namedObject(factory: Factory, args: readonly string[], read = true): Promise<Info> {
  const { namespace } = await factory.namespace();
  const builder = await factory.builder();
  const result = await builder
    .namespaceParam(namespace)
    .defaultNamespace()
    .typeOrNameArgs(false, args)
    .singleResourceType()
    .requireObject(read)
    .transformRequests({ accept: SUMMARY_ACCEPT })
    .do();
  const [info] = await result.infos();
  if (info === undefined) throw new Error("expected one object");
  return info;
}
