import { gzipSync } from "node:zlib";
import type { Dice } from "../dice.js";
import type { HostileRequest, Hostility } from "../hostility.js";
import { MAPS } from "../targets.js";

const BODY = '{"metadata":{"name":"raw"}}';

/** `{TOKEN}` stands for the administrator's; the runner puts it in. */
export const TOKEN = "{TOKEN}";

function raw(
  dice: Dice,
  head: readonly string[],
  body: string | Uint8Array,
  expected: readonly number[],
): HostileRequest {
  const text = Buffer.from(
    `${[...head, "Host: x", `Authorization: Bearer ${TOKEN}`, "Connection: close"].join("\r\n")}\r\n\r\n`,
    "latin1",
  );
  const whole = Buffer.concat([text, Buffer.from(body)]);
  const [first = "GET / HTTP/1.1"] = head;
  const [method = "GET", path = "/"] = first.split(" ");
  // In pieces now and then: nobody may count on a request to come in one.
  const cut = dice.chance(0.3) ? 1 + dice.below(whole.length - 1) : 2 * whole.length;
  return { method, path, raw: { bytes: whole, cut }, expected };
}

const post = `POST ${MAPS}?dryRun=All HTTP/1.1`;
const json = "Content-Type: application/json";
const length = (body: string | Uint8Array) => `Content-Length: ${Buffer.from(body).length}`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Fifty megabytes once it is unpacked. */
const BOMB = gzipSync(Buffer.alloc(50_000_000));

type Make = (dice: Dice) => HostileRequest;

const MAKERS: readonly Make[] = [
  // Bytes no target may have. Where Node's parser refuses them it does so itself.
  (dice) => raw(dice, [`GET ${MAPS}/\u00ff\u00fe HTTP/1.1`], "", [400, 404]),
  (dice) => raw(dice, [`GET ${MAPS}/\u0000 HTTP/1.1`], "", [400, 404]),
  (dice) => raw(dice, [`GET ${MAPS}/a b HTTP/1.1`], "", [400]),
  (dice) => raw(dice, ["GET"], "", [400]),
  (dice) => raw(dice, ["GET / HTTP/9.9"], "", [400, 505]),
  (dice) => raw(dice, ["\u0016\u0003\u0001"], "", [400]),
  (dice) => raw(dice, [`GET ${MAPS}?${"a".repeat(900_000)} HTTP/1.1`], "", [200]),
  (dice) => raw(dice, [`GET ${MAPS}/${"a".repeat(1_100_000)} HTTP/1.1`], "", [400, 414, 431]),
  (dice) => raw(dice, [`GET ${MAPS} HTTP/1.1`, `X: ${"a".repeat(1_100_000)}`], "", [431]),
  (dice) =>
    raw(dice, [`GET ${MAPS} HTTP/1.1`, ...Array.from({ length: 3000 }, (_, index) => `X-${index}: a`)], "", [200, 431]),
  (dice) => raw(dice, [`GET ${MAPS} HTTP/1.1`, "X : a"], "", [200, 400]),
  (dice) => raw(dice, [`GET ${MAPS} HTTP/1.1`, "X: a\u0000b"], "", [400]),
  (dice) => raw(dice, [`GET http://elsewhere${MAPS} HTTP/1.1`], "", [200, 400, 404]),
  (dice) => raw(dice, ["OPTIONS * HTTP/1.1"], "", [400, 404, 405]),
  // Lengths that are none.
  (dice) => raw(dice, [post, json, "Content-Length: -1"], BODY, [400]),
  (dice) => raw(dice, [post, json, "Content-Length: abc"], BODY, [400]),
  (dice) => raw(dice, [post, json, "Content-Length: 1e3"], BODY, [400]),
  (dice) => raw(dice, [post, json, "Content-Length: 99999999999999999999999"], BODY, [400]),
  (dice) => raw(dice, [post, json, length(BODY), "Content-Length: 3"], BODY, [400]),
  (dice) => raw(dice, [post, json, length(BODY), "Transfer-Encoding: chunked"], BODY, [400]),
  (dice) => raw(dice, [post, json, "Content-Length: 5"], BODY, [400]),
  // Chunks.
  (dice) => raw(dice, [post, json, "Transfer-Encoding: chunked"], `${chunk(BODY)}0\r\n\r\n`, [201]),
  (dice) =>
    raw(dice, [post, json, "Transfer-Encoding: chunked"], `${Array.from(BODY, chunk).join("")}0\r\n\r\n`, [201]),
  (dice) => raw(dice, [post, json, "Transfer-Encoding: chunked"], `zz\r\n${BODY}\r\n0\r\n\r\n`, [400]),
  (dice) =>
    raw(dice, [post, json, "Transfer-Encoding: chunked"], `ffffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`, [400, 413]),
  // Compressed bodies: nothing here reads them.
  (dice) => raw(dice, [post, json, "Content-Encoding: gzip", length(gzipSync(BODY))], gzipSync(BODY), [400, 415]),
  (dice) => raw(dice, [post, json, "Content-Encoding: gzip", length(BOMB)], BOMB, [400, 415]),
];

/** What no client library lets pass, on a connection of its own. */
export const rawHttp: Hostility = {
  name: "raw HTTP",
  share: 200,
  make: (dice) => dice.pick(MAKERS)(dice),
};
