import {
  EditGivenUpError,
  type EditEnd,
  editLoop,
  type EditLoopOptions,
  type EditRound,
  type EditFailure,
  type EditReason,
} from "../../actions/edit/edit-loop.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Printer } from "../../printers/printer.js";
import type { Info } from "../../resource/info.js";
import { requireNamespace } from "../../resource/namespaces.js";
import { silentExit } from "../errors.js";
import type { Streams, Factory } from "../connect/factory.js";
import { removeTemp, makeTempFile } from "./temp-files.js";
import { messageOf } from "../error-boundary.js";
import { noCompatiblePrinter, type PrintRequest, structuredPrinter } from "../../printers/formats.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";
import { errorCode, PathError } from "../../base/files/path-error.js";

/** Returns kubectl's line about an object that was not saved. */
export function failureLine(failure: EditFailure, error: unknown, info: Info): string {
  if (failure === "invalid") return `error: ${named(info)} is invalid`;
  if (failure === "notFound") return `error: ${named(info)} could not be found on the server`;
  return `error: ${named(info)} could not be patched: ${messageOf(error)}`;
}

/** Returns the reasons as comment lines for the file that is edited again; "" without reasons. */
const reasonComments = (reasons: readonly EditReason[]): string => reasons.map(commentOf).join("");

function commentOf(reason: EditReason): string {
  const details = detailsOf(reason);
  const end = details.length > 0 ? ":" : "";
  return `# ${commented(headOf(reason))}${end}\n${details.map((text) => `# * ${commented(text)}\n`).join("")}#\n`;
}

const headOf = (reason: EditReason): string =>
  reason.type === "syntax"
    ? `The edited file had a syntax error: ${messageOf(reason.error)}`
    : `${named(reason.info)} was not valid`;

function detailsOf(reason: EditReason): readonly string[] {
  if (reason.type === "syntax") return [];
  if (reason.type === "schema") {
    return [`<nil>: Invalid value: "The edited file failed validation": ${messageOf(reason.error)}`];
  }
  const causes = reason.error.status.details?.causes ?? [];
  return causes.map(({ field = "", message = "" }) => `${field}: ${message}`);
}

function named({ mapping, name }: Info): string {
  const { group, resource } = mapping.resource;
  return `${group === "" ? resource : `${resource}.${group}`} ${goQuote(name)}`;
}

