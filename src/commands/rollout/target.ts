import { readTyped } from "../../actions/typed/read-typed.js";
import { loadTypedKinds, requireType } from "../../actions/typed/typed-object.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";
import { filenameFlags, readFilenames, selectorFlag } from "../../cli/flags/resource-flags.js";
import { klogWarning } from "../../machinery/text/klog/klog.js";
import type { Result } from "../../resource/builder.js";

/** The objects of a rollout command. */
export interface RolloutTarget {
  readonly namespace: string;
  readonly find: () => Promise<Result>;
}

export const targetFlags: readonly FlagSpec[] = [
  ...filenameFlags("File, directory or URL that names the resource"),
  selectorFlag,
];

/** Reads the flags and operands; throws when they select no object. */
export async function readTarget(factory: Factory, flags: Flags, args: readonly string[]): Promise<RolloutTarget> {
  const { namespace, enforced } = await factory.namespace();
  const files = readFilenames(flags);
  const namesFiles = files.filenames.length > 0 || (files.kustomize ?? "") !== "";
  const find = async (): Promise<Result> => {
    const builder = await factory.builder();
    if (namesFiles) {
      const kinds = await loadTypedKinds({ retired: true });
      builder.decode((object) => readTyped(object, kinds));
    }
    return builder
      .checkEach(requireType)
      .namespaceParam(namespace)
      .defaultNamespace()
      .labelSelector(flags.string("selector"))
      .filenames(enforced, files)
      .typeOrNameArgs(true, args)
      .continueOnError()
      .latest()
      .flatten()
      .do();
  };
  return { namespace, find };
}

export function requireTarget(flags: Flags, args: readonly string[]): void {
  const { filenames, kustomize = "" } = readFilenames(flags);
  if (args.length === 0 && filenames.length === 0 && kustomize === "") {
    throw new Error("required resource not specified");
  }
}

/** Warns as klog does that the revision of a ReplicaSet could not be read. */
export const warnUnreadable =
  ({ streams, clock }: Factory, line: number) =>
  (_replicaSet: string, message: string): void =>
    void streams.err.write(klogWarning(`history.go:${line}`, message, new Date(clock.now())));

/** The types that are rolled out, for completion. */
export const ROLLED_OUT: readonly string[] = ["deployment", "daemonset", "statefulset"];
