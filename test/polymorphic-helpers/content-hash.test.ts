import { expect, test } from "vitest";
import { configMapHash, secretHash } from "../../src/polymorphic-helpers/content-hash.js";

// The names kubectl 1.36.3 makes with --append-hash.
test.each([
  { name: "an empty config map", hash: configMapHash({ name: "empty", data: {} }), is: "b6t642d2fb" },
  { name: "a config map", hash: configMapHash({ name: "x", data: { a: "1" } }), is: "m8mt92gg65" },
  {
    name: "what Go escapes in JSON",
    hash: configMapHash({ name: "x", data: { html: '<a href="x">&</a>' } }),
    is: "g4mfddbcdd",
  },
  {
    name: "binary data",
    hash: configMapHash({ name: "x", data: {}, binaryData: { bin: "//4=" } }),
    is: "9d2fmb9hg7",
  },
  { name: "an empty secret", hash: secretHash({ name: "empty", type: "", data: {} }), is: "9299t6m7c4" },
  { name: "a secret", hash: secretHash({ name: "x", type: "", data: { a: "MQ==" } }), is: "hbhk6tkb4h" },
  { name: "a secret's type", hash: secretHash({ name: "x", type: "a/b", data: { a: "MQ==" } }), is: "6bhhfb2mf5" },
])("the hash that kubectl create --append-hash appends: $name", ({ hash, is }) => expect(hash).toBe(is));
