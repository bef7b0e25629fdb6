import { withoutLastSlash } from "../../actions/archive/local-names.js";

/** One of cp's two operands. */
export interface FileSpec {
  /** "" for a local file. */
  readonly pod: string;
  /** "" for the namespace in force. */
  readonly namespace: string;
  readonly path: string;
}

const BAD_FORMAT = "filespec must match the canonical format: [[namespace/]pod:]file/path";

/** A drive of Windows: no pod has a name in capitals, and no path in a container begins with a backslash. */
const DRIVE = /^([A-Z]:|[a-z]:\\)/;

/** Reads `[[namespace/]pod:]path`. Throws in kubectl's words. */
export function parseFileSpec(text: string, platform: NodeJS.Platform): FileSpec {
  const colon = platform === "win32" && DRIVE.test(text) ? -1 : text.indexOf(":");
  if (colon === 0) throw new Error(BAD_FORMAT);
  if (colon < 0) return { pod: "", namespace: "", path: withoutLastSlash(text) };
  const pieces = text.slice(0, colon).split("/");
  if (pieces.length > 2) throw new Error(BAD_FORMAT);
  const path = withoutLastSlash(text.slice(colon + 1)).replaceAll("\\", "/");
  return { pod: pieces.at(-1) ?? "", namespace: pieces.length === 2 ? (pieces[0] ?? "") : "", path };
}
