import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import { defaultKubeconfigFile, modifyKubeconfig, startingKubeconfig } from "../../client/config/kubeconfig-writer.js";
import type { KubeconfigSources } from "../../client/config/load-kubeconfig.js";
import type { Invocation } from "../command.js";
import type { Factory } from "./factory.js";

/** The kubeconfig files a config command works on. */
export interface KubeconfigAccess {
  readonly sources: KubeconfigSources;
  /** Reads and merges all files, with paths as they are written. The caller may change the result. */
  start(): Promise<Kubeconfig>;
  /** Returns the file that messages name and that gets new entries. */
  file(): string;
  /** Writes the changes since {@link start}. */
  modify(wanted: Kubeconfig, relativize: boolean): Promise<void>;
}

export function accessOf(factory: Factory, { flags }: Invocation): KubeconfigAccess {
  const { env, cwd, files } = factory;
  const sources = { explicitPath: flags.string("kubeconfig"), env, cwd, files };
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

/** Handles a wrong number of operands as kubectl does: prints the command's help on stdout, then throws the error. */
export async function unexpectedArgs(invocation: Invocation, word = "Unexpected"): Promise<Error> {
  await invocation.printHelp();
  return new Error(`${word} args: [${invocation.args.join(" ")}]`);
}
