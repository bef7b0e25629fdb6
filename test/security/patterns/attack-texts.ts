/**
 * Texts on which a backtracking matcher may take long with a pattern: a beginning that leads to a loop, what the loop takes, many
 * times, and an end at which the match fails.
 */
export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

export const textOf = ({ prefix, pump, suffix }: Attack, length: number): string =>
  prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;

type Node =
  | { readonly type: "set"; readonly source: string }
  | { readonly type: "empty" }
  | { readonly type: "sequence"; readonly parts: readonly Node[] }
  | { readonly type: "choice"; readonly parts: readonly Node[] }
  | { readonly type: "look"; readonly body: Node }
  | { readonly type: "loop"; readonly body: Node; readonly least: number; readonly most: number };

/** Loops that can turn so often are pumped. */
const LOOP = 30;
/** Samples that are kept of one part of a pattern, beginnings of one loop, and pumps of one pattern. */
const [SAMPLES, PREFIXES, PUMPS] = [4, 3, 16];
/** Ends that few patterns go on with. */
const SUFFIXES = ["\u0001", "\n!"];
/** A beginning that is no match, as of a text in the middle of which one is looked for. */
const OTHER = "\u0002";
/** Characters that stand for sets, the usual ones first. */
const ALPHABET = Array.from(
  "a0A -_.:/=,\"'\\\t\n\r<>()[]{}&*+?@#%$|;~`^!é\u2028😀zZ9bcdefghijklmnopqrstuvwxyBCDEFGHIJKLMNOPQRSTUVWXY12345678\0\x1b",
);

export function attacksOn(pattern: RegExp): Attack[] {
  const parser = new PatternParser(pattern.source, pattern.flags);
  const tree = parser.parse();
  const loops: { readonly prefixes: readonly string[]; readonly pumps: readonly string[] }[] = [];
  collect(tree, [""], parser, loops);
  // What one loop takes is tried everywhere: loops beside each other are slow on what both take. What leads to a loop is a pump too,
  // as a search that begins again at each of it.
  const pumps = new Set([
    ...loops.flatMap((loop) => loop.pumps),
    ...loops.flatMap((loop) => loop.prefixes.slice(0, 1)),
  ]);
  const words = [...pumps].filter((word) => word !== "").slice(0, PUMPS);
  const prefixes = new Set(["", OTHER, ...loops.flatMap((loop) => loop.prefixes.slice(0, PREFIXES))]);
  return [...prefixes]
    .slice(0, 2 * PREFIXES)
    .flatMap((prefix) => words.flatMap((pump) => SUFFIXES.map((suffix) => ({ prefix, pump, suffix }))));
}

/** Notes the loops of a part, and answers what texts may come after it, of those before. */
function collect(
  node: Node,
  before: readonly string[],
  parser: PatternParser,
  loops: { readonly prefixes: readonly string[]; readonly pumps: readonly string[] }[],
): readonly string[] {
  switch (node.type) {
    case "empty":
      return before;
    case "set":
      return joined(before, parser.members(node.source));
    case "look":
      collect(node.body, before, parser, loops);
      return before;
    case "sequence":
      return node.parts.reduce((texts, part) => collect(part, texts, parser, loops), before);
    case "choice":
      return unique(node.parts.flatMap((part) => collect(part, before, parser, loops)));
    case "loop": {
      const bodies = collect(node.body, [""], parser, loops);
      if (node.most >= LOOP) loops.push({ prefixes: before, pumps: bodies.filter((body) => body !== "") });
      collect(node.body, before, parser, loops);
      const once = joined(
        before,
        bodies.map((body) => body.repeat(Math.max(1, Math.min(node.least, LOOP)))),
      );
      return node.least === 0 ? unique([...before.slice(0, 2), ...once]) : once;
    }
  }
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].slice(0, SAMPLES);
const joined = (before: readonly string[], after: readonly string[]): readonly string[] =>
  unique(after.flatMap((text) => before.slice(0, 2).map((start) => start + text)));

/** Reads the syntax of JavaScript's regular expressions, so far as it matters for what they take. */
class PatternParser {
  #at = 0;
  readonly #members = new Map<string, readonly string[]>();

  constructor(
    private readonly source: string,
    private readonly flags: string,
  ) {}

  parse(): Node {
    const tree = this.#choice();
    if (this.#at < this.source.length) throw new Error(`not read: ${this.source.slice(this.#at)}`);
    return tree;
  }

  /** Characters that a set takes. */
  members(source: string): readonly string[] {
    const known = this.#members.get(source);
    if (known !== undefined) return known;
    const set = new RegExp(`^(?:${source})$`, this.flags.replaceAll(/[gyd]/g, ""));
    const first = ALPHABET.filter((character) => set.test(character));
    const found = [...first.slice(0, 2), ...first.slice(-1)];
    this.#members.set(source, found);
    return found;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#takes("|")) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as Node) : { type: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.source.length && !"|)".includes(this.source[this.#at] ?? "")) parts.push(this.#repeated());
    return { type: "sequence", parts };
  }

  #repeated(): Node {
    const body = this.#atom();
    const [all, counted, least, comma, most] =
      /^(?:[*+?]|(\{(\d+)(,?)(\d*)\}))\??/.exec(this.source.slice(this.#at)) ?? [];
    if (all === undefined) return body;
    this.#at += all.length;
    if (counted !== undefined) {
      const end = comma === "" ? Number(least) : most === "" ? Infinity : Number(most);
      return { type: "loop", body, least: Number(least), most: end };
    }
    const [sign] = all;
    return { type: "loop", body, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
  }

  #atom(): Node {
    if (this.#takes("(?=") || this.#takes("(?!") || this.#takes("(?<=") || this.#takes("(?<!")) {
      return { type: "look", body: this.#closed() };
    }
    const group = /^\((?:\?:|\?<\w+>|\?[a-z-]+:)?/.exec(this.source.slice(this.#at))?.[0];
    if (group !== undefined) {
      this.#at += group.length;
      return this.#closed();
    }
    if (this.#takes("^") || this.#takes("$")) return { type: "empty" };
    const set =
      /^(?:\[(?:\\[^]|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\k<\w+>|\\c[A-Z]|\\[1-9]\d*|\\[^])/.exec(
        this.source.slice(this.#at),
      )?.[0] ?? String.fromCodePoint(this.source.codePointAt(this.#at) ?? 0);
    this.#at += set.length;
    // Boundaries take nothing; a group that is taken again may be empty.
    return /^\\(?:[bB1-9]|k<)/.test(set) ? { type: "empty" } : { type: "set", source: set };
  }

  #closed(): Node {
    const body = this.#choice();
    if (!this.#takes(")")) throw new Error(`a group does not end: ${this.source}`);
    return body;
  }

  #takes(text: string): boolean {
    if (!this.source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}
