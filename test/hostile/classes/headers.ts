import { ANY_REFUSAL_OR_SUCCESS, type Hostility } from "../hostility.js";
import { MAPS } from "../targets.js";

const UNKNOWN_TYPES = [
  "text/plain",
  "application/xml",
  "application/jsonx",
  "application/json-patch",
  "json",
  "a",
  "*/*",
  "application/*",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/cbor",
  "text/yaml",
  "application/json,application/json",
  "x".repeat(5000),
  "/",
  "application/",
];

const BODY = '{"metadata":{"name":"t"}}';

/** Bodies of media types that nobody reads. */
export const unknownMediaTypes: Hostility = {
  name: "unknown media types",
  share: 250,
  make(dice) {
    const type = dice.pick(UNKNOWN_TYPES);
    const [method, path] = dice.pick([
      ["POST", MAPS],
      ["PUT", `${MAPS}/standing`],
      ["PATCH", `${MAPS}/standing`],
      ["DELETE", `${MAPS}/nobody`],
      ["POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews"],
    ] as const);
    const own = method === "PATCH" ? dice.pick([type, "application/json", "application/yaml"]) : type;
    return { method, path, headers: { "content-type": own }, body: BODY, expected: [415] };
  },
};

const UNACCEPTABLE = [
  "text/html",
  "image/*",
  "application/xml",
  "application/json;q=0",
  "application/json;as=Nothing;g=meta.k8s.io;v=v1",
  "application/json;as=Table;g=nobody;v=v9",
  "a",
  ";",
  "text/plain;q=1",
  "x".repeat(5000),
  `text/a,${"text/b,".repeat(2000)}text/c`,
];

/** Answers that nobody can give. */
export const unacceptable: Hostility = {
  name: "answers nobody can give",
  share: 150,
  make: (dice) => ({
    method: "GET",
    path: dice.pick([MAPS, `${MAPS}/standing`, "/api/v1"]),
    headers: { accept: dice.pick(UNACCEPTABLE) },
    expected: [406],
  }),
};

const NAMES = [
  "accept",
  "accept-encoding",
  "content-type",
  "authorization",
  "if-none-match",
  "if-match",
  "user-agent",
  "impersonate-user",
  "impersonate-group",
  "impersonate-extra-%zz",
  "content-encoding",
  "x-forwarded-for",
  "cookie",
  "range",
  "expect-ct",
  "sec-websocket-protocol",
];
const VALUES = [
  "",
  " ",
  ",",
  ",,,,",
  ";;;;",
  "=",
  '"',
  '"\\',
  "*",
  "%zz",
  "Bearer",
  "Bearer a.b.c",
  "Bearer ..",
  "Basic !!!!",
  `Bearer ${"a".repeat(20_000)}`,
  "gzip;q=abc",
  "gzip, deflate, br;q=1.1",
  "system:masters",
  "\u00e9",
  "a".repeat(30_000),
  `${"a,".repeat(5000)}b`,
  `application/json${";a=b".repeat(3000)}`,
  "application/json;q=1e999",
];

/** Headers with anything in them. */
export const oddHeaders: Hostility = {
  name: "odd headers",
  share: 400,
  make(dice) {
    const headers = Object.fromEntries(
      Array.from({ length: 1 + dice.below(4) }, () => [dice.pick(NAMES), dice.pick(VALUES)]),
    );
    const write = dice.chance(0.3);
    return {
      method: write ? "POST" : "GET",
      path: write ? `${MAPS}?dryRun=All` : dice.pick([MAPS, `${MAPS}/standing`, "/apis", "/openapi/v2", "/version"]),
      headers,
      ...(write && { body: BODY }),
      expected: [...ANY_REFUSAL_OR_SUCCESS, 304, 401, 403],
    };
  },
};
