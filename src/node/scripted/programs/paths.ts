import { FileError } from "../files/file-error.js";
import { absolute, normalPath } from "../files/file-system.js";
import type { Program, ProgramIo } from "../program.js";
import { errnoText, gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "./gnu-program.js";
import { baseName } from "./options.js";

/** Links that a path may lead over. */
const MOST_LINKS = 40;

/** Which names of a path may be missing. */
type Missing = "none" | "last" | "any";

/** Resolves links, "." and ".." in a path. Throws a {@link FileError}. */
export function canonicalPath({ files, cwd }: ProgramIo, path: string, missing: Missing): string {
  const waiting = absolute(cwd, path).split("/").reverse();
  const names: string[] = [];
  let links = 0;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      names.pop();
      continue;
    }
    const here = `/${[...names, name].join("/")}`;
    const node = files.look(here, { follow: false });
    const isLast = waiting.every((one) => one === "" || one === ".");
    if (node === undefined) {
      const parent = files.look(`/${names.join("/")}`);
      if (missing === "none" || (missing === "last" && !isLast))
        throw new FileError(parent === undefined || parent.kind === "directory" ? "ENOENT" : "ENOTDIR", path);
    }
    if (node?.kind !== "link") {
      names.push(name);
      continue;
    }
    if ((links += 1) > MOST_LINKS) throw new FileError("ELOOP", path);
    if (node.target.startsWith("/")) names.length = 0;
    waiting.push(...node.target.split("/").reverse());
  }
  return `/${names.join("/")}`;
}

const needsOperand = ({ operands }: ParsedOptions): void => {
  if (operands.length === 0) throw new UsageError("missing operand");
};
const endOf = ({ has }: ParsedOptions): string => (has("z") ? "\0" : "\n");

export const realpath: Program = gnuProgram(
  {
    letters: "emsqzLP",
    long: {
      "canonicalize-existing": "e",
      "canonicalize-missing": "m",
      strip: "s",
      "no-symlinks": "s",
      quiet: "q",
      zero: "z",
      "relative-to": "r:",
      "relative-base": "R:",
    },
  },
  async (io, options) => {
    needsOperand(options);
    const { has, operands, value } = options;
    const missing = has("e") ? "none" : has("m") ? "any" : "last";
    const resolve = (path: string): string => (has("s") ? normalPath(io.cwd, path) : canonicalPath(io, path, missing));
    const base = value("r") ?? value("R");
    const from = base === undefined ? undefined : resolve(base);
    let code = 0;
    for (const operand of operands) {
      try {
        if (operand === "") throw new FileError("ENOENT", operand);
        const path = resolve(operand);
        const isBelow = value("R") === undefined || from === undefined || `${path}/`.startsWith(`${from}/`);
        await io.stdout.write((from === undefined || !isBelow ? path : relative(from, path)) + endOf(options));
      } catch (error) {
        const message = errnoText(error);
        code = 1;
        if (!has("q")) await io.stderr.write(`realpath: ${operand === "" ? "''" : operand}: ${message}\n`);
      }
    }
    return code;
  },
);

function relative(from: string, to: string): string {
  const [a, b] = [from, to].map((path) => path.split("/").filter((name) => name !== ""));
  const [above = [], names = []] = [a, b];
  let same = 0;
  while (same < above.length && above[same] === names[same]) same += 1;
  return [...above.slice(same).map(() => ".."), ...names.slice(same)].join("/") || ".";
}

export const readlink: Program = gnuProgram(
  {
    letters: "femnqsvz",
    long: {
      canonicalize: "f",
      "canonicalize-existing": "e",
      "canonicalize-missing": "m",
      "no-newline": "n",
      zero: "z",
    },
  },
  async (io, options) => {
    needsOperand(options);
    const { has, operands } = options;
    let code = 0;
    for (const operand of operands) {
      try {
        const path = absolute(io.cwd, operand);
        let text: string;
        if (has("fem")) text = canonicalPath(io, operand, has("e") ? "none" : has("m") ? "any" : "last");
        else {
          const node = io.files.find(path, { follow: false });
          if (node.kind !== "link") throw new FileError("EINVAL", path);
          text = node.target;
        }
        await io.stdout.write(text + (has("n") && operands.length === 1 ? "" : endOf(options)));
      } catch (error) {
        const message = errnoText(error);
        code = 1;
        if (has("v")) await io.stderr.write(`readlink: ${operand}: ${message}\n`);
      }
    }
    return code;
  },
);

export const dirname: Program = gnuProgram({ letters: "z", long: { zero: "z" } }, async (io, options) => {
  needsOperand(options);
  for (const operand of options.operands) {
    const trimmed = trimSlashes(operand);
    const at = trimmed.lastIndexOf("/");
    const folder = at < 0 ? (operand.startsWith("/") ? "/" : ".") : trimSlashes(trimmed.slice(0, at)) || "/";
    await io.stdout.write(folder + endOf(options));
  }
  return 0;
});

