import type { ServerSideOptions } from "../../actions/apply/apply-server-side.js";
import type { ApplyOptions } from "../../actions/apply/apply-object.js";
import type { VerboseLog } from "../../client/klog.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import type { DeleteOptions } from "../../resource/helper.js";
import type { ApplySet } from "./apply-set.js";
import type { Stage } from "../../actions/apply/apply-stages.js";
import type { ApplyChoices } from "./validate.js";

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
