import { expect, test } from "vitest";
import { untilAnswered } from "../../../src/server/generic/create-missing.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { type Kv, UnavailableError } from "../../../src/server/storage/kv.js";
import { admittingServer } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";

/** A store that does not answer its first writes in time. */
function lateKv(late: number): Kv {
  const kv = openMemoryKv();
  const { create } = kv;
  let left = late;
  kv.create = async (...given) => {
    if (left-- > 0) throw new UnavailableError("context deadline exceeded", "unknown");
    return create.apply(kv, given);
  };
  return kv;
}

test("the server repeats creating its start objects when the storage has not answered in time", async () => {
  await using server = await admittingServer({}, lateKv(2));
  expect((await call(server.api, "GET", "/api/v1/namespaces/default")).status).toBe(200);
});

test("the server gives up creating its start objects when the storage never answers, or for any other error", async () => {
  await expect(admittingServer({}, lateKv(1000))).rejects.toThrow("context deadline exceeded");
  let tries = 0;
  const refused = async (): Promise<void> => {
    tries += 1;
    throw new Error("refused");
  };
  await expect(untilAnswered(refused)).rejects.toThrow("refused");
  expect(tries).toBe(1);
});
