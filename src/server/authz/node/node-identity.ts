import type { User } from "../../request/user.js";

const PREFIX = "system:node:";

/** The node whose kubelet the user is; undefined for other users. It is "" where the user's name ends after the prefix. */
export function nodeOf({ name, groups }: User): string | undefined {
  return name.startsWith(PREFIX) && groups.includes("system:nodes") ? name.slice(PREFIX.length) : undefined;
}
