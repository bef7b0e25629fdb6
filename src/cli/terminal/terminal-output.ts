import type { Writable } from "node:stream";
import { CONTROL, inertCharacter, inertText, MARK_LENGTH } from "../../base/text/inert-text.js";
import type { Random } from "../../base/numbers/random.js";

/*
 * The one way to a terminal for text. Commands write names, messages and reasons that servers, files and programs chose, and a terminal
 * obeys the control sequences in them. So control characters in text are made visible where the stream is a terminal, and only the
 * program's own sequences reach it: they carry a mark that is drawn at random for each run, which is taken away again. Bytes pass as
 * they are: what a container, a log or a raw request sent, and the user asked for. In a pipe nothing changes.
 */

/** The program's own sequences for a terminal. */
export class OwnCodes {
  readonly #random: Random;
  #mark = "";
  /** What {@link show} looks for: an own sequence, as its group, or any control character. */
  #parts: RegExp | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A sequence, `CSI ... letter` or a return, that passes to a terminal. Only what the program itself has composed may be given. */
  marked(sequence: string): string {
    // Control characters take no room, so that tables with colours in them are aligned.
    if (this.#mark === "") {
      const bytes = this.#random.bytes(MARK_LENGTH);
      this.#mark = Array.from(bytes, (byte) => String.fromCharCode(1 + (byte & 7))).join("");
      this.#parts = new RegExp(`(\\u001b\\[[?0-9;]*[A-Za-z]|\\r)${this.#mark}|${CONTROL}`, "g");
    }
    return sequence + this.#mark;
  }

  /** A text as a terminal may have it: own sequences without their mark, and no other control character. */
  show(text: string): string {
    if (this.#parts === undefined) return inertText(text);
    return text.replace(this.#parts, (found, own?: string) => own ?? inertCharacter(found));
  }
}

const terminals = new WeakMap<object, OwnCodes>();

/** Makes a stream that is a terminal show text by {@link OwnCodes.show}. Answers the stream. */
export function guardTerminal<Stream extends Writable & { readonly isTTY?: boolean }>(
  stream: Stream,
  codes: OwnCodes,
): Stream {
  if (stream.isTTY !== true || terminals.has(stream)) return stream;
  terminals.set(stream, codes);
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  return Object.assign(stream, {
    write: (chunk: unknown, ...more: unknown[]): boolean =>
      write(typeof chunk === "string" ? codes.show(chunk) : chunk, ...more),
  });
}

/** The text as it may be written to a stream as bytes. */
export const shownOn = (stream: object, text: string): string => terminals.get(stream)?.show(text) ?? text;