/** Keeps text of several lines inside the comment. */
const commented = (text: string): string => text.replace(/\n(?=[^#])/g, "\n# ");

export interface EditOptions extends Pick<EditLoopOptions, "read" | "save"> {
  /** Comment lines that say what is being edited; not shown above JSON. */
  readonly header: string;
  /** Prints what is edited. Throws for a format that cannot be edited. */
  readonly printer: () => Printer;
  readonly json: boolean;
  readonly windowsLineEndings: boolean;
  /** Called with the edited text as JSON; throws the faults to be corrected. */
  readonly validate: ((json: string) => Promise<void>) | undefined;
  /** The only namespace that the objects may be in. */
  readonly namespace: string;
  readonly host: EditorHost & { readonly program: string; readonly streams: Streams };
}

/** The comment lines above objects in the editor. */
export const OBJECT_HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/**
 * Opens the user's editor on a file with all objects, and sends the changes. While there are faults that editing can correct, the
 * editor opens again with the faults in comments. When changes could not be sent, the file is kept, and stderr names it.
 */
export async function editInEditor(infos: readonly Info[], options: EditOptions): Promise<void> {
  const session = new TerminalEdit(options);
  const end = await editLoop(infos, {
    print: (object) => session.print(object),
    editor: (round) => session.edit(round),
    validate: options.validate,
    read: options.read,
    refused: (reason) => {
      if (reason.type === "schema")
        options.host.streams.err.write(`${failureLine("invalid", reason.error, reason.info)}\n`);
    },
    save: async (edited, failed) => {
      const settle = requireNamespace(options.namespace);
      for (const info of edited) await settle(info);
      await options.save(edited, failed);
    },
  }).catch(async (error: unknown) => {
    await session.fail(error);
    throw error;
  });
  await session.conclude(end);
}

/** The files of one edit. Each round writes a new file. */
class TerminalEdit {
  /** The file of the last round; "" before the first. */
  private path = "";
  /** The file of the round before it. */
  private stale = "";

  constructor(private readonly options: EditOptions) {}

  print(object: KubeObject): string {
    let text = "";
    this.options.printer().print(object, (piece) => (text += piece));
    return this.endLines(text);
  }

  async edit({ document, reasons }: EditRound): Promise<string> {
    const { header, host, json } = this.options;
    await this.removeStale();
    const above = json ? "" : this.endLines(header + reasonComments(reasons));
    const { path, text } = await editText(`${host.program}-edit-`, json ? ".json" : ".yaml", above + document, host);
    this.stale = this.path;
    this.path = path;
    return text;
  }

  /** Ends with the error, and says where the edited file is. */
  async fail(error: unknown): Promise<void> {
    if (!(error instanceof EditGivenUpError)) await this.removeStale();
    if (this.path === "" || !this.options.host.files.existsSync(this.path)) return;
    this.options.host.streams.err.write(`A copy of your changes has been stored to ${goQuote(this.path)}\n`);
  }

  async conclude(end: EditEnd): Promise<void> {
    const { program, streams } = this.options.host;
    await this.removeStale();
    if (end.type === "unsaved") {
      streams.err.write(
        end.why === "retryable"
          ? `You can run \`${program} replace -f ${this.path}\` to try this update again.\n`
          : `The edits you made on deleted resources have been saved to ${goQuote(this.path)}\n`,
      );
      throw silentExit();
    }
    removeTemp(this.path, this.options.host);
    if (end.type === "saved") return;
    const why = end.why === "unchanged" ? "no changes made" : "saved file was empty";
    streams.err.write(`Edit cancelled, ${why}.\n`);
  }

  private async removeStale(): Promise<void> {
    const { stale } = this;
    this.stale = "";
    if (stale !== "") removeTemp(stale, this.options.host);
  }

  private endLines(text: string): string {
    return this.options.windowsLineEndings ? text.replaceAll("\n", "\r\n") : text;
  }
}

/** Whether an editor gets CRLF. */
export const windowsLineEndingsFlag: FlagSpec = {
  name: "windows-line-endings",
  type: "bool",
  usage: "End lines as Windows does. By default they end as on this platform",
};

export const readWindowsLineEndings = (flags: Flags, { platform }: Pick<Factory, "platform">): boolean =>
  flags.changed("windows-line-endings") ? flags.bool("windows-line-endings") : platform === "win32";

/** Returns the options of editing that -o and the platform decide. */
export function editFormat(request: PrintRequest): Pick<EditOptions, "json" | "printer"> {
  const format = request.output === "" ? "yaml" : request.output;
  return { json: request.output === "json", printer: () => editPrinter(request, format) };
}

const FORMATS = ["json", "yaml", "kyaml"];

function editPrinter(request: PrintRequest, format: string): Printer {
  const known = FORMATS.includes(format.toLowerCase());
  const printer = known
    ? structuredPrinter({ ...request, showManagedFields: false, look: undefined }, format)
    : undefined;
  if (printer === undefined) throw noCompatiblePrinter(format, FORMATS);
  return printer;
}

/** Returns a reader of edited text, which does not GET the objects again. */
export const editedReader =
  ({ builder }: Pick<Factory, "builder">): EditOptions["read"] =>
  async (text) => {
    const result = await (await builder()).text("edited-file", text).continueOnError().flatten().do();
    return result.infos();
  };

/** The parts of the factory that an editor needs. */
type EditorHost = Pick<Factory, "env" | "files" | "platform" | "random" | "runProgram">;

/** The text after editing, and the file that holds it. The caller removes the file. */
export interface EditedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes `text` to a new temporary file, opens the user's editor on it and returns the text of the file afterwards. Throws when the editor
 * cannot be started or fails; the file then stays.
 */
async function editText(prefix: string, suffix: string, text: string, host: EditorHost): Promise<EditedFile> {
  const path = makeTempFile(prefix, suffix, text, host);
  const editor = editorCommand(host);
  const [program = "", ...args] = argumentsFor(editor, path, host.platform);
  const named = goQuote(editor.words.join(" "));
  const { code } = await host.runProgram(program, args).catch((error: unknown) => {
    const isName = !/[/\\]/.test(program);
    if (errorCode(error) === "ENOENT" && isName)
      throw new Error(`unable to launch the editor ${named}`, { cause: error });
    throw new Error(`there was a problem with the editor ${named}`, { cause: error });
  });
  if (code !== 0) throw new Error(`there was a problem with the editor ${named}`);
  const edited = await host.files.readFile(path).catch((error: unknown) => {
    throw new PathError("open", path, error);
  });
  return { path, text: edited.toString("utf8") };
}

interface EditorCommand {
  readonly words: readonly string[];
  /** True when the last word is a command line for the shell that the other words name. */
  readonly shell: boolean;
}

/**
 * Returns the command of KUBE_EDITOR, else of EDITOR, else the platform's own editor. Words are split at spaces; the user's shell interprets
 * quotes.
 */
export function editorCommand({ env, platform }: Pick<EditorHost, "env" | "platform">): EditorCommand {
  const windows = platform === "win32";
  const line = env["KUBE_EDITOR"] || env["EDITOR"] || (windows ? "notepad" : "vi");
  if (!/["'\\]/.test(line) || !line.includes(" ")) return { words: line.split(" "), shell: false };
  const shell = env["SHELL"] || (windows ? "cmd" : "/bin/bash");
  return { words: [shell, shell === "cmd" ? "/C" : "-c", line], shell: true };
}

function argumentsFor({ words, shell }: EditorCommand, path: string, platform: NodeJS.Platform): readonly string[] {
  if (!shell) return [...words, path];
  const line = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (platform === "win32" && words[0] === "cmd") return [...before, `"${line} "${path.replaceAll('"', '""')}""`];
  return [...before, `${line} ${goQuote(path)}`];
}
