import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { builtinRecords } from "../../src/server/builtin/index.js";
import { recordId } from "../../src/server/endpoints/resource-record.js";
import { gatesWithoutEffect } from "../../src/cluster/apiserver/feature-gates.js";
import { featureGatesOf } from "../../src/api/gates/feature-gates.js";
import { FIELDS_BEHIND_GATES, GATES_OF_FIELDS } from "../../src/api/gates/fields-behind-gates.js";

/** What the code of kubets names. */
export class Sources {
  /** By path from the project's folder, with slashes. */
  readonly #texts: ReadonlyMap<string, string>;
  readonly #words = new Set<string>();
  readonly #asked = new Set<string>();

  /** `root` is the project's folder. */
  constructor(root: string) {
    const paths = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .map((path) => `src/${path.replaceAll(sep, "/")}`)
      .filter((path) => path.endsWith(".ts") && !/^src\/api\/(types|facts)\//.test(path));
    this.#texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
    for (const text of this.#texts.values()) {
      for (const [word] of text.matchAll(/\w+/g)) this.#words.add(word);
      for (const [, gate = ""] of text.matchAll(/(?:\bgates\??\.enabled\(|hasGeneration: )"(\w+)"/g)) {
        this.#asked.add(gate);
      }
    }
  }

  /** Whether any code has the word. */
  names(word: string): boolean {
    return this.#words.has(word);
  }

  /** Whether a file has a metric or a flag of this name. */
  hasName(name: string): boolean {
    return [...this.#texts.values()].some((text) => text.includes(`"${name}"`));
  }

  /** Whether code goes by a gate. */
  asks(gate: string, version: string): boolean {
    if (this.#asked.has(gate) || GATES_OF_FIELDS.includes(gate)) return true;
    const known = featureGatesOf(version).get(gate);
    if (known === undefined || known.locked) return false;
    return gatesWithoutEffect([`${gate}=${!known.enabled}`], { kubernetesVersion: version }).length === 0;
  }

  /** The file with the record of a resource; the folder where it belongs for one that has none. */
  recordOf(group: string, plural: string): string {
    const found = [...this.#texts].find(
      ([path, text]) =>
        path.startsWith("src/server/builtin/") && new RegExp(`group: "${group}",\\s+resource: "${plural}"`).test(text),
    );
    return found?.[0] ?? `src/server/builtin/${group.split(".")[0] || "core"}/`;
  }
}

/** Whether the table of fields behind gates has a field of this name for a gate. */
export const isInTable = (gate: string, field: string): boolean =>
  Object.values(FIELDS_BEHIND_GATES).some((fields) =>
    [fields[gate] ?? []].flat().some((path) =>
      path
        .slice(path.lastIndexOf(".") + 1)
        .split("|")
        .includes(field),
    ),
  );

/** "<group>/<resource>" of every record. */
export const recordIds = (): ReadonlySet<string> => new Set(builtinRecords.map(recordId));
