import type { DeviceNode } from "./files/node.js";
import type { AnswerConnection } from "./ports.js";
import type { Program } from "./program.js";

/** The files, programs and entrypoint of an image's containers. All of it may be left out. */
export interface ScriptedImage {
  /** What runs when the pod names no command: a program, or a command line. Default: sleep until a signal comes. */
  readonly entrypoint?: Program | readonly string[];
  /** Programs beside the usual ones, by name ("psql", which lies in /usr/local/bin) or by absolute path. */
  readonly programs?: Readonly<Record<string, Program>>;
  /** False: an image without a shell and its programs. Default true. */
  readonly shell?: boolean;
  /** Names of the usual programs that the image lacks: ["tar"]. */
  readonly without?: readonly string[];
  /** Files by absolute path: their content, or a device that makes their bytes. */
  readonly files?: Readonly<Record<string, string | Uint8Array | Pick<DeviceNode, "read" | "write" | "size">>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  /** Ports that are answered while the container runs, without a program that listens. */
  readonly ports?: Readonly<Record<number, AnswerConnection>>;
  /** How many bytes of files fit into a container. Default 128 MiB. */
  readonly capacity?: number;
}
