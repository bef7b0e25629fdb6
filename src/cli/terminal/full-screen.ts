import { givesKeys, takeKeys } from "../container-session/raw-mode.js";
import { StandardInput } from "../container-session/standard-input.js";
import type { Factory } from "../connect/factory.js";
import { showsUtf8 } from "./terminal-charset.js";
import { type Key, keysOf } from "./terminal-keys.js";
import { TerminalScreen } from "./terminal-screen.js";

/** What a program on the whole terminal needs of a factory. */
export type FullScreenHost = Pick<Factory, "streams" | "colours" | "env" | "platform">;

/** The whole terminal, until it is closed. */
export interface FullScreen {
  readonly screen: TerminalScreen;
  /** Undefined where stdin is no terminal. */
  readonly keys: AsyncGenerator<Key, void> | undefined;
  /** Gives the terminal back. Synchronous; may be called again. */
  readonly close: () => void;
}

/** Whether stdout is a terminal that can be drawn on. */
export const canDraw = ({ streams, env }: Pick<FullScreenHost, "streams" | "env">): boolean =>
  streams.out.isTTY === true && env["TERM"] !== "dumb";

/** Whether the user can see a screen and press keys. */
export const canAsk = (host: Pick<FullScreenHost, "streams" | "env">): boolean =>
  canDraw(host) && givesKeys(host.streams.in);

/** Takes the whole terminal. It is given back by `close` or when `signal` aborts, whichever comes first; the keys end then. */
export function openFullScreen(host: FullScreenHost, signal: AbortSignal): FullScreen {
  const { out, in: stdin } = host.streams;
  const input = canAsk(host) ? new StandardInput(stdin) : undefined;
  const giveBack = input === undefined ? undefined : takeKeys(stdin);
  const utf8 = showsUtf8(host.env, host.platform);
  const screen = new TerminalScreen({ out, utf8, code: (sequence) => host.colours.code(out, sequence) });
  const close = (): void => {
    screen.leave();
    giveBack?.();
    input?.stop();
    signal.removeEventListener("abort", close);
  };
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  return { screen, keys: input && keysOf(input), close };
}
