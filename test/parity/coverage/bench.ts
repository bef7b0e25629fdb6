import { execFile } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Random } from "../../../src/base/numbers/random.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { FixedClock } from "../../helpers/fixed-clock.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { type Companions, startCompanions } from "../companions.js";
import {
  describeRequest,
  dumpObjects,
  EXAMPLES,
  type InstallProgram,
  maskText,
  orderRequests,
  shell,
  START_OF_SESSIONS,
  type StepResult,
} from "../run-session.js";
import type { Session } from "../session.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { LASTING, LASTING_REQUESTS } from "../session-programs.js";

const execute = promisify(execFile);

/** What goes back to the state of a checkpoint: the cluster's storage, and what a line can write. */
const FILES = ["home", "work", "tmp", "kubeconfig"];

/** A line that waits for ever without its flag ends with a code of its own. */
const MOST_SECONDS = 25;

/** A session's cluster and files, which can go back to what they were before a line. */
export class Bench {
  #cluster!: Cluster;
  #companions!: Companions;
  readonly #requests: string[] = [];
  readonly #clock = new FixedClock(START_OF_SESSIONS);
  #random = new CountedRandom("", 0);
  #step = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), "kubets-coverage-"));

  private constructor(readonly session: Session) {}

  static async start(session: Session, install: InstallProgram): Promise<Bench> {
    const bench = new Bench(session);
    await bench.#start(install);
    return bench;
  }

  async #start(install: InstallProgram): Promise<void> {
    const folder = this.#folder;
    for (const sub of ["bin", "home", "work", "tmp", "saved"]) mkdirSync(join(folder, sub));
    install(join(folder, "bin"));
    await this.#startCluster(undefined);
    this.#companions = await startCompanions(this.session, folder, this.#cluster.caCertificate, (request) =>
      this.#requests.push(describeRequest(request)),
    );
    writeFileSync(join(folder, "kubeconfig"), this.#cluster.kubeconfig());
    cpSync(EXAMPLES, join(folder, "work", "examples"), { recursive: true });
    for (const [path, text] of this.session.files) {
      mkdirSync(dirname(join(folder, "work", path)), { recursive: true });
      writeFileSync(join(folder, "work", path), text);
    }
  }

  /** The same port every time: files may name it. */
  async #startCluster(port: number | undefined): Promise<void> {
    this.#random = new CountedRandom(this.session.name, this.#step);
    this.#cluster = await startCluster({
      clock: this.#clock,
      random: this.#random,
      ...quietCluster,
      storage: "disk",
      dataDir: join(this.#folder, "data"),
      onRequest: (request) => {
        this.#requests.push(describeRequest(request));
        if (LASTING.test(request.path)) appendFileSync(join(this.#folder, LASTING_REQUESTS), `${request.path}\n`);
      },
      ...(port !== undefined && { port }),
    });
  }

  async run(command: string): Promise<StepResult> {
    this.#requests.length = 0;
    writeFileSync(join(this.#folder, LASTING_REQUESTS), "");
    this.#random.restart(this.#step);
    const bounded = `timeout -k 1 ${MOST_SECONDS} sh -c '${command.replaceAll("'", "'\\''")}'`;
    const { code, stdout, stderr } = await shell(bounded, this.#folder, this.#companions.ports);
    const mask = (text: string): string => maskText(text, this.#folder, this.#cluster, this.#companions.ports);
    return {
      command,
      code,
      stdout: mask(stdout),
      stderr: mask(stderr),
      requests: orderRequests(this.#requests).map(mask),
    };
  }

  /** Time goes on, as in a session after each of its lines. */
  next(): void {
    this.#clock.advance(90_000);
    this.#step++;
  }

  async objects(): Promise<string> {
    const mask = (text: string): string => maskText(text, this.#folder, this.#cluster, this.#companions.ports);
    return JSON.stringify([...(await dumpObjects(this.#cluster, mask))]);
  }

  /** Keeps the state that {@link restore} goes back to. */
  async checkpoint(): Promise<void> {
    await this.#copy([...FILES, "data"], this.#folder, join(this.#folder, "saved"));
  }

  /** `written`: whether objects may have changed, so that the cluster itself has to go back. */
  async restore(written: boolean): Promise<void> {
    if (!written) {
      await this.#copy(FILES, join(this.#folder, "saved"), this.#folder);
      return;
    }
    const port = Number(new URL(this.#cluster.url).port);
    await this.#cluster.close();
    await this.#copy([...FILES, "data"], join(this.#folder, "saved"), this.#folder);
    await this.#startCluster(port);
  }

  async #copy(names: readonly string[], from: string, to: string): Promise<void> {
    await execute("rm", ["-rf", ...names.map((name) => join(to, name))]);
    await execute("cp", ["-a", ...names.map((name) => join(from, name)), to]);
  }

  async close(): Promise<void> {
    await this.#cluster.close();
    await this.#companions.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Random bytes that begin anew with each line, so that a line run twice in the same state gets the same ones. */
class CountedRandom implements Random {
  #random: Random;

  constructor(
    readonly seed: string,
    step: number,
  ) {
    this.#random = seededRandom(`${seed}:${step}`);
  }

  restart(step: number): void {
    this.#random = seededRandom(`${this.seed}:${step}`);
  }

  bytes(length: number): Uint8Array {
    return this.#random.bytes(length);
  }
}
