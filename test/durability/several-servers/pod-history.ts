import { setTimeout } from "node:timers/promises";
import type { Pod } from "../../../src/api/types/core/v1.js";
import type { ApiProcess } from "../api-process.js";
import { versionOf } from "../informer.js";
import { sharedNow } from "./server-log.js";

/** What a watch of all pods of a namespace told of one pod. */
export interface PodStory {
  readonly name: string;
  /** The name of the Job or ReplicaSet that made it. */
  readonly owner: string;
  node: string;
  phase: string;
  /** When it was said to be deleted. */
  ending?: number;
  gone: boolean;
}

/** Follows the pods of a namespace at whichever server answers. */
export class PodHistory {
  readonly stories = new Map<string, PodStory>();
  #version = 0;

  constructor(
    private readonly path: string,
    /** Called after each event, with the pod where it is new. */
    private readonly seen: (history: PodHistory, made: PodStory | undefined) => void,
  ) {}

  /** Those of an owner whose name begins so, in the order in which they were made. */
  of(owner: string): PodStory[] {
    return [...this.stories.values()].filter((story) => story.owner.startsWith(owner));
  }

  async run(servers: readonly ApiProcess[], signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const path = `${this.path}?watch=true&resourceVersion=${this.#version}&timeoutSeconds=2`;
      try {
        await servers[turn % servers.length]?.watch(path, ({ type, object }) => {
          if (type === "ERROR") throw new Error(`the watch of pods ended: ${object.message}`);
          this.#version = Math.max(this.#version, versionOf(object));
          this.seen(this, this.#tell(type, object as Pod));
        });
      } catch {
        await setTimeout(20);
      }
    }
  }

  /** Answers the pod where it is new. */
  #tell(type: string, { metadata, spec, status }: Pod): PodStory | undefined {
    const { uid = "", name = "", ownerReferences, deletionTimestamp } = metadata ?? {};
    const known = this.stories.get(uid);
    const story = known ?? { name, owner: ownerReferences?.[0]?.name ?? "", node: "", phase: "", gone: false };
    this.stories.set(uid, story);
    story.node = spec?.nodeName ?? "";
    story.phase = status?.phase ?? "";
    story.gone = type === "DELETED";
    if (deletionTimestamp !== undefined) story.ending ??= sharedNow();
    return known === undefined ? story : undefined;
  }
}
