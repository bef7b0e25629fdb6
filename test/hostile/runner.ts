import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { HOSTILITIES } from "./classes/index.js";
import { Dice } from "./dice.js";
import type { HostileRequest, Hostility } from "./hostility.js";
import { problemOf } from "./judge.js";
import type { Question, Reach, Reading } from "./server-process.js";
import { NAMESPACE, STANDING, storedTargets } from "./targets.js";
import { type HostileAnswer, type Protocol, Wire } from "./wire.js";
import { PATIENCE } from "../helpers/patience.js";

/** What the event loop may be held by one turn, in calibrated milliseconds of CPU time. */
export const LONGEST_TURN = 100;
/** How often a request must hold it, alone, before it is one that does. */
const TRIALS = 3;
/** Requests under way at once. */
const LANES = 6;
/** Requests between two questions to the server. */
const WINDOW = 60;

interface Shot {
  readonly index: number;
  readonly hostility: Hostility;
  readonly request: HostileRequest;
  readonly protocol: Protocol;
}

export interface Outcome {
  readonly sent: number;
  /** How many answers there were of each code. */
  readonly codes: ReadonlyMap<number, number>;
  /** Each with the request that shows it. */
  readonly problems: readonly string[];
  /** Calibrated milliseconds of CPU time. */
  readonly longestTurn: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** A server in a process of its own, and what it is sent. */
export class Runner {
  readonly #problems: string[] = [];
  readonly #codes = new Map<number, number>();
  readonly #targets = storedTargets();
  #longest = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly wire: Wire,
  ) {}

  static async start(script: string): Promise<Runner> {
    const child = fork(script, { execArgv: ["--expose-gc"] });
    const [reach] = (await once(child, "message")) as [Reach];
    const runner = new Runner(child, new Wire(reach));
    await runner.#arm();
    return runner;
  }

