import { dictionary } from "../../../../base/collections/dictionary.js";
import { absolute } from "../../files/file-system.js";
import { type FileNode, sizeOf } from "../../files/node.js";
import { Glob } from "../../shell/expansion/glob.js";
import { workInSlices } from "../../slices.js";
import { formatDate } from "../dates/format-date.js";
import { errnoText, ProgramFailure } from "../gnu-program.js";
import { latin } from "../latin-text.js";
import { posixRegexp, RegexpError } from "../posix-regexp.js";
import { groupId, groupName, userId, userName } from "../users.js";
import type { Entry, FindParser, Predicate, Walk } from "./find-expression.js";
import { runCommand } from "./run-command.js";

type MakePredicate = (parser: FindParser, word: string) => Predicate;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const TYPES: Readonly<Record<string, FileNode["kind"] | "none">> = dictionary({
  f: "file",
  d: "directory",
  l: "link",
  c: "device",
  b: "none",
  p: "none",
  s: "none",
});
const SIZES: Readonly<Record<string, number>> = dictionary({
  "": 512,
  b: 512,
  c: 1,
  w: 2,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
});
/** A batch of -exec ... + has so many files, and so many characters, at most. */
const BATCH_FILES = 1024;
const BATCH_LENGTH = 128 * 1024;

