import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a code block of a page is, and so what is done with it. CONTRIBUTING.md says the same to authors. */
export type Kind =
  /** A whole program: it is compiled, and runs to its end with exit code 0. */
  | "program"
  /** Code that compiles as it stands, and is not run. */
  | "code fragment"
  /** A whole script. Those of a page run in its order, in one home. */
  | "script"
  /** A script that runs in a clone of the project. */
  | "clone script"
  /** Commands whose syntax is checked, and those of them that call kubets or kubectl are parsed. */
  | "script fragment"
  /** Rules of a Makefile; their commands are treated as those of a script fragment. */
  | "make fragment"
  /** Objects that a cluster takes, or a file that the server reads. */
  | "document"
  /** A part of a YAML document. */
  | "document fragment"
  /** A file of static tokens. */
  | "tokens"
  /** What the script before it prints: its lines in their order, among others; `...` stands for any text. */
  | "output"
  /** A picture made of characters. */
  | "diagram";

const KINDS: Readonly<Record<string, Kind>> = {
  __proto__: null as never,
  ts: "program",
  js: "program",
  "ts fragment": "code fragment",
  "js fragment": "code fragment",
  sh: "script",
  "sh clone": "clone script",
  "sh fragment": "script fragment",
  "bash fragment": "script fragment",
  "zsh fragment": "script fragment",
  "fish fragment": "script fragment",
  "make fragment": "make fragment",
  yaml: "document",
  "yaml fragment": "document fragment",
  csv: "tokens",
  "text output": "output",
  "text diagram": "diagram",
};

export interface Block {
  /** Its page, from the project's folder: "docs/tls.md". */
  readonly page: string;
  /** The line of the page that opens it, from 1. */
  readonly line: number;
  readonly info: string;
  /** Its first word: "ts", "sh". */
  readonly language: string;
  readonly kind: Kind;
  readonly text: string;
  /**
   * Of programs and code fragments: the name in their first line, else one of the heading above them: "web.test.ts", "readme-a-client.ts".
   * The others are named like those of the second kind.
   */
  readonly file: string;
}

const root = join(import.meta.dirname, "../..");

/** All pages: README.md, CONTRIBUTING.md, and those of docs/. */
export function documentPages(): readonly string[] {
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", "CONTRIBUTING.md", ...docs.sort().map((name) => `docs/${name}`)].filter((page) =>
    existsSync(join(root, page)),
  );
}

/** The blocks of all pages. Throws for the first that is not classified, and where two programs have one name. */
export function documentBlocks(): readonly Block[] {
  const blocks = documentPages().flatMap((page) => blocksOf(page, readFileSync(join(root, page), "utf8")));
  const seen = new Map<string, Block>();
  for (const block of blocks.filter(isCode)) {
    const other = seen.get(block.file);
    if (other !== undefined) throw new Error(`${placeOf(block)} and ${placeOf(other)} are both named ${block.file}`);
    seen.set(block.file, block);
  }
  return blocks;
}

export const isCode = ({ kind }: Block): boolean => kind === "program" || kind === "code fragment";

/** For titles and errors: "docs/tls.md:13". */
export const placeOf = ({ page, line }: Pick<Block, "page" | "line">): string => `${page}:${line}`;

/** Throws an Error with page and line for a block that is not classified, not closed, or made by indentation. */
export function blocksOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  const counts = new Map<string, number>();
  const lines = text.split("\n");
  let heading = page;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const where = { page, line: at + 1 };
    heading = /^#{1,6} (.+)$/.exec(line)?.[1] ?? heading;
    if (/^(?: {4}|\t)/.test(line) && (lines[at - 1] ?? "").trim() === "") {
      throw new Error(`${placeOf(where)}: a block by indentation has no info string; open it with \`\`\``);
    }
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === null) continue;
    const [, mark = "", rest = ""] = fence;
    const end = lines.findIndex((other, index) => index > at && other.trim() === mark);
    if (end < 0) throw new Error(`${placeOf(where)}: the block is not closed`);
    const info = rest.trim();
    const kind = KINDS[info];
    if (kind === undefined) {
      throw new Error(`${placeOf(where)}: \`\`\`${info} says nothing that is known; ${Object.keys(KINDS).join(", ")}`);
    }
    const content = `${lines.slice(at + 1, end).join("\n")}\n`;
    const [language = ""] = info.split(" ");
    const slug = `${fileName(page)}-${slugOf(heading)}`;
    const count = (counts.get(slug) ?? 0) + 1;
    counts.set(slug, count);
    const named = /^\/\/ ([\w.-]+\.[jt]s)\n/.exec(content)?.[1];
    const file = named ?? `${slug}${count === 1 ? "" : `-${count}`}.${language}`;
    blocks.push({ ...where, info, language, kind, text: content, file });
    at = end;
  }
  return blocks;
}

const fileName = (page: string): string => slugOf(page.replace(/^docs\//, "").replace(/\.md$/, ""));

/** The anchor that GitHub gives a heading. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
