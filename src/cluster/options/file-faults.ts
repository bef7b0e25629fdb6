import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";

/** What is wrong with the files that a server reads again while it runs. It goes on with what they held before. */
export class FileFaults {
  readonly #faults = new Map<string, string>();
  /** Fails as long as a file is wrong. */
  readonly check: HealthCheck;

  /** `name` is the check's; `report` gets each new fault. */
  constructor(
    name: string,
    private readonly report: (error: unknown) => void,
  ) {
    this.check = {
      name,
      check: () => {
        const [[what, fault] = []] = this.#faults;
        return what === undefined ? Promise.resolve() : Promise.reject(new Error(`${what}: ${fault}`));
      },
    };
  }

  /** Hears of a file: what is wrong with it now, undefined for nothing. */
  readonly of =
    (what: string) =>
    (fault: string | undefined): void => {
      if (fault === undefined) this.#faults.delete(what);
      else if (this.#faults.get(what) !== fault) {
        this.#faults.set(what, fault);
        this.report(new Error(`failed to reload ${what}: ${fault}`));
      }
    };
}
