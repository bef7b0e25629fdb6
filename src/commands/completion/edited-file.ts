import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode, PathError } from "../../base/files/path-error.js";
import type { Random } from "../../base/numbers/random.js";
import { makeFolder } from "../../client/cache-files.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { Streams } from "../../cli/connect/factory.js";
import { firstLine } from "../../cli/first-line.js";

/** A file as it was read, to be replaced by {@link writeEdited}. */
interface EditedFile {
  readonly path: string;
  /** Whether `path` is a symbolic link. */
  readonly isLink: boolean;
  /** The file itself by its own path, without links. Where there is no file: where it would be. */
  readonly target: string;
  /** Undefined where there is no file. */
  readonly content: Buffer | undefined;
}

/** @throws PathError, or an error that says that there is something else than a file, a device for instance */
export function readEdited(path: string): EditedFile {
  try {
    const target = targetOf(path);
    const stats = statSync(target, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
      throw new Error(`open ${path}: not a regular file`);
    return { path, target, isLink: linkOf(path) !== undefined, content: contentOf(target) };
  } catch (error) {
    throw asPathError("open", path, error);
  }
}

/** Errors of ours name the path already. */
function asPathError(call: string, path: string, error: unknown): unknown {
  return errorCode(error) === undefined ? error : new PathError(call, path, error);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    const link = linkOf(path);
    return link === undefined ? path : targetOf(resolve(realpathSync(dirname(path)), link));
  }
}

/** Where a symbolic link points to; undefined where there is none. */
function linkOf(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
}

function contentOf(target: string): Buffer | undefined {
  try {
    return readFileSync(target);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Replaces the file's content atomically, by a file beside it that takes its name; removes the file where the content is
 * undefined. Links stay links; mode and owner stay. Readers see the old content or the new one, and after an error the old.
 * @throws PathError, or an error if the file has changed since it was read
 */
export function writeEdited(
  { path, target, isLink, content: before }: EditedFile,
  content: Buffer | undefined,
  random: Random,
): void {
  try {
    const stats = replaceable(path, target, before);
    if (content === undefined) rmSync(target, { force: true });
    else replace(target, content, stats, random, !isLink);
  } catch (error) {
    throw asPathError("write", path, error);
  }
}

/** Permissions and owner of the file that is replaced; undefined where there is none. */
function replaceable(path: string, target: string, before: Buffer | undefined): Stats | undefined {
  const now = contentOf(target);
  const isSame = before === undefined || now === undefined ? before === now : before.equals(now);
  if (!isSame) throw new Error(`${path} was changed by another program in the meantime: run the command again`);
  if (now === undefined) return undefined;
  // Its folder alone decides whether a file can be replaced; one that is read-only is meant to stay.
  accessSync(target, constants.W_OK);
  const stats = statSync(target);
  if (stats.nlink > 1)
    throw new Error(`write ${path}: the file has ${stats.nlink} hard links, and only one would change`);
  return stats;
}

function replace(
  target: string,
  content: Buffer,
  stats: Stats | undefined,
  random: Random,
  mayMakeFolder: boolean,
): void {
  if (mayMakeFolder) makeFolder(dirname(target), 0o755);
  const temporary = join(dirname(target), `.kubets-${Buffer.from(random.bytes(8)).toString("hex")}`);
  try {
    const file = openSync(temporary, "wx", (stats?.mode ?? 0o644) & 0o666);
    try {
      writeFileSync(file, content);
      if (stats !== undefined) copyOwnerAndMode(file, temporary, stats);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function copyOwnerAndMode(file: number, temporary: string, { uid, gid, mode }: Stats): void {
  const made = statSync(temporary);
  if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o7777);
}

/** A change of one file, which is shown before it is made. */
export interface PlannedChange {
  readonly file: EditedFile;
  /** Undefined: the file is removed. */
  readonly content: Buffer | undefined;
  /** Says what will happen to the file: a sentence, and the lines it is about. */
  readonly announcement: string;
  /** What a person can do where the file cannot be written. */
  readonly byHand: string;
}

export const yesFlag: FlagSpec = {
  name: "yes",
  short: "y",
  type: "bool",
  default: "false",
  usage: "Make the changes that are shown, without a question.",
};

export interface Agreement {
  /** --yes. */
  readonly isGiven: boolean;
  readonly streams: Streams;
}

/** Shows the changes and asks whether to make them; only "y" agrees. @throws where stdin is not a terminal and --yes is not given */
export async function areAgreed(changes: readonly PlannedChange[], { isGiven, streams }: Agreement): Promise<boolean> {
  // A question that goes to a file is seen by no person.
  const shown = streams.out.isTTY === true || isGiven ? streams.out : streams.err;
  for (const { announcement } of changes) shown.write(`${announcement}\n\n`);
  if (isGiven) return true;
  if (streams.in.isTTY !== true) {
    throw new Error("stdin is no terminal to ask on, so nothing was changed: give --yes to make these changes");
  }
  shown.write("Do you want to continue? (y/N): ");
  if ((await firstLine(streams.in)).trim().toLowerCase() === "y") return true;
  shown.write("nothing was changed\n");
  return false;
}

/** Makes one change of a file. @throws the error with advice on how to make the change by hand */
export function makeChange({ file, content, byHand }: PlannedChange, random: Random): void {
  try {
    writeEdited(file, content, random);
  } catch (error) {
    throw withAdvice(error, byHand);
  }
}

export function withAdvice(error: unknown, byHand: string): Error {
  const message = errorMessage(error);
  return new Error(`${message}\n${byHand}`, { cause: error });
}

/** Indents lines of a file below the sentence above them. */
export const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join("\n");
