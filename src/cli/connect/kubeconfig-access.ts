import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import { defaultKubeconfigFile, modifyKubeconfig, startingKubeconfig } from "../../client/config/kubeconfig-writer.js";
import type { KubeconfigSources } from "../../client/config/load-kubeconfig.js";
import type { Invocation } from "../command.js";
import type { Factory } from "./factory.js";

/** The kubeconfig files a config command works on. */
export interface KubeconfigAccess {
  readonly sources: KubeconfigSources;
  /** All files merged, paths as written; the caller's to change. */
  start(): Promise<Kubeconfig>;
  /** The file messages name and new entries go to. */
  file(): string;
  /** Writes what was changed since {@link start}. */
  modify(wanted: Kubeconfig, relativize: boolean): Promise<void>;
}

export function accessOf(factory: Factory, { flags }: Invocation): KubeconfigAccess {
  const { env, cwd } = factory;
  const sources = { explicitPath: flags.string("kubeconfig"), env, cwd };
  const logged = async (): Promise<KubeconfigSources> => ({ ...sources, log: await factory.log() });
  let start: Kubeconfig | undefined;
  return {
    sources,
    start: async () => {
      start = await startingKubeconfig(await logged());
      return structuredClone(start);
    },
    file: () => defaultKubeconfigFile(sources),
    modify: async (wanted, relativize) =>
      modifyKubeconfig(await logged(), { start: start ?? wanted, wanted }, relativize),
  };
}

/** kubectl's answer to a wrong number of operands: the command's help on stdout, then the error. */
export async function unexpectedArgs(invocation: Invocation, word = "Unexpected"): Promise<Error> {
  await invocation.printHelp();
  return new Error(`${word} args: [${invocation.args.join(" ")}]`);
}
