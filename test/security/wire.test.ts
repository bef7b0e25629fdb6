import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Arena, jewel } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const SECRET = `${CORE}/secrets/jewel`;

let arena: Arena;

/** mary may read and create config maps. */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/configmaps`, { metadata: { name: "mine" } });
  await arena.allowIn("default", "mary", "get,create configmaps");
});

afterAll(() => arena[Symbol.asyncDispose]());

/** Writes bytes to the server as mary and reads until it closes: each text ends in a request that asks it to. */
function raw(text: string, alpn?: string): Promise<string> {
  const { certificate, key } = arena.certificateOf("mary");
  const { hostname, port } = new URL(arena.cluster.url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: arena.cluster.caCertificate,
      cert: certificate,
      key,
      ...(alpn !== undefined && { ALPNProtocols: [alpn] }),
    });
    let answer = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (answer += chunk));
    socket.on("error", () => {}).on("close", () => resolve(answer));
    socket.on("secureConnect", () => socket.write(text, "latin1"));
  });
}

const statuses = (answer: string): readonly string[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code = ""]) => code);

const HOST = "Host: localhost\r\n";
const LAST = `GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
const INNER = `GET ${SECRET} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
const INNER_DELETE = `DELETE ${CORE}/configmaps/mine HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
const MAP = '{"metadata":{"name":"mine"}}';
const post = (headers: string, body: string, path = `${CORE}/configmaps?dryRun=All`): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`;
const get = (headers: string): string => `GET ${SECRET} HTTP/1.1\r\n${HOST}Connection: close\r\n${headers}\r\n`;

/** Every request on mary's connection is mary's: what hides in another is at best hers as well. The answers are counted, so that none is one too many. */
describe("a request hidden within another request (request smuggling)", () => {
  const rows: readonly (readonly [title: string, text: string, allowed: readonly string[]])[] = [
    [
      "behind a length and chunks",
      post(`Content-Length: ${INNER.length}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${INNER}`),
      ["400"],
    ],
    [
      "behind chunks and a length",
      post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `1c\r\n${MAP}\r\n0\r\n\r\n${INNER}`),
      ["400"],
    ],
    [
      "behind two lengths that differ",
      post(
        `Content-Length: ${MAP.length}\r\nContent-Length: ${MAP.length + INNER_DELETE.length}\r\n`,
        `${MAP}${INNER_DELETE}`,
      ),
      ["400"],
    ],
    [
      "behind two equal lengths",
      post(`Content-Length: ${MAP.length}\r\nContent-Length: ${MAP.length}\r\n`, `${MAP}${INNER}`),
      ["400"],
    ],
    ["behind a list of lengths", post(`Content-Length: ${MAP.length}, 5\r\n`, `${MAP}${INNER}`), ["400"]],
    ["behind a negative length", post("Content-Length: -1\r\n", INNER), ["400"]],
    ["behind a length with a plus", post(`Content-Length: +${MAP.length}\r\n`, `${MAP}${INNER}`), ["400"]],
    ["behind a length in hexadecimal", post("Content-Length: 0x1c\r\n", `${MAP}${INNER}`), ["400"]],
    [
      "behind a length with a blank before the colon",
      post(`Content-Length : ${MAP.length}\r\n`, `${MAP}${INNER}`),
      ["400"],
    ],
    [
      "behind chunks spelled otherwise",
      post("Transfer-Encoding: xchunked\r\nConnection: close\r\n", `0\r\n\r\n${INNER}`),
      ["400", "501"],
    ],
    [
      "behind chunks that are not last",
      post("Transfer-Encoding: chunked, identity\r\nConnection: close\r\n", `0\r\n\r\n${INNER}`),
      ["400", "501"],
    ],
    [
      "behind chunks named twice",
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nConnection: close\r\n", `0\r\n\r\n${INNER}`),
      ["400", "501"],
    ],
    [
      "behind a tab before chunked",
      post("Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n", `0\r\n\r\n${INNER}`),
      ["400"],
    ],
    [
      "behind a chunk with a wrong size",
      post("Transfer-Encoding: chunked\r\n", `zz\r\n${MAP}\r\n0\r\n\r\n${INNER}`),
      ["400"],
    ],
    [
      "behind a chunk longer than it says",
      post("Transfer-Encoding: chunked\r\n", `5\r\n${MAP}\r\n0\r\n\r\n${INNER}`),
      ["400"],
    ],
    [
      "behind a chunk of a size that overflows",
      post("Transfer-Encoding: chunked\r\n", `fffffffffffffffff\r\n${MAP}\r\n0\r\n\r\n${INNER}`),
      ["400", "413"],
    ],
    ["behind a line's end without its first half", `GET /healthz HTTP/1.1\n${HOST}\n${INNER}`, ["400"]],
    ["in a header that is folded", `GET /healthz HTTP/1.1\r\n${HOST}X: a\r\n ${INNER}`, ["400"]],
    [
      "in the target",
      `GET /healthz HTTP/1.1\r\n${HOST}X: y GET ${SECRET} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
      ["200"],
    ],
    [
      "in a body of a GET",
      `GET /healthz HTTP/1.1\r\n${HOST}Content-Length: ${INNER.length}\r\n\r\n${INNER}${LAST}`,
      ["200,200"],
    ],
    ["as a second on the connection", `GET /healthz HTTP/1.1\r\n${HOST}\r\n${INNER}`, ["200,403"]],
  ];
  test.each(rows)("%s", async (_, text, allowed) => {
    const before = await arena.revision();
    const answer = await raw(text);
    expect(allowed, answer).toContain(statuses(answer).join(","));
    arena.holdsNoSecret({ text: answer, headers: {} });
    expect(await arena.revision()).toBe(before);
  });
});

