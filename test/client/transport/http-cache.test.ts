import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { HttpCache } from "../../../src/client/transport/http-cache.js";
import type { Transport, TransportRequest, TransportResponse } from "../../../src/client/transport/transport.js";

const NOW = Date.parse("2026-11-21T07:00:00Z");
const DATE = "Sat, 21 Nov 2026 07:00:00 GMT";
const URL_ASKED = "http://h/openapi/v3";

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

function setUp(answers: { status?: number; headers: Record<string, string>; body?: string }[]) {
  const folder = mkdtempSync(join(tmpdir(), "kubets-http-"));
  const requests: TransportRequest[] = [];
  const clock = { time: NOW };
  const cache = new HttpCache(folder, { now: () => clock.time }, systemRandom);
  const transport: Transport = {
    send: (request) => {
      requests.push(request);
      const { status = 200, headers, body = "" } = answers.shift() ?? { status: 599, headers: {} };
      return Promise.resolve({ status, headers, body: chunks(body) });
    },
    close: () => Promise.resolve(),
  };
  const ask = async (headers: Record<string, string> = {}) =>
    text(await cache.send(transport, { method: "GET", path: "/openapi/v3", headers }, URL_ASKED));
  return { folder, requests, clock, ask };
}

async function text({ status, body }: TransportResponse): Promise<string> {
  let all = "";
  for await (const chunk of body) all += Buffer.from(chunk).toString();
  return `${status} ${all}`;
}

const validators = (requests: readonly TransportRequest[]) => requests.map(({ headers }) => headers["if-none-match"]);

describe("the client's HTTP cache on disk", () => {
  test("works without storing when its folder cannot be created", async () => {
    const { folder } = setUp([]);
    writeFileSync(join(folder, "file"), "");
    const cache = new HttpCache(join(folder, "file", "below"), { now: () => NOW }, systemRandom);
    const transport: Transport = {
      send: () => Promise.resolve({ status: 200, headers: {}, body: chunks("one") }),
      close: () => Promise.resolve(),
    };
    const request = { method: "GET", path: "/openapi/v3", headers: {} };
    expect(await text(await cache.send(transport, request, URL_ASKED))).toBe("200 one");
  });

  test("answers without a request while an entry is fresh", async () => {
    const { ask, requests, clock } = setUp([
      { headers: { date: DATE, "cache-control": "max-age=60" }, body: "one" },
      { headers: { date: DATE }, body: "two" },
    ]);
    expect([await ask(), await ask()]).toEqual(["200 one", "200 one"]);
    clock.time += 61_000;
    expect(await ask()).toBe("200 two");
    expect(requests).toHaveLength(2);
  });

  test("asks with the ETag for a stale entry", async () => {
    const { ask, requests } = setUp([
      { headers: { etag: '"a"', "cache-control": "no-cache, private" }, body: "one" },
      { status: 304, headers: { etag: '"a"' } },
      { headers: { etag: '"b"' }, body: "two" },
      { status: 304, headers: {} },
    ]);
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual(["200 one", "200 one", "200 two", "200 two"]);
    expect(validators(requests)).toEqual([undefined, '"a"', '"a"', '"b"']);
  });

  test("writes a file again only when a later request can see the change", async () => {
    const later = "Sat, 21 Nov 2026 08:00:00 GMT";
    const { ask, folder } = setUp([
      { headers: { etag: '"a"', date: DATE }, body: "one" },
      { status: 304, headers: { etag: '"a"', date: later } },
      { status: 304, headers: { etag: '"a"', date: later, "cache-control": "max-age=60" } },
    ]);
    const date = () => /Date: (.*)\r\n/.exec(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "latin1"))?.[1];
    const dates: (string | undefined)[] = [];
    for (let round = 0; round < 3; round += 1) {
      await ask();
      dates.push(date());
    }
    expect(dates).toEqual([DATE, DATE, later]);
  });

  test("does not use an answer that the server forbids to store, or one for another Accept header", async () => {
    const { ask, requests } = setUp([
      { headers: { etag: '"a"', vary: "Accept" }, body: "json" },
      { headers: { "cache-control": "no-store" }, body: "yaml" },
    ]);
    expect([await ask({ accept: "json" }), await ask({ accept: "yaml" })]).toEqual(["200 json", "200 yaml"]);
    expect(validators(requests)).toEqual([undefined, undefined]);
  });

  test("uses kubectl's file format, and ignores a damaged file", async () => {
    const { ask, folder } = setUp([
      {
        headers: { "content-type": "text/plain", "content-length": "3", date: DATE, "cache-control": "max-age=60" },
        body: "one",
      },
      { headers: {}, body: "two" },
    ]);
    await ask();
    const name = createHash("sha256").update(URL_ASKED).digest("hex");
    expect(readdirSync(folder)).toEqual([name]);
    const file = readFileSync(join(folder, name));
    const content = file.subarray(32);
    expect(file.subarray(0, 32)).toEqual(createHash("sha256").update(content).digest());
    expect(content.toString()).toBe(
      `HTTP/1.1 200 OK\r\nContent-Length: 3\r\nCache-Control: max-age=60\r\nContent-Type: text/plain\r\nDate: ${DATE}\r\n\r\none`,
    );
    writeFileSync(join(folder, name), file.subarray(0, -1));
    expect(await ask()).toBe("200 two");
  });
});
