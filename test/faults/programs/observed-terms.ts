import type { Observer, SeenWrite } from "./recording-proxy.js";

/** The terms of one component ("scheduler") among several processes, each behind a proxy, and what was written in and after them. */
export class ObservedTerms implements Observer {
  readonly #holders: { readonly program: string; readonly identity: string; writes: number }[] = [];
  readonly #late = new Map<string, string[]>();

  /** The program that leads, as "scheduler-0"; undefined before the first term. */
  get holder(): string | undefined {
    return this.#holders.at(-1)?.program;
  }

  get terms(): number {
    return this.#holders.length;
  }

  /** How many writes arrived within the terms. */
  get writes(): number {
    return this.#holders.reduce((sum, { writes }) => sum + writes, 0);
  }

  /** The writes that arrived when another process led by then, by the term that was over: "scheduler-0 after term 3". */
  get late(): ReadonlyMap<string, readonly string[]> {
    return this.#late;
  }

  arrived({ program, method, path, lease }: SeenWrite): void {
    if (lease !== undefined || isElectionEvent(path)) return;
    const current = this.#holders.at(-1);
    if (current?.program === program) {
      current.writes += 1;
      return;
    }
    const term = this.#holders.findLastIndex((one) => one.program === program);
    const name = `${program} after term ${term}`;
    this.#late.set(name, [...(this.#late.get(name) ?? []), `${method} ${path}`]);
  }

  done({ program, lease }: SeenWrite): void {
    const identity = lease?.spec?.holderIdentity ?? "";
    if (identity === "" || this.#holders.at(-1)?.identity === identity) return;
    this.#holders.push({ program, identity, writes: 0 });
  }
}

/** Candidates record in kube-system that they lead, or do no more. */
const isElectionEvent = (path: string): boolean => /\/namespaces\/kube-system\/events\b/.test(path);
