import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { ApiEvent, ApiObject, ApiProcess } from "./api-process.js";

/** What a client keeps that lists once and then watches for ever, going on at another server when one is gone. */
export class Informer {
  readonly state = new Map<string, string | undefined>();
  /** "MODIFIED name resourceVersion step" */
  readonly events: string[] = [];
  lists = 0;
  /** Of the first list. */
  began = 0;
  #version = 0;

  /** `path` is that of the collection. */
  constructor(private readonly path: string) {}

  /** Of the last event, or of the list. */
  get version(): number {
    return this.#version;
  }

  async run(servers: readonly ApiProcess[], signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const api = servers[turn % servers.length];
      try {
        if (this.#version === 0 && api !== undefined) await this.#list(api);
        await api?.watch(`${this.path}?watch=true&resourceVersion=${this.#version}&timeoutSeconds=2`, (event) =>
          this.#see(event),
        );
      } catch {
        // That server is gone or not well: the next one.
        await setTimeout(20);
      }
    }
  }

  async #list(api: ApiProcess): Promise<void> {
    const { status, body } = await api.call("GET", this.path);
    if (status !== 200) throw new Error(`no list: ${status}`);
    for (const { metadata, data } of body.items ?? []) this.state.set(metadata.name, data?.["step"]);
    this.#version = versionOf(body);
    this.began ||= this.#version;
    this.lists++;
  }

  #see({ type, object }: ApiEvent): void {
    if (type === "ERROR") {
      if (object.code === 410) this.#version = 0;
      return;
    }
    expect(versionOf(object)).toBeGreaterThan(this.#version);
    this.#version = versionOf(object);
    const step = object.data?.["step"];
    this.events.push(`${type} ${object.metadata.name} ${this.#version} ${step}`);
    if (type === "DELETED") this.state.delete(object.metadata.name);
    else this.state.set(object.metadata.name, step);
  }
}

export const versionOf = (object: ApiObject): number => Number(object.metadata.resourceVersion);
