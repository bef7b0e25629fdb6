/** Names of commands that a shell replaces by texts. */
export interface AliasTable {
  /** How many there are: with none a parser need not look. */
  readonly size: number;
  get(name: string): string | undefined;
}

const NAME = /[^\s;&|<>()$`'"\\=/]+/y;
/** What stands behind a name, unless the word goes on. */
const BEHIND = /[\s;&|<>()]/;
/** How many characters the aliases of one line may bring: with each the rest of the script is copied. */
const LONGEST = 32 * 1024;

/** Tracks the aliases that a parser has replaced in its text, and the ends of their values. */
export class AliasExpansion {
  #values: { readonly name: string; end: number }[] = [];
  /** The word behind this place is an alias too: a value that ends in a blank stands before it. */
  #nextFrom = Number.POSITIVE_INFINITY;
  #length = 0;

  constructor(private readonly table: () => AliasTable | undefined) {}

  /** Whether a word may be an alias at all. */
  get areThere(): boolean {
    return (this.table()?.size ?? 0) > 0;
  }

  /** Begins a line: those of the lines before it may bring no more. */
  beginLine(): void {
    this.#length = 0;
  }

  /** Whether the word at a place is an alias though it is no command. */
  isDueAt(at: number): boolean {
    if (at < this.#nextFrom) return false;
    this.#nextFrom = Number.POSITIVE_INFINITY;
    return true;
  }

  /** The alias that the text has at a place, and its value; undefined for other words, and in the alias's own value. */
  find(text: string, at: number): { readonly name: string; readonly value: string } | undefined {
    NAME.lastIndex = at;
    const [name = ""] = NAME.exec(text) ?? [];
    const value = this.table()?.get(name);
    const next = text[at + name.length];
    if (value === undefined || (next !== undefined && !BEHIND.test(next))) return undefined;
    this.#values = this.#values.filter(({ end }) => end > at);
    return this.#values.some((one) => one.name === name) ? undefined : { name, value };
  }

  /** An alias at a place has been replaced. False where the line is too long by now. */
  replaced({ name, value }: { readonly name: string; readonly value: string }, at: number): boolean {
    const more = value.length - name.length;
    for (const one of this.#values) one.end += more;
    const end = at + value.length;
    this.#values.push({ name, end });
    if (this.#nextFrom !== Number.POSITIVE_INFINITY) this.#nextFrom += more;
    else if (value.endsWith(" ") || value.endsWith("\t")) this.#nextFrom = end;
    this.#length += value.length;
    return this.#length <= LONGEST;
  }

  /** The aliases of a text in this one, such as that between backquotes. */
  inner(): () => AliasTable | undefined {
    const names = new Set(this.#values.map(({ name }) => name));
    const { table } = this;
    if (names.size === 0) return table;
    return () => {
      const all = table();
      return all && { size: all.size, get: (name) => (names.has(name) ? undefined : all.get(name)) };
    };
  }
}