describe("a malformed request head", () => {
  const rows: readonly (readonly [title: string, text: () => string, allowed: readonly string[]])[] = [
    ["with a null byte in a value", () => get("X: a\0b\r\n"), ["400"]],
    ["with a null byte in a name", () => get("X\0: a\r\n"), ["400"]],
    ["with a null byte in the path", () => `GET ${SECRET}\0 HTTP/1.1\r\n${HOST}\r\n`, ["400"]],
    ["with a bare carriage return in a value", () => get("X: a\rImpersonate-User: jane\r\n"), ["400", "403"]],
    ["with a blank in a header's name", () => get("Impersonate User: jane\r\n"), ["400"]],
    ["with a blank before the colon", () => get("Impersonate-User : jane\r\n"), ["400"]],
    ["without a name", () => get(": jane\r\n"), ["400"]],
    ["with two hosts", () => get("Host: other\r\n"), ["400", "403"]],
    ["without a host", () => `GET ${SECRET} HTTP/1.1\r\nConnection: close\r\n\r\n`, ["400"]],
    [
      "with a host that holds a path",
      () => `GET ${SECRET} HTTP/1.1\r\nHost: x/y z\r\nConnection: close\r\n\r\n`,
      ["400", "403"],
    ],
    ["of an older version", () => `GET ${SECRET} HTTP/1.0\r\n\r\n`, ["403"]],
    ["of no version", () => `GET ${SECRET}\r\n\r\n`, ["400", "403"]],
    ["of a version to come", () => `GET ${SECRET} HTTP/3.0\r\n${HOST}\r\n`, ["400", "505"]],
    ["with a method that there is not", () => `STEAL ${SECRET} HTTP/1.1\r\n${HOST}\r\n`, ["400"]],
    [
      "with a tunnel",
      () => `CONNECT 169.254.169.254:80 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
      ["403", "404", "405", "400"],
    ],
    [
      "with two Authorization headers",
      () => get("Authorization: Bearer wrong\r\nAuthorization: Bearer wrong2\r\n"),
      ["401", "403"],
    ],
    ["with a header of two megabytes", () => get(`X: ${"a".repeat(2_000_000)}\r\n`), ["431"]],
    ["with a token of two megabytes", () => get(`Authorization: Bearer ${"a".repeat(2_000_000)}\r\n`), ["431"]],
    [
      "with thirty thousand headers",
      () => get(Array.from({ length: 30_000 }, (_, at) => `X-${at}: a\r\n`).join("")),
      ["431", "403"],
    ],
    [
      "with thirty thousand headers before one that claims a user",
      () => get(`${Array.from({ length: 20_000 }, (_, at) => `X-${at}: a\r\n`).join("")}Impersonate-User: jane\r\n`),
      ["431", "403"],
    ],
    [
      "with a path of two megabytes",
      () => `GET ${SECRET}?${"a".repeat(2_000_000)} HTTP/1.1\r\n${HOST}\r\n`,
      ["431", "414", "400"],
    ],
    [
      "with an upgrade to HTTP/2 in clear",
      () =>
        get("Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n").replace(
          "Connection: close",
          "Connection: Upgrade, HTTP2-Settings",
        ),
      ["403", "400"],
    ],
  ];
  test.each(rows)("%s", async (_, text, allowed) => {
    const before = await arena.revision();
    const answer = await raw(text());
    expect(allowed, answer.slice(0, 500)).toEqual(expect.arrayContaining([...statuses(answer)]));
    arena.holdsNoSecret({ text: answer, headers: {} });
    expect(await arena.revision()).toBe(before);
  });
});

test("a valid request on the connection of the tests above is answered as mary's", async () => {
  const answer = await raw(`GET ${CORE}/configmaps/mine HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  expect(statuses(answer)).toEqual(["200"]);
  expect(arena.faults).toEqual([]);
});
