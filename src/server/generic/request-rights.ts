import {
  alwaysAllow,
  type Authorization,
  type AuthorizationContext,
  type AuthorizationMode,
  chainOf,
  privilegedGroup,
} from "../authz/authorizer.js";
import { probesUntil } from "../authz/authorizer.js";
import type { ServerConfig } from "./server-config.js";

/** Says what users may do. */
export interface RequestRights {
  readonly authorization: Authorization;
  readonly everyoneMayAll: boolean;
}

/** The authorizers of a server. Before them members of system:masters may do everything, and while it starts everybody may ask for its health. */
export function requestRights(config: ServerConfig, context: AuthorizationContext): RequestRights {
  const modes = modesOf(config, context);
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
