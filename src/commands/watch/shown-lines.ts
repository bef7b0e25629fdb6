import { inertLine } from "../../base/text/inert-text.js";
import { uidOf } from "../../cli/object-tree/summary.js";
import { object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { plainLook, headingCells, type Look, rowCells } from "../../printers/look.js";
import type { Watched, LogLine } from "./watched.js";
import { TREE_HEADINGS, treeCells } from "../../cli/object-tree/branches.js";
import type { ScreenSize } from "../../cli/terminal/terminal-screen.js";
import { interval } from "../../polymorphic-helpers/describe/events.js";
import { withoutCodes } from "../../printers/colours/display-width.js";
import { TabWriter } from "../../printers/tab-writer.js";

/**
 * Writes a line for each change where the output is not a terminal: of an object, an event or a log. The first word names which,
 * and text from others is made one line.
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

export interface ScreenView {
  /** "deployment.apps/web". */
  readonly title: string;
  /** "" for objects without one. */
  readonly namespace: string;
  /** How the screen is left: "q leaves". */
  readonly footer: string;
  /** Milliseconds. */
  readonly now: number;
  readonly look: Look;
}

const EVENT_HEADINGS = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

/**
 * The lines of the screen: the tree, the last events, the last log lines. Each part has a share of the rows, and the unused rows
 * of the others.
 */
export function screenLines(watched: Watched, view: ScreenView, { rows }: ScreenSize): readonly string[] {
  const { look, footer } = view;
  const muted = look.paint?.muted ?? ((text: string) => text);
  const above = headOf(watched, view);
  const below = [muted(inertLine([footer, ...notesOf(watched)].join("  ")))];
  const sections = [treeSection(watched, view), eventSection(watched, view), logSection(watched, view, rows)].filter(
    ({ lines }) => lines.length > 0,
  );
  const room = rows - above.length - below.length - sections.length;
  const shares = shareOut(
    Math.max(0, room),
    sections.map(({ lines }) => lines.length),
  );
  const middle = sections.flatMap((section, index) => partOf(section, shares[index] ?? 0));
  return [...[...above, ...middle].slice(0, Math.max(1, rows - below.length)), ...below];
}

function headOf({ problem, awaited, tree }: Watched, { title, namespace, look }: ScreenView): readonly string[] {
  const heading = look.paint?.heading ?? ((text: string) => text);
  const where = namespace === "" ? "" : ` in namespace ${namespace}`;
  const state = tree.length === 0 ? "is not there" : awaited;
  const lines = problem === "" ? [state] : [`error: the server is asked again: ${problem}`];
  const error = look.paint?.error ?? ((text: string) => text);
  return [
    heading(inertLine(title + where)),
    ...lines
      .filter((line) => line !== "")
      .map(inertLine)
      .map(error),
  ];
}

const notesOf = ({ notes }: Watched): readonly string[] =>
  notes.size === 0 ? [] : [`not looked at: ${[...notes].join(", ")}`];

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
  /** The rows that are left are of the first lines, and the last of them counts the others; else of the last lines. */
  readonly fromStart: boolean;
}

function treeSection({ tree }: Watched, { look, now }: ScreenView): Section {
  const rows = tree.map((branch) => treeCells(branch, now));
  return { ...table(TREE_HEADINGS, rows, look), fromStart: true };
}

function eventSection({ events }: Watched, { look, now }: ScreenView): Section {
  return {
    ...table(
      EVENT_HEADINGS,
      events.map((event) => eventCells(event, now)),
      look,
    ),
    fromStart: false,
  };
}

function eventCells(event: KubeObject, now: number): readonly string[] {
  const about = object(event.involvedObject);
  const words = [event.type, event.reason, `${text(about.kind).toLowerCase()}/${text(about.name)}`, event.message];
  return [interval(event, now), ...words.map((word) => text(word).trim())];
}

function logSection(watched: Watched, { look }: ScreenView, rows: number): Section {
  const heading = look.paint?.heading ?? ((text: string) => text);
  return {
    heading: heading("LOGS"),
    lines: watched.lastLines(rows).map((line) => logText(line, look)),
    fromStart: false,
  };
}

/** Colours of the program in the container are left out. */
function logText({ pod, container, text: line }: LogLine, { paint }: Look): string {
  const source = inertLine(`${pod} ${container}:`);
  return `${paint === undefined ? source : paint.source(pod, source)} ${inertLine(withoutCodes(line))}`;
}

/** Aligned lines. What others wrote in the cells is inert. */
function table(headings: readonly string[], rows: readonly (readonly string[])[], look: Look) {
  const pieces: string[] = [];
  const writer = new TabWriter((piece) => void pieces.push(piece), { measure: look.measure });
  writer.write(`${headingCells(look, headings).join("\t")}\n`);
  for (const cells of rows) writer.write(`${rowCells(look, headings, cells.map(inertLine)).join("\t")}\n`);
  writer.flush();
  const [heading = "", ...lines] = pieces.join("").split("\n").slice(0, -1);
  return { heading, lines };
}

function partOf({ heading, lines, fromStart }: Section, rows: number): readonly string[] {
  if (rows === 0) return [];
  if (rows >= lines.length) return [heading, ...lines];
  if (!fromStart) return [heading, ...lines.slice(lines.length - rows)];
  // In a single row the object itself says more than how many there are.
  if (rows === 1) return [heading, ...lines.slice(0, 1)];
  return [heading, ...lines.slice(0, rows - 1), `and ${lines.length - rows + 1} more`];
}

/** Divides rows among consumers, one each in turn, until none is left or all have what they want. The first consumers get the last rows. */
export function shareOut(rows: number, wanted: readonly number[]): readonly number[] {
  const shares = wanted.map(() => 0);
  for (let left = rows; left > 0; ) {
    const hungry = wanted.flatMap((want, index) => ((shares[index] ?? 0) < want ? [index] : []));
    if (hungry.length === 0) break;
    for (const index of hungry.slice(0, left)) shares[index] = (shares[index] ?? 0) + 1;
    left -= Math.min(left, hungry.length);
  }
  return shares;
}
