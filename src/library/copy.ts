import type { CopyMessages } from "../actions/copy/exec-in-pod.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { isRemoteCommandExit } from "../machinery/wire/streams/remote-command.js";
import { foundPod } from "./found-pod.js";

/** The path of a file or folder in a container. */
export interface PodPath {
  /** A pod's name, or what runs pods: "deployment/web". */
  readonly pod: string;
  readonly path: string;
  /** Default: the client's. */
  readonly namespace?: string;
  /** Default: the pod's default container. */
  readonly container?: string;
}

export interface CpOptions {
  readonly signal?: AbortSignal;
  /** File by file by the container's shell and cat, for an image without tar. Default false. */
  readonly noTar?: boolean;
  /** File by file; what is there already is not copied again. Default false. */
  readonly resume?: boolean;
  /** How often a copy from a pod by tar goes on after its connection broke; less than 0 is always. Default 0. */
  readonly retries?: number;
  /** What is copied into a pod gets the owner and the permissions of new files there. Default false. */
  readonly noPreserve?: boolean;
  /** What was left out, a line each: links, devices, what lies outside of the destination. */
  readonly onWarning?: (line: string) => void;
  /** `size` in bytes, where it is known. */
  readonly onProgress?: (progress: { readonly path: string; readonly copied: number; readonly size?: number }) => void;
}

/**
 * Copies a file or folder from this machine to a container or back, as `kubectl cp` does: a string is a local path. Nothing is written
 * outside of the destination. Throws with what the container's programs say where they fail.
 */
export async function cp(
  client: KubernetesClient,
  source: string | PodPath,
  destination: string | PodPath,
  options: CpOptions,
): Promise<void> {
  const [from, to] = [
    typeof source === "object" ? source : undefined,
    typeof destination === "object" ? destination : undefined,
  ];
  const remote = from ?? to;
  if (remote === undefined || (from !== undefined && to !== undefined)) {
    throw new Error("cp copies between this machine and one pod: name the pod in source or in destination");
  }
  const signal = options.signal ?? new AbortController().signal;
  const { metadata } = await foundPod(client, remote.pod, { ...remote, signal });
  const { namespace = "", name = "" } = metadata ?? {};
  const said = new Said(options);
  const copying = {
    target: {
      client: client.rest,
      webSockets: true,
      requestTimeout: 0,
      namespace,
      pod: name,
      container: remote.container ?? "",
    },
    source: typeof source === "string" ? source : source.path,
    destination: typeof destination === "string" ? destination : destination.path,
    givenNamespace: namespace,
    program: "kubets",
    retries: options.retries ?? 0,
    resume: options.resume ?? false,
    noPreserve: options.noPreserve ?? false,
    cwd: process.cwd(),
    platform: process.platform,
    messages: said,
    signal,
  };
  const fileByFile = options.noTar === true || options.resume === true;
  try {
    if (from !== undefined && fileByFile) {
      await (await import("../actions/copy/copy-files-from-pod.js")).copyFilesFromPod(copying);
    } else if (from !== undefined) await (await import("../actions/copy/copy-from-pod.js")).copyFromPod(copying);
    else if (fileByFile) await (await import("../actions/copy/copy-files-to-pod.js")).copyFilesToPod(copying);
    else await (await import("../actions/copy/copy-to-pod.js")).copyToPod(copying);
  } catch (error) {
    signal.throwIfAborted();
    if (!isRemoteCommandExit(error) || said.lines.length === 0) throw error;
    throw new Error(`${error.message}: ${said.lines.join("\n")}`, { cause: error });
  }
}

const MOST_LINES = 20;

/** What a copy says: warnings go to the caller, and the last lines of all else stand in the error when it fails. */
class Said implements CopyMessages {
  readonly lines: string[] = [];

  constructor(private readonly options: Pick<CpOptions, "onWarning" | "onProgress">) {}

  async out(text: string | Uint8Array): Promise<void> {
    for (const line of Buffer.from(text).toString().split("\n")) {
      const [, warning] = /^warning: (.*)/.exec(line) ?? [];
      if (warning !== undefined) this.options.onWarning?.(warning);
      else if (line !== "") this.lines.push(line);
    }
    this.lines.splice(0, this.lines.length - MOST_LINES);
  }

  err(text: string | Uint8Array): Promise<void> {
    return this.out(text);
  }

  progress(path: string, copied: number, size?: number): void {
    this.options.onProgress?.({ path, copied, ...(size !== undefined && { size }) });
  }
}
