import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorMessage } from "../base/text/error-message.js";
import { kubeconfigFiles, type KubeconfigSources } from "../client/config/load-kubeconfig.js";
import { writeCacheFile } from "../client/cache-files.js";
import { isJsonObject } from "../machinery/meta/json.js";
import type { Factory } from "./connect/factory.js";
import type { Flags } from "../component/flags/flag-set.js";

/** The choices before the present ones: one context of a kubeconfig, and a namespace of each context. */
export interface ChoicesBefore {
  context?: string;
  readonly namespaces: Map<string, string>;
}

/**
 * Stores, for each list of kubeconfig files, what `ctx -` and `ns -` go back to, in a file in the cache's folder. A file that
 * cannot be read counts as empty.
 */
export class ChoiceMemory {
  readonly #file: string;
  readonly #host: Pick<Factory, "random" | "streams">;

  constructor(sources: KubeconfigSources, { flags, ...host }: Pick<Factory, "random" | "streams"> & { flags: Flags }) {
    const files = kubeconfigFiles(sources).map((file) => resolve(sources.cwd, file));
    const name = createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 32);
    this.#file = join(resolve(sources.cwd, flags.string("cache-dir")), "choices", `${name}.json`);
    this.#host = host;
  }

  read(): ChoicesBefore {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      if (!isJsonObject(kept)) return { namespaces: new Map() };
      const { context, namespaces } = kept;
      const pairs = Object.entries(isJsonObject(namespaces) ? namespaces : {}).filter(
        (pair): pair is [string, string] => typeof pair[1] === "string",
      );
      return { ...(typeof context === "string" && { context }), namespaces: new Map(pairs) };
    } catch {
      return { namespaces: new Map() };
    }
  }

  /** Writes the choice that `-` goes back to. A file that cannot be written is a warning on stderr, and the command goes on. */
  change(change: (choices: ChoicesBefore) => void): void {
    const { random, streams } = this.#host;
    const choices = this.read();
    change(choices);
    const { context, namespaces } = choices;
    try {
      writeCacheFile(this.#file, JSON.stringify({ context, namespaces: Object.fromEntries(namespaces) }), random);
    } catch (error) {
      streams.err.write(`Warning: "-" will not lead back: ${errorMessage(error)}\n`);
    }
  }
}
