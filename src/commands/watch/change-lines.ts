import { inertLine } from "../../base/text/inert-text.js";
import { uidOf } from "../../cli/object-tree/summary.js";
import { object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { plainLook } from "../../printers/look.js";
import { logText } from "./screen-lines.js";
import type { Watched } from "./watched.js";

/**
 * A line for each change, for what is no terminal: of an object, an event, a log. The first word says which, and what others wrote takes one
 * line.
 */
export class ChangeLines {
  readonly #out: (line: string) => void;
  readonly #err: (line: string) => void;
  #objects: ReadonlyMap<string, string> = new Map();
  #events: Watched["events"] = [];
  /** The last version of each event that was written, by its uid. */
  #written: ReadonlyMap<string, string> = new Map();
  #lineCount = 0;
  #awaited = "";
  #problem = "";
  #notes = 0;

  constructor(out: (line: string) => void, err: (line: string) => void) {
    this.#out = out;
    this.#err = err;
  }

  /** Writes what has changed since it was called last. */
  show(watched: Watched): void {
    this.#showProblem(watched);
    this.#showTree(watched);
    if (watched.awaited !== this.#awaited) this.#write("awaited", (this.#awaited = watched.awaited));
    this.#showEvents(watched.events);
    for (const line of watched.lastLines(watched.lineCount - this.#lineCount)) {
      this.#write("log", logText(line, plainLook));
    }
    this.#lineCount = watched.lineCount;
  }

  #showProblem({ problem, notes }: Watched): void {
    if (problem !== "" && this.#problem === "") this.#err(`error: the server is asked again: ${inertLine(problem)}\n`);
    if (problem === "" && this.#problem !== "") this.#err("The server answers again.\n");
    this.#problem = problem;
    if (notes.size === this.#notes) return;
    for (const note of [...notes].slice(this.#notes)) this.#err(`Warning: not looked at: ${inertLine(note)}\n`);
    this.#notes = notes.size;
  }

  #showTree({ tree }: Watched): void {
    const now = new Map<string, string>();
    for (const { object: found } of tree) {
      const key = `${uidOf(found)} ${found.title}`;
      const state = [found.ready, found.status].filter((part) => part !== "").join(" ") || "-";
      now.set(key, state);
      if (this.#objects.get(key) !== state) this.#write("object", `${found.title}: ${state}`);
    }
    for (const key of this.#objects.keys()) {
      if (!now.has(key)) this.#write("object", `${key.slice(key.indexOf(" ") + 1)}: gone`);
    }
    this.#objects = now;
  }

  /** An event that was seen again is written again. */
  #showEvents(events: Watched["events"]): void {
    if (events === this.#events) return;
    this.#events = events;
    const written = new Map<string, string>();
    for (const event of events) {
      const { uid = "", resourceVersion = "" } = event.metadata ?? {};
      written.set(uid, resourceVersion);
      if (this.#written.get(uid) !== resourceVersion) this.#write("event", eventText(event));
    }
    this.#written = written;
  }

  #write(what: string, line: string): void {
    this.#out(`${what} ${inertLine(line)}\n`);
  }
}

/** "pod/web-1: Warning BackOff: the container starts again" */
function eventText({ involvedObject, type, reason, message }: KubeObject): string {
  const { kind, name } = object(involvedObject);
  const [word, why, what] = [type, reason, message].map((value) => text(value).trim());
  return `${text(kind).toLowerCase()}/${text(name)}: ${word} ${why}: ${what}`;
}
