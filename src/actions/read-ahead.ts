import type { KubeObject } from "../machinery/meta/object.js";
import type { Info } from "../resource/info.js";

/** Reads the live object from the server; undefined when it does not exist. */
export type ReadLive = (info: Info) => Promise<KubeObject | undefined>;

const WIDTH = 8;

/**
 * Reads the live objects of a list a few ahead of the caller, who processes them in order and so does not wait for each read. An
 * object that an earlier write of the caller may change (a repetition of it, or its namespace) is read only in its turn. The
 * requests are the same as without it.
 */
export class ReadAhead {
  readonly #infos: readonly Info[];
  readonly #read: ReadLive;
  readonly #begun = new Map<number, Promise<KubeObject | undefined>>();

  constructor(infos: readonly Info[], read: ReadLive) {
    this.#infos = infos;
    this.#read = read;
  }

  /** The live object of the one at `index`; to be called once for each, in order. */
  take(index: number): Promise<KubeObject | undefined> {
    const reading = this.#begin(index);
    this.#begun.delete(index);
    const written = this.#infos.slice(index, index + WIDTH);
    for (let ahead = 1; ahead < written.length; ahead += 1) {
      const info = written[ahead];
      if (info === undefined || info.name === "") continue;
      if (!written.slice(0, ahead).some((earlier) => touches(earlier, info))) void this.#begin(index + ahead);
    }
    return reading;
  }

  #begin(index: number): Promise<KubeObject | undefined> {
    const begun = this.#begun.get(index);
    if (begun !== undefined) return begun;
    const info = this.#infos[index];
    const reading = info === undefined ? Promise.resolve(undefined) : this.#read(info);
    // It is thrown where the object's turn comes, which may be later than it failed.
    reading.catch(() => undefined);
    this.#begun.set(index, reading);
    return reading;
  }
}

/** Whether a write of `earlier` may change what a read of `info` answers. */
function touches({ mapping, name, namespace }: Info, info: Info): boolean {
  if (mapping.kind.kind === "Namespace" && mapping.kind.group === "")
    return name === info.namespace || name === info.name;
  const same = mapping.resource.group === info.mapping.resource.group && mapping.kind.kind === info.mapping.kind.kind;
  return same && name === info.name && namespace === info.namespace;
}
