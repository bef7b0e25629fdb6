import { own } from "../../../base/collections/own.js";
import { alwaysAllow, type AuthorizationMode, alwaysDeny } from "../authorizer.js";

/** The authorizers that there can be one of in a server, by type: those that were configured when it started. */
export type FixedModes = Readonly<Partial<Record<string, AuthorizationMode>>>;

/** The authorizer of a type that is no webhook. Throws for one that `fixed` does not have. */
export function fixedMode(type: string, fixed: FixedModes): AuthorizationMode {
  if (type === "AlwaysAllow") return alwaysAllow;
  if (type === "AlwaysDeny") return alwaysDeny;
  const mode = own(fixed, type);
  if (mode !== undefined) return mode;
  throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
}
