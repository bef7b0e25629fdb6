import { type Completer, Directive } from "../../cli/command.js";

/** The names of the clusters there are, for the first operand. */
export const completeClusterNames: Completer = async (factory, invocation, toComplete) => {
  if (invocation.args.length > 0) return { candidates: [], directive: Directive.NoFileComp };
  const { clusterNames } = await import("../../cluster/named/index.js");
  const names = await clusterNames({ env: factory.env, cwd: factory.cwd });
  return {
    candidates: names.filter((name) => name.startsWith(toComplete)),
    directive: Directive.NoFileComp,
  };
};
