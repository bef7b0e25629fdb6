import type { User } from "../../../request/user.js";

const PREFIX = "system:node:";

/** The node of a kubelet's user; undefined for other users, "" for a kubelet of no node. */
export const nodeNameOf = ({ name, groups }: User): string | undefined =>
  name.startsWith(PREFIX) && groups.includes("system:nodes") ? name.slice(PREFIX.length) : undefined;