  async stop(): Promise<void> {
    this.wire.close();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.send("stop" satisfies Question);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), PATIENCE);
    await once(this.child, "exit");
    clearTimeout(timer);
  }

  /** Sends `count` requests of all classes, those of `seed`, and says what came of it. */
  async run(seed: string, count: number): Promise<Outcome> {
    // What is made once and kept (schemas, documents) is made before memory is looked at.
    await this.#fire(this.#shots(`${seed} before`, Math.min(count, 1500)), { judge: false });
    const heapBefore = await this.#emptiedHeap();
    const shots = this.#shots(seed, count);
    await this.#fire(shots, { judge: true });
    const heapAfter = await this.#emptiedHeap();
    const [codes, problems] = [this.#codes, this.#problems];
    return { sent: count, codes, problems, longestTurn: this.#longest, heapBefore, heapAfter };
  }

  *#shots(seed: string, count: number): Generator<Shot> {
    const order = new Dice(seed);
    const only = process.env["KUBETS_HOSTILE_CLASS"];
    const classes = HOSTILITIES.filter(({ name }) => only === undefined || name === only);
    const total = classes.reduce((sum, { share }) => sum + share, 0);
    for (let index = 0; index < count; index++) {
      let at = order.below(total);
      const hostility = classes.find(({ share }) => (at -= share) < 0) as Hostility;
      const dice = new Dice(`${seed} ${index}`);
      const protocol = dice.chance(0.5) ? "HTTP/2" : "HTTP/1.1";
      yield { index, hostility, protocol, request: hostility.make(dice, this.#targets) };
    }
  }

  async #fire(shots: Iterable<Shot>, { judge }: { readonly judge: boolean }): Promise<void> {
    let window: Shot[] = [];
    const flush = async () => {
      const waiting = window.values();
      await Promise.all(Array.from({ length: LANES }, () => this.#lane(waiting, judge)));
      await this.#look(window, judge);
      window = [];
    };
    for (const shot of shots) {
      window.push(shot);
      if (window.length === WINDOW) await flush();
    }
    await flush();
  }

  async #lane(shots: Iterator<Shot>, judge: boolean): Promise<void> {
    for (let next = shots.next(); next.done !== true; next = shots.next()) {
      const shot = next.value;
      const answer = await this.#send(shot, judge);
      if (!judge || answer === undefined) continue;
      this.#codes.set(answer.status, (this.#codes.get(answer.status) ?? 0) + 1);
      const problem = problemOf(shot.request, answer);
      if (problem !== undefined) this.#tell(shot, `${problem}: ${answer.body.toString("utf8", 0, 400)}`);
    }
  }

  async #send(shot: Shot, judge: boolean): Promise<HostileAnswer | undefined> {
    try {
      return await this.wire.send(shot.request, shot.protocol);
    } catch (error) {
      if (judge) this.#tell(shot, `no answer: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Asks the server how the last requests were for it; where one held it for long, finds which. */
  async #look(shots: readonly Shot[], judge: boolean): Promise<void> {
    const { longest, faults } = await this.#ask("turns").catch((error: Error) => {
      throw new Error(`${error.message}, ${span(shots)}\n${this.#problems.slice(-LANES).join("\n")}`);
    });
    for (const fault of faults.filter((one) => !isTold(one)))
      this.#problems.push(`a fault of the server, ${span(shots)}: ${fault.slice(0, 800)}`);
    if (!judge) return;
    if (longest <= LONGEST_TURN) {
      this.#longest = Math.max(this.#longest, longest);
      return;
    }
    for (const shot of shots) {
      const alone = await this.#shortestTurn(shot);
      this.#longest = Math.max(this.#longest, alone);
      if (alone > LONGEST_TURN)
        this.#tell(shot, `held the event loop for ${alone.toFixed(0)} calibrated ms of CPU time each time`);
    }
  }

  /** The least, over several trials, of the longest turn this request alone takes: what it cannot do without. */
  async #shortestTurn(shot: Shot): Promise<number> {
    let shortest = Number.POSITIVE_INFINITY;
    for (let trial = 0; trial < TRIALS && shortest > LONGEST_TURN; trial++) {
      await this.#send(shot, false);
      const { longest } = await this.#ask("turns");
      shortest = Math.min(shortest, longest);
    }
    return shortest;
  }

  #tell({ index, hostility, request, protocol }: Shot, problem: string): void {
    const { method, path, headers, body } = request;
    const shown = body === undefined ? "" : Buffer.from(body).toString("utf8", 0, 300);
    const where = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers ?? {}).slice(0, 200)}`;
    this.#problems.push(`#${index} (${hostility.name}, ${protocol}) ${problem}\n    ${where}\n    ${shown}`);
  }

  async #ask(question: Question): Promise<Reading> {
    if (this.child.exitCode !== null) throw new Error(`the server ended with ${this.child.exitCode}`);
    const gone = new AbortController();
    const ended = once(this.child, "exit", { signal: gone.signal }).then(() => {
      throw new Error("the server ended");
    });
    ended.catch(() => {});
    this.child.send(question);
    const timer = setTimeout(() => gone.abort(new Error("the server is stuck: it does not say how it is")), PATIENCE);
    const stuck = once(gone.signal, "abort").then(() => {
      throw gone.signal.reason;
    });
    stuck.catch(() => {});
    try {
      const [reading] = await Promise.race([once(this.child, "message"), ended, stuck]);
      return reading as Reading;
    } finally {
      clearTimeout(timer);
      gone.abort();
    }
  }

  /** What is left on the heap when everything that was stored is deleted. */
  async #emptiedHeap(): Promise<number> {
    for (const { facts, collection } of this.#targets) {
      // The cluster's own is among them, without which no service is given an address.
      if (facts.name === "servicecidrs") await this.#quietly("DELETE", `${collection}/a`);
      else if (facts.verbs.includes("deletecollection")) await this.#quietly("DELETE", collection);
    }
    await this.#arm();
    const { heap } = await this.#ask("heap");
    return heap ?? 0;
  }

  /** Makes what must be there. */
  async #arm(): Promise<void> {
    await this.#quietly("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    for (const [collection, object] of STANDING) await this.#quietly("POST", collection, object);
  }

  async #quietly(method: string, path: string, object?: object): Promise<void> {
    const headers = { "content-type": "application/json" };
    await this.wire.send(
      { method, path, headers, expected: [], ...(object && { body: JSON.stringify(object) }) },
      "HTTP/1.1",
    );
  }
}

/** Controllers tell what they cannot do; an owner of a kind that nobody knows is no fault of the server. */
const isTold = (fault: string): boolean => fault.startsWith("Error: unable to get REST mapping for ");

const span = (shots: readonly Shot[]): string => `somewhere in #${shots[0]?.index} to #${shots.at(-1)?.index}`;
