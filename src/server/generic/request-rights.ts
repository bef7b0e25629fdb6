import {
  alwaysAllow,
  type Authorization,
  type AuthorizationContext,
  type AuthorizationMode,
  chainOf,
  type Decision,
  privilegedGroup,
} from "../authz/authorizer.js";
import { probesUntil } from "../authz/authorizer.js";
import type { Measuring } from "../metrics/measures.js";
import type { ServerConfig } from "./server-config.js";

/** The authorizers of a server, as the filter chain uses them. */
export interface RequestRights {
  readonly authorization: Authorization;
  readonly everyoneMayAll: boolean;
}

/**
 * Assembles a server's authorizers. Before them, members of system:masters are allowed everything and, while the server starts,
 * anyone may read its health.
 */
export function requestRights(
  config: ServerConfig,
  context: AuthorizationContext,
  measuring: Measuring,
): RequestRights {
  const modes = modesOf(config, context).map((mode) => measuredMode(mode, measuring));
  const everyoneMayAll = modes.every(({ name }) => name === alwaysAllow.name);
  const before = everyoneMayAll ? [] : [privilegedGroup, probesUntil(() => config.boot?.done !== false)];
  return { authorization: chainOf([...before, ...modes]), everyoneMayAll };
}

/** The caller's authorizers and those of the configuration; where there are none, every user may do everything. */
function modesOf(
  { authorizers = [], authorization }: ServerConfig,
  context: AuthorizationContext,
): readonly AuthorizationMode[] {
  const own = authorizers.map((authorize, index) => ({ name: `authorizer-${index + 1}`, authorize }));
  const modes = [...own, ...(authorization?.(context) ?? [])];
  return modes.length === 0 ? [alwaysAllow] : modes;
}

/** The authorizers that kube-apiserver has one of: their type is their name. */
const SINGLE: ReadonlySet<string> = new Set(["Node", "RBAC", "ABAC", "AlwaysAllow", "AlwaysDeny"]);

/** The authorizer, which tells what it decides. */
function measuredMode(mode: AuthorizationMode, measuring: Measuring): AuthorizationMode {
  const { name, authorize } = mode;
  const isSingle = SINGLE.has(name);
  const tell = ({ decision }: Decision): void => {
    if (decision === "no-opinion") return;
    const words = decision === "allow" ? "allowed" : "denied";
    measuring.on?.decided(isSingle ? name : "Webhook", isSingle ? name.toLowerCase() : name, words);
  };
  return {
    ...mode,
    authorize(attributes) {
      const found = authorize(attributes);
      if (measuring.on === undefined) return found;
      if (!(found instanceof Promise)) {
        tell(found);
        return found;
      }
      return found.then((decision) => {
        tell(decision);
        return decision;
      });
    },
  };
}
