import { describe, expect, test } from "vitest";
import { conflict, StatusError } from "../../../src/machinery/errors/status-error.js";
import { WriteTransaction, type WriteSteps } from "../../../src/server/registry/write-transaction.js";
import { TooLargeError, UnavailableError } from "../../../src/server/storage/kv.js";

type Step = keyof WriteSteps;

/** A write that records what becomes of it. `refusals` are what single steps throw. */
function recordedWrite(refusals: Partial<Record<Step, Error>> = {}) {
  const events: string[] = [];
  let attempt = 0;
  const write = new WriteTransaction({ token: undefined }, { settled: () => void events.push("settled") });
  const begin = (): WriteSteps => {
    const suffix = ++attempt === 1 ? "" : ` ${attempt}`;
    const step = (name: Step): void => {
      events.push(`${name}${suffix}`);
      const refusal = refusals[name];
      if (refusal !== undefined) throw refusal;
    };
    return {
      mutate: async () => step("mutate"),
      complete: async () => step("complete"),
      async allocate() {
        step("allocate");
        return {
          commit: async () => void events.push(`commit${suffix}`),
          revert: async () => void events.push(`revert${suffix}`),
        };
      },
      validate: async () => step("validate"),
    };
  };
  return { write, begin, events };
}

const STEPS = ["mutate", "complete", "allocate", "validate"];
const refused = new StatusError({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "no",
  code: 422,
});
const broken = new StatusError({ ...refused.status, code: 500 });

describe("the transaction of a write", () => {
  test("runs its steps in order, and keeps reservations once the object is stored", async () => {
    const { write, begin, events } = recordedWrite();
    await write.run(async () => {
      await write.prepare(begin);
      events.push("stored");
    });
    expect(events).toEqual([...STEPS, "stored", "settled", "commit"]);
  });

  test("frees the reservations of an attempt before the next, after a conflict", async () => {
    const { write, begin, events } = recordedWrite();
    await write.run(async () => {
      await write.prepare(begin);
      await write.prepare(begin);
    });
    expect(events).toEqual([...STEPS, "revert", ...STEPS.map((step) => `${step} 2`), "settled", "commit 2"]);
  });

  test.each([
    ["refuses the object", refused],
    ["fails, as a webhook may", broken],
  ])("reserves nothing when a step %s", async (_, error) => {
    for (const name of STEPS as Step[]) {
      const { write, begin, events } = recordedWrite({ [name]: error });
      await expect(write.run(() => write.prepare(begin))).rejects.toBe(error);
      const steps = STEPS.slice(0, STEPS.indexOf(name) + 1);
      expect(events).toEqual([...steps, ...(name === "validate" ? ["revert"] : []), "settled"]);
    }
  });

  test("reserves nothing when the second attempt fails early", async () => {
    const { write, begin, events } = recordedWrite();
    const work = async () => {
      await write.prepare(begin);
      await write.prepare(() => Promise.reject(broken));
    };
    await expect(write.run(work)).rejects.toBe(broken);
    expect(events).toEqual([...STEPS, "revert", "settled"]);
  });

  test.each([
    ["has another object of the name", conflict({ group: "", resource: "pods" }, "web", "changed")],
    ["takes no object of the size", new TooLargeError("etcdserver: request is too large")],
  ])("frees its reservations when the storage %s", async (_, error) => {
    const { write, begin, events } = recordedWrite();
    const work = async () => {
      await write.prepare(begin);
      throw error;
    };
    await expect(write.run(work)).rejects.toBe(error);
    expect(events).toEqual([...STEPS, "revert", "settled"]);
  });

  test("keeps its reservations while it is unknown whether the object is stored", async () => {
    const { write, begin, events } = recordedWrite();
    const silent = new UnavailableError("context deadline exceeded", "unknown");
    const work = async () => {
      await write.prepare(begin);
      throw silent;
    };
    await expect(write.run(work)).rejects.toBe(silent);
    expect(events).toEqual(STEPS);
  });

  test("frees its reservations when the update removes the object", async () => {
    const { write, begin, events } = recordedWrite();
    await write.run(() => write.prepare(begin), { isStored: () => false });
    expect(events).toEqual([...STEPS, "settled", "revert"]);
  });

  test("continues without its client once a plugin has charged a quota, unless the sender has lost its rights", () => {
    let isCharged = false;
    let isRevoked = false;
    const token = {
      isCancelled: true,
      get isRevoked() {
        return isRevoked;
      },
      signal: new AbortController().signal,
    };
    const write = new WriteTransaction({ token }, { isCharged: () => isCharged });
    expect(write.token?.isCancelled).toBe(true);
    isCharged = true;
    expect(write.token?.isCancelled).toBe(false);
    isRevoked = true;
    expect(write.token?.isCancelled).toBe(true);
  });
});
