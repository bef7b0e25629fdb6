import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { FileError } from "../../files/file-error.js";
import { absolute } from "../../files/file-system.js";
import type { FileNode } from "../../files/node.js";
import type { Program, ProgramIo } from "../../program.js";
import { bytesOf } from "../../shell/expansion/byte-text.js";
import { giveWay } from "../../slices.js";
import { ProgramFailure } from "../gnu-program.js";
import { baseName } from "../options.js";
import { type Entry, type FindExpression, parseFind, type Walk } from "./find-expression.js";

/** What a folder whose entries wait takes beside their names. */
const FOLDER_BYTES = 128;
/** So much is written at a time, in UTF-16 units. */
const BLOCK = 8192;

/** GNU's find, but for -ok, -fprint and its like. */
export const find: Program = async (io) => {
  const [links, operands, expression] = split(io.args);
  try {
    const walk = new FindWalk(io, parseFind(expression, io), links === "-L", links === "-L" || links === "-H");
    for (const operand of operands.length === 0 ? ["."] : operands) if (!(await walk.from(operand))) break;
    return await walk.finish();
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    await io.stderr.write(`${baseName(io.name)}: ${error.message}\n`);
    return error.code;
  }
};

/** Which links are followed, the folders to look in, and the expression behind them. */
function split(
  args: readonly string[],
): readonly [links: string | undefined, operands: readonly string[], expression: readonly string[]] {
  let first = 0;
  while (/^-[HLP]$/.test(args[first] ?? "")) first += 1;
  let end = first;
  while (end < args.length && !/^(?:-.|[(!,)]$)/.test(args[end] ?? "")) end += 1;
  return [args[first - 1], args.slice(first, end), args.slice(end)];
}

/** An entry that waits, or a folder whose entries have all been seen. */
interface Waiting {
  readonly entry: Entry;
  readonly isDone: boolean;
  /** Bytes that are given back when the folder is left. */
  readonly held: number;
}

class FindWalk implements Walk {
  readonly now: number;
  #text = "";
  #pruned = false;
  #isOver = false;
  #code = 0;
  readonly #atEnd: (() => Promise<void>)[] = [];

  constructor(
    readonly io: ProgramIo,
    private readonly expression: FindExpression,
    private readonly followsAll: boolean,
    private readonly followsOperands: boolean,
  ) {
    this.now = io.clock.now();
  }

  write(text: string): Promise<void> | undefined {
    this.#text += text;
    return this.#text.length < BLOCK ? undefined : this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    if (text !== "") await this.io.stdout.write(bytesOf(text));
  }

  complain(message: string): Promise<void> {
    this.#code = 1;
    return this.say(message);
  }

  async say(message: string): Promise<void> {
    await this.flush();
    await this.io.stderr.write(`${baseName(this.io.name)}: ${message}\n`);
  }

  prune(): void {
    this.#pruned = true;
  }

  quit(): void {
    this.#isOver = true;
  }

  fail(): void {
    this.#code = 1;
  }

  atEnd(act: () => Promise<void>): void {
    this.#atEnd.push(act);
  }

  async finish(): Promise<number> {
    for (const act of this.#atEnd) await act();
    await this.flush();
    return this.#code;
  }

  /** Walks over what an operand names; false where the walk is over. */
  async from(operand: string): Promise<boolean> {
    const node = await this.#find(operand, this.followsOperands);
    if (node === undefined) return true;
    const { leastDepth, mostDepth, depthFirst } = this.expression.options;
    const name = baseName(operand) || "/";
    const waiting: Waiting[] = [
      { entry: { path: operand, name, start: operand, depth: 0, node }, isDone: false, held: 0 },
    ];
    /** Folders above the one that is looked at: with -L a link may lead to one of them. */
    const above = new Set<FileNode>();
    for (let next = waiting.pop(); next !== undefined && !this.#isOver; next = waiting.pop()) {
      if (sliceIsSpent()) await giveWay(this.io);
      const { entry, isDone, held } = next;
      const { depth, path } = entry;
      if (isDone) {
        above.delete(entry.node);
        this.io.memory.give(held);
        if (depthFirst) await this.#visit(entry, leastDepth);
        continue;
      }
      this.#pruned = false;
      if (!depthFirst || entry.node.kind !== "directory") await this.#visit(entry, leastDepth);
      if (this.#pruned || entry.node.kind !== "directory") continue;
      if (above.has(entry.node)) {
        await this.complain(
          `File system loop detected; '${path}' is part of the same file system loop as a folder above it.`,
        );
        continue;
      }
      above.add(entry.node);
      const children = depth < mostDepth ? await this.#children(entry) : [];
      const bytes = children.reduce((sum, one) => sum + FOLDER_BYTES + one.path.length, FOLDER_BYTES);
      this.io.memory.take(bytes);
      waiting.push({ entry, isDone: true, held: bytes });
      for (const child of children.toReversed()) waiting.push({ entry: child, isDone: false, held: 0 });
    }
    return !this.#isOver;
  }

  async #visit(entry: Entry, leastDepth: number): Promise<void> {
    if (entry.depth < leastDepth || this.#isOver) return;
    const chosen = this.expression.test(entry, this);
    if (typeof chosen !== "boolean") await chosen;
  }

  async #children({ path, start, depth, node }: Entry): Promise<Entry[]> {
    if (node.kind !== "directory") return [];
    const children: Entry[] = [];
    for (const [name, child] of this.io.files.entriesAt(absolute(this.io.cwd, path), node)) {
      const childPath = path.endsWith("/") ? `${path}${name}` : `${path}/${name}`;
      const followed = this.followsAll && child.kind === "link" ? await this.#target(childPath, child) : child;
      children.push({ path: childPath, name, start, depth: depth + 1, node: followed });
      if (sliceIsSpent()) await giveWay(this.io);
    }
    return children;
  }

  async #target(path: string, link: FileNode): Promise<FileNode> {
    return this.io.files.look(absolute(this.io.cwd, path)) ?? link;
  }

  async #find(operand: string, follow: boolean): Promise<FileNode | undefined> {
    const { files, cwd } = this.io;
    try {
      return files.find(absolute(cwd, operand), { follow: follow || operand.endsWith("/") });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      await this.complain(`'${operand}': ${error.message}`);
      return undefined;
    }
  }
}
