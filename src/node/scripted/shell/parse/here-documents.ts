import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { type Redirect, ShellSyntaxError, type Word } from "./syntax.js";

/** A here-document whose body has not been read. */
interface Pending {
  readonly delimiter: string;
  /** Nothing in the body is expanded: a part of the delimiter was quoted. */
  readonly isQuoted: boolean;
  /** Tabs at the beginnings of lines are dropped (<<-). */
  readonly dropsTabs: boolean;
  readonly redirect: { target: Word };
}

/** Where the delimiter's word is quoted, and what the quotes and backslashes are that it loses. */
const QUOTING = /['"\\]/;

/** The here-documents of a line, whose bodies are the following lines. */
export class HereDocuments {
  #pending: Pending[] = [];

  constructor(
    private readonly script: { readonly text: string },
    /** The body of a here-document whose delimiter was not quoted, as a word. */
    private readonly expanded: (body: string, line: number) => Steps<Word>,
    /** Whether a body may end with the script: else more lines may follow. */
    private readonly endsWithScript: boolean,
  ) {}

  get arePending(): boolean {
    return this.#pending.length > 0;
  }

  /** Adds one whose operator and delimiter stand on this line. `word` is the delimiter as it is written. */
  add(word: string, dropsTabs: boolean): Redirect {
    const redirect = { descriptor: 0, operator: "<<" as const, target: [] as Word };
    const isQuoted = QUOTING.test(word);
    const delimiter = isQuoted ? word.replace(/\\(.)|['"]/gs, "$1") : word;
    this.#pending.push({ delimiter, isQuoted, dropsTabs, redirect });
    return redirect;
  }

  /** Reads the bodies, the first of which begins at `at`; returns where the script goes on. */
  *read(at: number, line: number): Steps<number> {
    const pending = this.#pending;
    this.#pending = [];
    let [place, current] = [at, line];
    for (const one of pending) {
      const { lines, end } = yield* this.#lines(place, one, current);
      const body = lines.length === 0 ? "" : `${lines.join("\n")}\n`;
      one.redirect.target = one.isQuoted
        ? [{ kind: "text", text: body, quoted: true }]
        : yield* this.expanded(body, current);
      place = end;
      current += lines.length + 1;
    }
    return place;
  }

  *#lines(from: number, { delimiter, dropsTabs }: Pending, line: number): Steps<{ lines: string[]; end: number }> {
    const { text } = this.script;
    const pace = new Pace();
    const lines: string[] = [];
    for (let at = from; at < text.length; ) {
      if (pace.isDue()) yield;
      const found = text.indexOf("\n", at);
      const end = found < 0 ? text.length : found;
      const whole = text.slice(at, end);
      const content = dropsTabs ? whole.replace(/^\t+/, "") : whole;
      at = end + 1;
      if (content === delimiter) return { lines, end: Math.min(at, text.length) };
      lines.push(content);
    }
    if (!this.endsWithScript) {
      throw new ShellSyntaxError(`Syntax error: end of file unexpected (expecting "${delimiter}")`, line, true);
    }
    return { lines, end: text.length };
  }
}
