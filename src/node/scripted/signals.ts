import { dictionary } from "../../base/collections/dictionary.js";

/** Linux' numbers of the signals that programs are sent. */
const NUMBERS: Readonly<Record<string, number>> = dictionary({
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGTSTP: 20,
  SIGWINCH: 28,
});

/** Signals that do nothing to a program that does not handle them. A scripted program cannot be stopped and continued. */
const IGNORED = new Set(["SIGCHLD", "SIGCONT", "SIGTSTP", "SIGWINCH"]);

export const signalNumber = (name: string): number => NUMBERS[name] ?? NUMBERS["SIGTERM"] ?? 15;

export const isIgnoredByDefault = (name: string): boolean => IGNORED.has(name);

/** The signal for a name: "TERM", "SIGTERM" and "15" name SIGTERM; undefined for an unknown name. */
export function signalNamed(text: string): string | undefined {
  const upper = text.toUpperCase();
  const name = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (NUMBERS[name] !== undefined) return name;
  return Object.entries(NUMBERS).find(([, number]) => String(number) === text)?.[0];
}

/** "HUP", "INT" and so on, in the order of their numbers. */
export const signalNames = (): readonly string[] => Object.keys(NUMBERS).map((name) => name.slice("SIG".length));
