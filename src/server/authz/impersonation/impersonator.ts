import { Lru } from "../../../base/collections/lru.js";
import type { User } from "../../request/user.js";
import type { Authorizer, AuthorizerAttributes } from "../authorizer.js";
import { refusal } from "../refusal.js";
import type { Require } from "./check-user.js";
import { type ImpersonationMode, impersonationModes } from "./impersonation-modes.js";
import type { WantedUser } from "./wanted-user.js";

/** Returns whom the request goes on as; throws Forbidden when no mode lets the caller act as the wanted user. */
export type Impersonate = (request: AuthorizerAttributes, wanted: WantedUser) => Promise<User>;

/** How many users the impersonator remembers the mode of. */
const REMEMBERED = 10_000;

/**
 * Tries the modes in their order, so that a request goes on as the same user whatever was asked before. A refusal is that of the mode that
 * last let the caller act as another user, else that of the first mode that applied. The authorizers are asked at each request: a right
 * that is taken away counts at once.
 */
export function impersonator(authorize: Authorizer): Impersonate {
  const lastModes = new Lru<string, ImpersonationMode>(REMEMBERED);
  const required = requiring(authorize);
  return async (request, wanted) => {
    const refusals = new Map<ImpersonationMode, unknown>();
    for (const mode of impersonationModes) {
      try {
        const user = await mode(request, wanted, required);
        if (user === undefined) continue;
        lastModes.set(request.user.name, mode);
        return user;
      } catch (error) {
        refusals.set(mode, error);
      }
    }
    const last = lastModes.get(request.user.name);
    const [first] = refusals.values();
    throw (last && refusals.get(last)) ?? first;
  };
}

function requiring(authorize: Authorizer): Require {
  return async (attributes) => {
    const { decision, reason = "", error } = await authorize(attributes);
    if (decision === "allow") return;
    throw refusal(attributes, [error, reason].filter((text) => text !== undefined && text !== "").join(": "));
  };
}
