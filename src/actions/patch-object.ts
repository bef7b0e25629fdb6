import { errorMessage } from "../base/text/error-message.js";
import { decodeJson } from "../machinery/wire/json/json-decoder.js";
import { isConflict, isNotFound, isStatusError } from "../machinery/errors/status-error.js";
import { isJsonObject, type JsonObject } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { applyMergePatch } from "../machinery/patch/merge-patch.js";
import { strategicMergePatch } from "../machinery/patch/strategic-merge.js";
import { sortedJson } from "../resource/encode-json.js";
import type { DeleteOptions, Helper } from "../resource/helper.js";
import type { Info } from "../resource/info.js";
import { withSource } from "./source-error.js";
import { builtInPatchSchema, type PatchSources, type ThreeWayPatch, threeWayPatch } from "./apply/three-way-patch.js";

/** How an object that cannot be patched is replaced. */
export interface Recreate {
  readonly deletion: DeleteOptions;
  /** How long the old one may take to go, in milliseconds; 0 gives it no time. */
  readonly timeout: number;
}

export interface PatchObjectOptions extends PatchSources {
  readonly dryRun: "none" | "client" | "server";
  readonly recreate?: Recreate | undefined;
  /** Sent along, so that a change since this version is a conflict. */
  readonly resourceVersion?: string | undefined;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const RETRIES = 5;
const BACK_OFF = 1000;

/** A three-way patch of one object, which is computed again for each attempt. An instance serves one object. */
export class PatchObject {
  /** The patch of the last attempt, for messages; "{}" when there was nothing to send. */
  sent = "";
  private readonly modified: string;

  constructor(
    private readonly info: Info,
    wanted: KubeObject,
    private readonly helper: Helper,
    private readonly options: PatchObjectOptions,
  ) {
    this.modified = `${sortedJson(wanted)}\n`;
  }

  /** The patched object, or `live` when nothing had to change. */
  async run(live: KubeObject): Promise<KubeObject> {
    const { namespace, name, source } = this.info;
    let current = live;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(current);
      } catch (error) {
        if (this.options.dryRun === "client") throw error;
        if (!isConflict(error) || attempt > RETRIES) {
          if (this.mayRecreate(error)) return await this.recreate(current);
          throw withSource("patching", source, error);
        }
      }
      if (attempt > 1) await this.options.sleep(BACK_OFF);
      this.sent = "";
      current = await this.helper.get(namespace, name);
    }
  }

  private async attempt(current: KubeObject): Promise<KubeObject> {
    const { namespace, name, mapping } = this.info;
    this.sent = "";
    const patch = await threeWayPatch(mapping.kind, this.modified, current, this.options);
    this.sent = patch.text;
    if (patch.text === "{}") return current;
    if (this.options.dryRun === "client") return this.applyLocally(current, patch);
    const { resourceVersion } = this.options;
    const text = resourceVersion === undefined ? patch.text : sortedJson(withVersion(patch.patch, resourceVersion));
    return this.helper.patch(namespace, name, patch.type, new TextEncoder().encode(text));
  }

  private async applyLocally(current: KubeObject, { type, patch }: ThreeWayPatch): Promise<KubeObject> {
    const before = current as JsonObject;
    if (type === "merge") return applyMergePatch(before, patch);
    return strategicMergePatch(before, patch, await builtInPatchSchema(this.info.mapping.kind));
  }

  private mayRecreate(error: unknown): boolean {
    if (this.options.recreate === undefined) return false;
    return isConflict(error) || (isStatusError(error) && error.reason === "Invalid");
  }

  /** Puts the old object back when the new one is refused. */
  private async recreate(current: KubeObject): Promise<KubeObject> {
    const { namespace, name } = this.info;
    this.sent = this.modified;
    await this.helper.delete(namespace, name, this.options.recreate?.deletion);
    await this.untilGone();
    const wanted = decodeJson(this.modified).value as KubeObject;
    try {
      return await this.helper.create(namespace, wanted);
    } catch (error) {
      await this.helper.create(namespace, current).catch((again: unknown) => {
        const text = `An error occurred force-replacing the existing object with the newly provided one:\n\n${errorMessage(error)}.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n${errorMessage(again)}`;
        throw new Error(text, { cause: error });
      });
      throw error;
    }
  }

  private async untilGone(): Promise<void> {
    const { namespace, name } = this.info;
    for (let left = this.options.recreate?.timeout ?? 0; ; left -= BACK_OFF) {
      const gone = await this.helper.get(namespace, name).then(
        () => false,
        (error: unknown) => {
          if (isNotFound(error)) return true;
          throw error;
        },
      );
      if (gone) return;
      await this.options.sleep(Math.max(0, Math.min(left, BACK_OFF)));
      // Not asked once more: the time is over before the next turn, or as it comes.
      if (left <= BACK_OFF) throw new Error("context deadline exceeded");
    }
  }
}

function withVersion(patch: JsonObject, resourceVersion: string): JsonObject {
  const { metadata } = patch;
  return { ...patch, metadata: { ...(isJsonObject(metadata) && metadata), resourceVersion } };
}