/** +N, -N or N. */
function comparison(text: string, word: string): (value: number) => boolean {
  const [, sign, digits] = /^([-+]?)(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (digits === undefined) throw new ProgramFailure(`invalid argument \`${text}' to \`${word}'`);
  const number = Number(digits);
  if (sign === "+") return (value) => value > number;
  return sign === "-" ? (value) => value < number : (value) => value === number;
}

const glob =
  (subject: (entry: Entry) => string, ignoresCase: boolean): MakePredicate =>
  (parser, word) => {
    const text = parser.argument(word);
    const pattern = Glob.of([{ text: ignoresCase ? text.toLowerCase() : text, quoted: false }]);
    return (entry, walk) => {
      const value = subject(entry);
      return workInSlices(pattern.matches(ignoresCase ? value.toLowerCase() : value), walk.io);
    };
  };

/** find's own syntax has groups with a backslash, and repetitions without one. */
const regex =
  (ignoreCase: boolean): MakePredicate =>
  (parser, word) => {
    const text = latin(parser.argument(word));
    const source = text.replace(/\\([()|{}])|[(){}|]/g, (whole, char: string | undefined) => char ?? `\\${whole}`);
    try {
      const regexp = posixRegexp(`^(${source})$`, { extended: true, ignoreCase, lenient: true });
      return ({ path }) => regexp.exec(latin(path)) !== undefined;
    } catch (error) {
      if (error instanceof RegexpError)
        throw new ProgramFailure(`failed to compile regular expression '${text}': ${error.message}`);
      throw error;
    }
  };

const age =
  (unit: number): MakePredicate =>
  (parser, word) => {
    const chooses = comparison(parser.argument(word), word);
    return ({ node }, { now }) => chooses(Math.floor((now - node.mtime * 1000) / unit));
  };

const newer: MakePredicate = (parser, word) => {
  const file = parser.argument(word);
  let mtime: number;
  try {
    mtime = parser.io.files.find(absolute(parser.io.cwd, file)).mtime;
  } catch (error) {
    throw new ProgramFailure(`'${file}': ${errnoText(error)}`);
  }
  return ({ node }) => node.mtime > mtime;
};

const depth =
  (name: "leastDepth" | "mostDepth"): MakePredicate =>
  (parser, word) => {
    const text = parser.argument(word);
    if (!/^\d+$/.test(text))
      throw new ProgramFailure(`Expected a positive decimal integer argument to ${word}, but got '${text}'`);
    parser.options[name] = Number(text);
    return () => true;
  };

const permissions: MakePredicate = (parser, word) => {
  const text = parser.argument(word);
  const [, how = "", octal, symbolic] = /^([-/]?)(?:([0-7]+)|((?:[ugoa]*[=+][rwx]+,?)+))$/.exec(text) ?? [];
  if (octal === undefined && symbolic === undefined) throw new ProgramFailure(`invalid mode '${text}'`);
  const mode = octal === undefined ? symbolicMode(symbolic ?? "") : Number.parseInt(octal, 8);
  return ({ node }) => {
    const bits = node.mode & 0o7777;
    if (how === "") return bits === mode;
    return how === "-" ? (bits & mode) === mode : mode === 0 || (bits & mode) !== 0;
  };
};

function symbolicMode(text: string): number {
  let mode = 0;
  for (const part of text.split(",")) {
    const [who = "", letters = ""] = part.split(/[=+]/);
    let bits = 0;
    for (const letter of letters) bits |= { r: 4, w: 2, x: 1 }[letter] ?? 0;
    for (const one of who === "" || who.includes("a") ? "ugo" : who) mode |= bits << ({ u: 6, g: 3 }[one] ?? 0);
  }
  return mode;
}

const owner =
  (field: "uid" | "gid", idOf: typeof userId): MakePredicate =>
  (parser, word) => {
    const text = parser.argument(word);
    const id = idOf(parser.io, text);
    if (id === undefined)
      throw new ProgramFailure(`'${text}' is not the name of a known ${field === "uid" ? "user" : "group"}`);
    return ({ node }) => node[field] === id;
  };

const always: MakePredicate = () => () => true;
const ignored: MakePredicate = (parser, word) => {
  parser.argument(word);
  return () => true;
};

/** Predicates that only test a file. */
export const TESTS: Readonly<Record<string, MakePredicate>> = {
  "-name": glob(({ name }) => name, false),
  "-iname": glob(({ name }) => name, true),
  "-path": glob(({ path }) => path, false),
  "-wholename": glob(({ path }) => path, false),
  "-ipath": glob(({ path }) => path, true),
  "-lname": glob(({ node }) => (node.kind === "link" ? node.target : ""), false),
  "-regex": regex(false),
  "-iregex": regex(true),
  "-regextype": ignored,
  "-type": (parser, word) => {
    const kinds = parser
      .argument(word)
      .split(",")
      .map((letter) => {
        const kind = TYPES[letter];
        if (kind === undefined) throw new ProgramFailure(`Unknown argument to ${word}: ${letter}`);
        return kind;
      });
    return ({ node }) => kinds.includes(node.kind === "device" && node.size !== undefined ? "file" : node.kind);
  },
  "-size": (parser, word) => {
    const text = parser.argument(word);
    const unit = /[a-zA-Z]?$/.exec(text)?.[0] ?? "";
    const size = SIZES[unit];
    if (size === undefined) throw new ProgramFailure(`invalid -size type \`${unit}'`);
    const chooses = comparison(unit === "" ? text : text.slice(0, -1), word);
    return ({ node }) => chooses(Math.ceil(sizeOf(node) / size));
  },
  "-empty":
    () =>
    ({ node }) =>
      node.kind === "directory" ? node.entries.size === 0 : node.kind !== "link" && sizeOf(node) === 0,
  "-newer": newer,
  "-anewer": newer,
  "-cnewer": newer,
  "-mtime": age(DAY_MS),
  "-atime": age(DAY_MS),
  "-ctime": age(DAY_MS),
  "-mmin": age(MINUTE_MS),
  "-amin": age(MINUTE_MS),
  "-cmin": age(MINUTE_MS),
  "-perm": permissions,
  "-user": owner("uid", userId),
  "-uid": owner("uid", userId),
  "-group": owner("gid", groupId),
  "-gid": owner("gid", groupId),
  "-nouser":
    () =>
    ({ node }, { io }) =>
      userName(io, node.uid) === undefined,
  "-nogroup":
    () =>
    ({ node }, { io }) =>
      groupName(io, node.gid) === undefined,
  "-executable":
    () =>
    ({ node }) =>
      (node.mode & 0o111) !== 0,
  "-readable": always,
  "-writable":
    () =>
    ({ path }, walk) =>
      walk.io.files.look(absolute(walk.io.cwd, path), { toWrite: true }) !== undefined,
  "-links": (parser, word) => {
    const chooses = comparison(parser.argument(word), word);
    return () => chooses(1);
  },
  "-true": always,
  "-false": () => () => false,
  "-maxdepth": depth("mostDepth"),
  "-mindepth": depth("leastDepth"),
  "-depth": (parser) => {
    parser.options.depthFirst = true;
    return () => true;
  },
  "-d": (parser) => {
    parser.options.depthFirst = true;
    return () => true;
  },
  "-xdev": always,
  "-mount": always,
  "-noleaf": always,
  "-daystart": always,
  "-ignore_readdir_race": always,
  "-noignore_readdir_race": always,
  "-warn": always,
  "-nowarn": always,
};

/** Predicates that act on a file: find prints nothing by itself where its expression has one other than -prune and -quit. */
export const ACTIONS: Readonly<Record<string, MakePredicate>> = {
  "-print":
    () =>
    async ({ path }, walk) => {
      await walk.write(`${path}\n`);
      return true;
    },
  "-print0":
    () =>
    async ({ path }, walk) => {
      await walk.write(`${path}\0`);
      return true;
    },
  "-printf": (parser, word) => {
    const format = parser.argument(word);
    return async (entry, walk) => {
      await walk.write(formatted(format, entry, walk));
      return true;
    };
  },
  "-ls": () => async (entry, walk) => {
    const arrow = entry.node.kind === "link" ? ` -> ${entry.node.target}` : "";
    await walk.write(formatted(`%9i %6k %M   1 %-8u %-8g %8s %Tb %Te %TH:%TM %p${arrow}\n`, entry, walk));
    return true;
  },
  "-exec": execute(false),
  "-execdir": execute(true),
  "-delete": (parser) => {
    parser.options.depthFirst = true;
    return async ({ path }, walk) => {
      if (path === ".") return true;
      try {
        walk.io.files.remove(absolute(walk.io.cwd, path), { directory: true });
        return true;
      } catch (error) {
        await walk.complain(`cannot delete '${path}': ${errnoText(error)}`);
        return false;
      }
    };
  },
  "-prune": () => (_entry, walk) => {
    walk.prune();
    return true;
  },
  "-quit": () => (_entry, walk) => {
    walk.quit();
    return true;
  },
};

function execute(inFolder: boolean): MakePredicate {
  return (parser, word) => {
    const { argv, isBatch } = parser.command(word);
    if (argv.length === 0) throw new ProgramFailure(`invalid argument \`;' to \`${word}'`);
    const run = async (walk: Walk, command: readonly string[], cwd: string | undefined): Promise<number> => {
      await walk.flush();
      const end = await runCommand(walk.io, command, cwd === undefined ? {} : { cwd });
      if ("reason" in end) await walk.say(`'${command[0] ?? ""}': ${end.reason}`);
      return end.code;
    };
    const folderOf = ({ path }: Entry, walk: Walk): string =>
      absolute(walk.io.cwd, path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".");
    if (!isBatch) {
      return async (entry, walk) => {
        const file = inFolder ? `./${entry.name}` : entry.path;
        const command = argv.map((arg) => arg.replaceAll("{}", () => file));
        return (await run(walk, command, inFolder ? folderOf(entry, walk) : undefined)) === 0;
      };
    }
    let files: string[] = [];
    let length = 0;
    let isWaiting = false;
    const runBatch = async (walk: Walk): Promise<void> => {
      if (files.length === 0) return;
      const command = [...argv, ...files];
      walk.io.memory.give(length);
      [files, length] = [[], 0];
      if ((await run(walk, command, undefined)) !== 0) walk.fail();
    };
    return async ({ path }, walk) => {
      if (!isWaiting) walk.atEnd(() => runBatch(walk));
      isWaiting = true;
      walk.io.memory.take(path.length + 1);
      length += path.length + 1;
      files.push(path);
      if (files.length >= BATCH_FILES || length >= BATCH_LENGTH) await runBatch(walk);
      return true;
    };
  };
}

const LETTERS: Readonly<Record<FileNode["kind"], string>> = { file: "f", directory: "d", link: "l", device: "c" };
const ESCAPES: Readonly<Record<string, string>> = dictionary({
  n: "\n",
  t: "\t",
  "0": "\0",
  "\\": "\\",
  a: "\x07",
  b: "\b",
  f: "\f",
  r: "\r",
  v: "\v",
});

function formatted(format: string, { path, name, start, depth: level, node }: Entry, { io }: Walk): string {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  const values: Readonly<Record<string, () => string>> = {
    p: () => path,
    f: () => name,
    h: () => folder,
    P: () => path.slice(start.length).replace(/^\//, ""),
    H: () => start,
    s: () => String(sizeOf(node)),
    y: () => LETTERS[node.kind],
    m: () => (node.mode & 0o7777).toString(8),
    M: () => `${node.kind === "file" ? "-" : LETTERS[node.kind]}${modeText(node.mode)}`,
    d: () => String(level),
    u: () => userName(io, node.uid) ?? String(node.uid),
    g: () => groupName(io, node.gid) ?? String(node.gid),
    U: () => String(node.uid),
    G: () => String(node.gid),
    l: () => (node.kind === "link" ? node.target : ""),
    i: () => "1",
    n: () => "1",
    k: () => String(Math.ceil(sizeOf(node) / 1024)),
    b: () => String(Math.ceil(sizeOf(node) / 512)),
    t: () => formatDate("%a %b %e %H:%M:%S.0000000000 %Y", node.mtime * 1000),
  };
  return format.replace(
    /\\([\\0abfnrtv])|%(-?\d*)(?:T(@|[A-Za-z+])|([A-Za-z%]))/g,
    (whole, escape: string | undefined, width = "", time: string | undefined, letter = "") => {
      if (escape !== undefined) return ESCAPES[escape] ?? whole;
      if (letter === "%") return "%";
      const value =
        time === undefined
          ? values[letter as string]?.()
          : time === "@"
            ? `${node.mtime}.0000000000`
            : formatDate(time === "+" ? "%Y-%m-%d+%H:%M:%S.0000000000" : `%${time}`, node.mtime * 1000);
      if (value === undefined) return whole;
      const size = Math.min(1024, Math.abs(Number(width)));
      return String(width).startsWith("-") ? value.padEnd(size) : value.padStart(size);
    },
  );
}

export function modeText(mode: number): string {
  const bits = (mode & 0o777).toString(2).padStart(9, "0");
  return Array.from(bits, (bit, index) => (bit === "1" ? "rwx"[index % 3] : "-")).join("");
}
