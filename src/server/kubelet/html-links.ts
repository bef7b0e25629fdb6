/** The attributes that hold addresses, by their elements. Source: apimachinery's proxy transport. */
const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["src", "usemap", "formaction"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    video: ["poster", "src"],
  }),
);

/** What is inside of these is text up to their end tag, whatever it looks like. */
const TEXT_ONLY: ReadonlySet<string> = new Set([
  "iframe",
  "noembed",
  "noframes",
  "plaintext",
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
]);

/** The scanner holds a tag until its end comes. It passes a longer one on as it is, and looks for no other before a ">". */
const LONGEST_TAG = 16 * 1024;

const SPACE = /[ \n\r\t\f]*/y;
const SPACE_OR_SLASH = /[ \n\r\t\f/]*/y;
const TAG_NAME = /[A-Za-z][^ \n\r\t\f/>]*/y;
const ATTRIBUTE_NAME = /[^>][^ \n\r\t\f/>=]*/y;
const UNQUOTED = /[^ \n\r\t\f>]*/y;

/** Where an element's start tag ends, and where in it the addresses are. */
interface StartTag {
  readonly name: string;
  readonly end: number;
  readonly addresses: readonly (readonly [from: number, to: number])[];
}

/**
 * Passes a page of HTML on with other addresses in its elements: `rewrite` is given each as it stands in the page, with its entities.
 * Everything else stays as it is, byte for byte. Addresses in scripts, styles and comments are not found.
 */
export async function* withLinks(
  page: AsyncIterable<Uint8Array>,
  rewrite: (address: string) => string,
): AsyncGenerator<Buffer, void, void> {
  const scanner = new LinkScanner(rewrite);
  for await (const chunk of page) {
    const done = scanner.push(latin1(chunk));
    if (done !== "") yield Buffer.from(done, "latin1");
  }
  const rest = scanner.rest();
  if (rest !== "") yield Buffer.from(rest, "latin1");
}

/** A character for each byte, so that any page of which ASCII is a part comes out as it went in. */
const latin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");

class LinkScanner {
  /** What may be the beginning of something that is not complete yet. */
  #held = "";
  /** How what is being read ends, where no tags are looked for until then. */
  #until: Until | undefined;

  constructor(private readonly rewrite: (address: string) => string) {}

  /** Takes more of the page, and answers what of it is done. */
  push(more: string): string {
    const text = this.#held + more;
    let done = "";
    let at = 0;
    for (;;) {
      const next = this.#until === undefined ? this.#piece(text, at) : this.#plain(text, at, this.#until);
      done += next.text;
      if (next.end === at) break;
      at = next.end;
    }
    this.#held = text.slice(at);
    return done;
  }

  /** What is left at the end of the page. */
  rest(): string {
    return this.#held;
  }

  /** Reads on to the end of what holds no tags, as far as it has come. */
  #plain(text: string, at: number, { pattern, length }: Until): Piece {
    pattern.lastIndex = at;
    const isFound = pattern.test(text);
    if (isFound) this.#until = undefined;
    const end = isFound ? pattern.lastIndex : Math.max(at, text.length - length + 1);
    return { text: text.slice(at, end), end };
  }

  /** Reads text up to a tag, a tag, or the beginning of what holds none. One that is not complete yet ends where it begins. */
  #piece(text: string, at: number): Piece {
    const start = text.indexOf("<", at);
    if (start !== at) {
      const end = start === -1 ? text.length : start;
      return { text: text.slice(at, end), end };
    }
    if (text.length < at + 4) return { text: "", end: at };
    const opening = /^<(?:!(--)?|[/?]|([A-Za-z]))?/.exec(text.slice(at, at + 4)) ?? [];
    const [all = "<", comment, letter] = opening;
    if (letter !== undefined) return this.#tag(text, at);
    if (all !== "<") this.#until = until(comment === undefined ? ">" : "-->");
    // The end of a comment may begin with the hyphens of its beginning.
    const end = at + (comment === undefined ? all.length : 2);
    return { text: text.slice(at, end), end };
  }

  #tag(text: string, at: number): Piece {
    const tag = readStartTag(text, at);
    if (tag === undefined) {
      if (text.length - at <= LONGEST_TAG) return { text: "", end: at };
      this.#until = until(">");
      return { text: "<", end: at + 1 };
    }
    if (TEXT_ONLY.has(tag.name)) this.#until = until(`</${tag.name}`);
    let rewritten = "";
    let copied = at;
    for (const [from, to] of tag.addresses) {
      rewritten += text.slice(copied, from) + this.rewrite(text.slice(from, to));
      copied = to;
    }
    return { text: rewritten + text.slice(copied, tag.end), end: tag.end };
  }
}

/** The end of something, in upper or lower case, and how long it is. */
interface Until {
  readonly pattern: RegExp;
  readonly length: number;
}

const until = (text: string): Until => ({ pattern: new RegExp(text, "gi"), length: text.length });

/** What was read, as it is passed on, and where it ends. */
interface Piece {
  readonly text: string;
  readonly end: number;
}

/** The tag that begins at `start`; undefined when its end is not there. */
function readStartTag(text: string, start: number): StartTag | undefined {
  let at = endOf(TAG_NAME, text, start + 1);
  const name = text.slice(start + 1, at).toLowerCase();
  const wanted = ADDRESSES.get(name) ?? [];
  const addresses: [number, number][] = [];
  for (;;) {
    at = endOf(SPACE_OR_SLASH, text, at);
    if (at === text.length) return undefined;
    if (text[at] === ">") return { name, end: at + 1, addresses };
    const key = text.slice(at, endOf(ATTRIBUTE_NAME, text, at)).toLowerCase();
    at = endOf(SPACE, text, at + key.length);
    if (text[at] !== "=") continue;
    at = endOf(SPACE, text, at + 1);
    const quote = text[at] === '"' || text[at] === "'" ? text[at] : undefined;
    const from = quote === undefined ? at : at + 1;
    const to = quote === undefined ? endOf(UNQUOTED, text, from) : text.indexOf(quote, from);
    if (to === -1) return undefined;
    if (wanted.includes(key)) addresses.push([from, to]);
    at = quote === undefined ? to : to + 1;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
