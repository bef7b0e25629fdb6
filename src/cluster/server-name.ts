import { withoutTrailing } from "../base/text/without-trailing.js";
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { errorCode } from "../base/files/path-error.js";
import { makeOwnFolder } from "../base/files/private-files.js";
import type { Random } from "../base/numbers/random.js";

/** The identity of a server among those that share a storage. */
export interface ServerName {
  readonly name: string;
  /** Gives the name back: the next start in the same data folder may take it. */
  release(): void;
}

/** Thrown for a server's name that is invalid or in use; the message says what to do. */
export class ServerNameError extends Error {
  override readonly name = "ServerNameError";
}

/** "NAME-node-25000" is a label's value too, of at most 63 characters. */
const LONGEST = 50;
const LONGEST_HOST = 40;
const VALID = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Throws a ServerNameError for a name that cannot begin the names of nodes, and for any name where no other server shares the storage. */
export function checkServerName(name: string, isShared: boolean): void {
  if (!isShared) {
    const quoted = JSON.stringify(name);
    throw new ServerNameError(
      `the server name ${quoted} has no effect: only servers on an etcd have names; leave it out`,
    );
  }
  if (name.length <= LONGEST && VALID.test(name)) return;
  throw new ServerNameError(
    `invalid server name ${JSON.stringify(name)}: use lower-case letters, digits, "-" and ".", at most ${LONGEST}, beginning and ending with a letter or digit`,
  );
}

export interface ServerNameOptions {
  /** What the user gave. */
  readonly given?: string | undefined;
  /** The data folder; undefined where the server keeps nothing. */
  readonly folder: string | undefined;
  /** The port that was asked for; 0 for any. */
  readonly wantedPort: number;
  /** The port that the server has; undefined without one. */
  readonly port: number | undefined;
  readonly random: Random;
}

/**
 * Chooses the name of a server: the given one, else the one in the data folder for this port, else host name and port, which it
 * stores in the folder. Servers may share a folder: only one process has a name at a time. Throws a ServerNameError for a given
 * name that another process has.
 */
export function claimServerName({ given, folder, wantedPort, port, random }: ServerNameOptions): ServerName {
  const fresh = (): string => `${hostPart()}-${port ?? Buffer.from(random.bytes(4)).toString("hex")}`;
  if (folder === undefined) return { name: given ?? fresh(), release() {} };
  const names = new NamesOfFolder(join(folder, "servers"));
  if (given !== undefined) {
    const release = names.claim(given);
    if (release === undefined) throw new ServerNameError(names.refusal(given));
    names.keep(given, { wantedPort, port });
    return { name: given, release };
  }
  for (const { name, ...kept } of names.all()) {
    // A port that was asked for is one server's. A server that takes any port may have had another one.
    if (wantedPort === 0 ? kept.wantedPort !== 0 : kept.port !== wantedPort) continue;
    const release = names.claim(name);
    if (release === undefined) continue;
    names.keep(name, { wantedPort: kept.wantedPort, port });
    return { name, release };
  }
  for (let name = fresh(); ; name = `${hostPart()}-${Buffer.from(random.bytes(4)).toString("hex")}`) {
    const release = names.claim(name);
    if (release === undefined) continue;
    names.keep(name, { wantedPort, port });
    return { name, release };
  }
}

/** This machine's name as it may begin the name of a node. */
function hostPart(): string {
  const words = hostname()
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== "");
  const host = withoutTrailing(words.join("-").slice(0, LONGEST_HOST), "-");
  return host === "" ? "server" : host;
}

interface KeptName {
  readonly wantedPort: number;
  readonly port: number | undefined;
}

/** Claims that this process holds: a lock of its own process id that is not among them was left by an earlier process. */
const HELD = new Set<string>();

/** The names in a data folder: a file "NAME.json" each, and a lock "NAME.lock" while a process has it. */
class NamesOfFolder {
  constructor(private readonly folder: string) {
    makeOwnFolder(folder);
  }

  /** The last one that was kept comes first. */
  all(): readonly (KeptName & { readonly name: string })[] {
    const files = readdirSync(this.folder).filter((file) => file.endsWith(".json"));
    const found = files.flatMap((file) => {
      try {
        const path = join(this.folder, file);
        const kept = JSON.parse(readFileSync(path, "utf8")) as KeptName;
        return [{ ...kept, name: file.slice(0, -".json".length), time: statSync(path).mtimeMs }];
      } catch {
        // It was just removed, or a crash cut it off: the server makes another name.
        return [];
      }
    });
    return found.toSorted((a, b) => b.time - a.time);
  }

  keep(name: string, kept: KeptName): void {
    writeFileSync(join(this.folder, `${name}.json`), `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  }

  /** Undefined where another process has the name. */
  claim(name: string): (() => void) | undefined {
    const path = this.#lock(name);
    // A lock is there whole or not at all: an empty one would look left over.
    const whole = `${path}.${process.pid}.new`;
    writeFileSync(whole, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
    try {
      for (let tries = 0; tries < 2; tries++) {
        if (tries > 0) rmSync(path, { force: true });
        if (linked(whole, path)) {
          HELD.add(path);
          return () => {
            if (HELD.delete(path)) rmSync(path, { force: true });
          };
        }
        if (this.#holder(name) !== undefined) return undefined;
      }
      return undefined;
    } finally {
      rmSync(whole, { force: true });
    }
  }

  refusal(name: string): string {
    const { pid, host } = this.#holder(name) ?? { pid: 0, host: "" };
    const elsewhere = host === hostname() ? "" : ` on host ${host}; if that has ended, remove ${this.#lock(name)}`;
    return `the server name ${JSON.stringify(name)} is in use by process ${pid}${elsewhere}; give this server another one`;
  }

  /** Whose lock it is; undefined for one that is left over. */
  #holder(name: string): { readonly pid: number; readonly host: string } | undefined {
    const path = this.#lock(name);
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
    const [, pid = "0", host = ""] = /^(\d+) (.*)\n$/.exec(text) ?? [];
    const holder = { pid: Number(pid), host };
    if (host !== "" && host !== hostname()) return holder;
    if (holder.pid === process.pid) return HELD.has(path) ? holder : undefined;
    return isAlive(holder.pid) ? holder : undefined;
  }

  #lock(name: string): string {
    return join(this.folder, `${name}.lock`);
  }
}

/** False where there is such a file already. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
