import { bareValue } from "./flag-value.js";
import type { FlagSpec } from "./flag-set.js";

/** kubectl's flags may be typed with underscores. */
const normalizeFlagName = (name: string): string => name.replaceAll("_", "-");

/**
 * The flags that a command accepts, by name and by letter. Flags that are given first win: a command's own flag hides an inherited
 * one of the same name, letter included.
 */
export class FlagTable {
  readonly #byName = new Map<string, FlagSpec>();
  readonly #byShort = new Map<string, FlagSpec>();
  readonly #own: ReadonlySet<FlagSpec>;

  /** `own` are the flags of the command, `inherited` those of its groups and the global ones. */
  constructor(own: readonly FlagSpec[], ...inherited: readonly (readonly FlagSpec[])[]) {
    this.#own = new Set(own);
    for (const spec of [own, ...inherited].flat()) {
      if (this.#byName.has(spec.name)) continue;
      this.#byName.set(spec.name, spec);
      if (spec.short !== undefined && !this.#byShort.has(spec.short)) this.#byShort.set(spec.short, spec);
    }
  }

  named(name: string): FlagSpec | undefined {
    return this.#byName.get(normalizeFlagName(name));
  }

  /** Whether the name is a flag of the command itself, which may hide a global one (config set-cluster --server). */
  isOwn(name: string): boolean {
    const spec = this.named(name);
    return spec !== undefined && this.#own.has(spec);
  }

  short(letter: string): FlagSpec | undefined {
    return this.#byShort.get(letter);
  }

  /** Returns all flags sorted by name, as pflag visits them. */
  all(): readonly FlagSpec[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Whether `--name` or `-n` may stand without a value. Unknown flags may not. */
  standsAlone(argument: string): boolean {
    const spec = argument.startsWith("--") ? this.named(argument.slice(2)) : this.short(argument.slice(1, 2));
    return spec !== undefined && bareValue(spec) !== undefined;
  }
}
