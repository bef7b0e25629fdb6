import type { Invocation } from "../../cli/command.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** --server-name: which of the servers on one etcd this one is. */
export const serverNameFlag: FlagSpec = {
  name: "server-name",
  type: "string",
  default: "",
  usage:
    "What this server is called among those that share an etcd; its nodes are NAME-node-1, NAME-node-2 and so on. Without it the name that its data folder holds, else one of host name and port.",
};

/** Undefined when the flag is not given. The server refuses a name that cannot be. */
export function serverNameOf(invocation: Invocation): string | undefined {
  const name = invocation.flags.string("server-name");
  return name === "" ? undefined : name;
}