/** A loop: a pattern would look for the end from each slash anew. */
function trimSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

export const basename: Program = gnuProgram(
  { letters: "+as:z", long: { multiple: "a", suffix: "s", zero: "z" } },
  async (io, options) => {
    needsOperand(options);
    const { has, operands, value } = options;
    const isMultiple = has("as");
    if (!isMultiple && operands.length > 2) throw new UsageError(`extra operand '${operands[2] ?? ""}'`);
    const suffix = isMultiple ? (value("s") ?? "") : (operands[1] ?? "");
    for (const operand of isMultiple ? operands : operands.slice(0, 1)) {
      const name = baseName(operand) || (operand === "" ? "" : "/");
      const isCut = suffix !== "" && name !== suffix && name.endsWith(suffix);
      await io.stdout.write((isCut ? name.slice(0, -suffix.length) : name) + endOf(options));
    }
    return 0;
  },
);

/** which, and which -a. */
export const which: Program = gnuProgram({ letters: "a" }, async (io, { has, operands }) => {
  let code = operands.length === 0 ? 1 : 0;
  for (const name of operands) {
    let isFound = false;
    const folders = name.includes("/") ? [""] : (io.env["PATH"] ?? "").split(":").map((folder) => `${folder || "."}/`);
    for (const folder of folders) {
      const node = io.files.look(absolute(io.cwd, `${folder}${name}`));
      if (node?.kind !== "file" || (node.mode & 0o111) === 0) continue;
      await io.stdout.write(`${folder}${name}\n`);
      isFound = true;
      if (!has("a")) break;
    }
    if (!isFound) code = 1;
  }
  return code;
});

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LEAST_LETTERS = 3;
/** How often a name that is taken is replaced by another one. */
const MOST_TRIES = 100;

export const mktemp: Program = gnuProgram(
  {
    letters: "dup:qt",
    long: { directory: "d", "dry-run": "u", quiet: "q", suffix: "s:", tmpdir: "T::" },
  },
  async (io, { has, operands, value }) => {
    const [template = "tmp.XXXXXXXXXX", extra] = operands;
    if (extra !== undefined) throw new UsageError("too many templates");
    const end = template.lastIndexOf("X") + 1;
    const given = value("s");
    if (given !== undefined && end !== template.length)
      throw new ProgramFailure(`with --suffix, template '${template}' must end in X`);
    const suffix = given ?? template.slice(end);
    if (suffix.includes("/")) throw new ProgramFailure(`invalid suffix '${suffix}', contains directory separator`);
    let start = end;
    while (template[start - 1] === "X") start -= 1;
    if (end - start < LEAST_LETTERS) throw new ProgramFailure(`too few X's in template '${template}'`);
    const usual = io.env["TMPDIR"] || "/tmp";
    let folder = "";
    if (has("t")) {
      if (template.includes("/"))
        throw new ProgramFailure(`invalid template, '${template}', contains directory separator`);
      folder = `${io.env["TMPDIR"] || value("p") || "/tmp"}/`;
    } else if (has("pT") || operands.length === 0) {
      if (template.startsWith("/"))
        throw new ProgramFailure(`invalid template, '${template}'; with --tmpdir, it may not be absolute`);
      folder = `${value("p") || value("T") || usual}/`;
    }
    folder = folder.replace(/\/\/$/, "/");
    for (let tries = 0; ; tries += 1) {
      const path = folder + template.slice(0, start) + (await randomLetters(io, end - start)) + suffix;
      try {
        await makeTemporary(io, path, has("d"), has("u"));
        await io.stdout.write(`${path}\n`);
        return 0;
      } catch (error) {
        const message = errnoText(error);
        if (error instanceof FileError && error.code === "EEXIST" && tries < MOST_TRIES) continue;
        if (has("q")) return 1;
        const kind = has("d") ? "directory" : "file";
        throw new ProgramFailure(
          `failed to create ${kind} via template '${folder}${template}${given ?? ""}': ${message}`,
        );
      }
    }
  },
);

async function makeTemporary(io: ProgramIo, path: string, isFolder: boolean, isDry: boolean): Promise<void> {
  const at = absolute(io.cwd, path);
  if (io.files.look(at, { follow: false }) !== undefined) throw new FileError("EEXIST", path);
  if (isDry) io.files.find(absolute(io.cwd, path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "."));
  else if (isFolder) io.files.makeDirectory(at, { mode: 0o700 });
  else io.files.open(at, { mode: 0o600 });
}

async function randomLetters(io: ProgramIo, count: number): Promise<string> {
  let letters = "";
  for await (const chunk of io.files.read("/dev/urandom")) {
    for (const byte of chunk) {
      // A byte above is left out, so that each letter is as likely as the others.
      if (byte < LETTERS.length * 4) letters += LETTERS[byte % LETTERS.length] ?? "";
      if (letters.length === count) return letters;
    }
  }
  throw new ProgramFailure("/dev/urandom is empty");
}
