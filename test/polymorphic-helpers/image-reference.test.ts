import { expect, test } from "vitest";
import { isImageReference } from "../../src/polymorphic-helpers/image-reference.js";

// What kubectl 1.36.3 run takes and refuses.
test.each([
  "nginx",
  "a.b-c/d__e:T_1.x@sha256:01234567890123456789012345678901",
  "[::1]:5000/x",
  "registry.example:5000/shop/web:1.2",
  "UPPER.example/x",
])("%s is a valid image reference", (text) => expect(isImageReference(text)).toBe(true));

test.each(["Upper/Case", "a b", "a:b:c", "a/", "a@sha256:0123", "-a", "a___b"])(
  "%s is not a valid image reference",
  (text) => expect(isImageReference(text)).toBe(false),
);
