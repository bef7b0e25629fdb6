import { setTimeout as pause } from "node:timers/promises";
import { chosenContainer } from "../../polymorphic-helpers/pod-containers.js";
import { text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { runAndExit, type SessionHost } from "./container-command.js";
import { DETACH_KEYS, parseDetachKeys, untilDetached } from "./detach-keys.js";
import { interruptible } from "./interrupt.js";
import { isRaw, openSessionStreams } from "./session-streams.js";

export interface AttachOptions extends SessionHost {
  readonly pod: KubeObject;
  /** "" takes the pod's default container. */
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  /** As {@link parseDetachKeys} reads them; "" are the usual ones. */
  readonly detachKeys: string;
  /** How the user attaches again: "kubectl attach". */
  readonly commandName: string;
}

const RECORDED =
  "All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.";
const PRESS_ENTER = "If you don't see a command prompt, try pressing enter.";

/** How long the server has to end a session that the user has left, in milliseconds. */
const LEAVING = 500;

/**
 * Attaches to the program of a running container until that ends, or until the user presses the detach keys. It restores the
 * terminal before it throws in kubectl's words.
 */
export async function attachToContainer(options: AttachOptions): Promise<void> {
  const { pod, streams, stdin, quiet, signal } = options;
  const say = (line: string): void => {
    if (!quiet) streams.err.write(`${line}\n`);
  };
  const { container, field } = choose(options, say);
  const name = text(container.name);
  if (options.tty && container.tty !== true) {
    say(`error: Unable to use a TTY - container ${name} did not allocate one`);
  }
  // A program with a terminal is attached to with one, or what it writes could not be told apart.
  const raw = isRaw({ stdin, tty: container.tty === true }, streams, say);
  say(RECORDED);
  say(PRESS_ENTER);
  const session = await openSessionStreams({
    ...options,
    raw,
    host: options,
    // The second size is a change, at which full-screen programs draw anew.
    firstSizes: (size) => [{ width: size.width + 1, height: size.height + 1 }, size],
  });
  const left = new AbortController();
  try {
    const input = detachable(session.streams.stdin, raw, options.detachKeys, left);
    const command = { pod, subresource: "attach", container: name, stdin, stderr: !raw, tty: raw } as const;
    const ending = AbortSignal.any([signal, left.signal]);
    const attached = runAndExit(command, { ...session.streams, stdin: input }, options, ending);
    await interruptible(signal, attached, stdin && streams.in.isTTY === true ? 1 : undefined);
  } catch (error) {
    if (!left.signal.aborted || signal.aborted) throw error;
  } finally {
    session.close();
  }
  if (!quiet && raw) streams.out.write(`${resumeLine(name, field, options)}\n`);
}

function choose({ pod, container }: AttachOptions, say: (line: string) => void): ReturnType<typeof chosenContainer> {
  try {
    return chosenContainer(pod, container, say);
  } catch (error) {
    throw new Error(`cannot attach to the container: ${(error as Error).message}`, { cause: error });
  }
}

/** After the detach keys the server is given a moment to end the session; `left` then abandons it. */
function detachable(
  input: AsyncIterable<Uint8Array> | undefined,
  raw: boolean,
  detachKeys: string,
  left: AbortController,
): AsyncIterable<Uint8Array> | undefined {
  if (input === undefined || !raw) return input;
  let keys: Uint8Array;
  try {
    keys = parseDetachKeys(detachKeys || DETACH_KEYS);
  } catch (error) {
    throw new Error(`could not bind detach keys: ${(error as Error).message}`, { cause: error });
  }
  return untilDetached(input, keys, () => {
    void pause(LEAVING, undefined, { ref: false }).then(() => left.abort(new Error("detached")));
  });
}

function resumeLine(container: string, field: string, { pod, commandName }: AttachOptions): string {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  const again = `'${commandName} ${name} -c ${container} -n ${namespace} -i -t'`;
  return field === "ephemeralContainers"
    ? `Session ended, the ephemeral container will not be restarted but may be reattached using ${again} if it is still running`
    : `Session ended, resume using ${again} command`;
}
