import type { ServerSideOptions } from "../../actions/apply/apply-server-side.js";
import type { ApplyOptions } from "../../actions/apply/apply-object.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import type { DeleteOptions } from "../../resource/helper.js";
import type { ApplySet } from "./apply-set.js";
import type { Stage } from "../../actions/apply/apply-stages.js";
import type { PruneKind } from "../../actions/apply/prune.js";

export type ApplyOutcome = "created" | "configured" | "unchanged" | "serverside-applied";

export interface ApplyCommandOptions {
  readonly choices: ApplyChoices;
  /** The set that what is applied becomes part of. */
  readonly applySet: ApplySet | undefined;
  /** Where --prune looks, whatever is applied. */
  readonly namespaces: readonly string[];
  /** What is noted in an object before it is applied. */
  readonly record: (object: KubeObject) => KubeObject;
  readonly clientSide: () => Promise<ApplyOptions>;
  readonly serverSide: () => Promise<ServerSideOptions>;
  /** What is to be applied, one stage after the other. One that is not the last must succeed, or nothing more is applied. */
  readonly stages: () => Promise<readonly Stage[]>;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  /** How what is pruned is deleted. */
  readonly deletion: DeleteOptions;
  /** Prints what was done to one object; where {@link printWhole} is set it says nothing. */
  readonly printLine: (operation: ApplyOutcome, object: KubeObject) => void;
  readonly printPruned: (object: KubeObject) => void;
  /** Prints all that was applied, in the end. */
  readonly printWhole: ((object: KubeObject) => void) | undefined;
  readonly log: () => Promise<VerboseLog | undefined>;
  readonly warn: (text: string) => void;
  readonly warnOfPruneDefault: () => void;
  readonly program: string;
}

/** The values of apply's flags. */
export interface ApplyChoices {
  readonly serverSide: boolean;
  readonly forceConflicts: boolean;
  /** Delete and create again what cannot be patched. */
  readonly force: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly all: boolean;
  readonly selector: string;
  readonly prune: boolean;
  readonly pruneKinds: readonly PruneKind[];
  readonly subresource: string;
  /** kubets' own: by kind, not as the files say. */
  readonly ordered: boolean;
}

/** Throws for the first conflict between the flags. */
export async function validate(choices: ApplyChoices, applySet: ApplySet | undefined): Promise<void> {
  const { serverSide, force, dryRun, all, selector, prune } = choices;
  if (choices.forceConflicts && !serverSide) throw new Error("--force-conflicts only works with --server-side");
  if (dryRun === "client" && serverSide) {
    throw new Error("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)");
  }
  if (serverSide && force) throw new Error("--force cannot be used with --server-side");
  if (dryRun === "server" && force) throw new Error("--dry-run=server cannot be used with --force");
  if (all && selector !== "") throw new Error("cannot set --all and --selector at the same time");
  if (applySet !== undefined) {
    if (choices.ordered) throw new Error("--ordered cannot be used with --applyset");
    if (!prune) throw new Error("--applyset requires --prune");
    await applySet.validate();
  }
  if (prune) validatePrune(choices, applySet !== undefined);
  if (choices.subresource !== "" && !serverSide) {
    throw new Error("--subresource can only be specified for --server-side");
  }
}

function validatePrune({ force, all, selector, pruneKinds, serverSide }: ApplyChoices, withSet: boolean): void {
  if (force) throw new Error("--force cannot be used with --prune");
  if (withSet) {
    if (all) throw new Error("--all is incompatible with --applyset");
    if (selector !== "") throw new Error("--selector is incompatible with --applyset");
    if (pruneKinds.length > 0) throw new Error("--prune-allowlist is incompatible with --applyset");
    return;
  }
  if (!all && selector === "") {
    throw new Error(
      "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
    );
  }
  if (serverSide) {
    throw new Error("--prune is in alpha and doesn't currently work on objects created by server-side apply");
  }
}
