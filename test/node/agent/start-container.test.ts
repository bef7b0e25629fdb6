import { expect, test } from "vitest";
import { imageNameProblem } from "../../../src/node/agent/start-container.js";

test.each([
  "nginx",
  "nginx:1.27",
  "library/nginx",
  "localhost/app",
  "localhost:5000/app:v1",
  "registry.k8s.io/pause:3.10",
  "EXAMPLE.com/app",
  "example.com:8443/a/b__c/d-e.f:A_b.c",
  `busybox@sha256:${"a".repeat(64)}`,
  `gcr.io/p/i:tag@sha256:${"0".repeat(64)}`,
])("%s is a valid image reference", (image) => {
  expect(imageNameProblem(image)).toBeUndefined();
});

test.each([
  ["Nginx", "invalid reference format: repository name (library/Nginx) must be lowercase"],
  ["example.com/App:v1", "invalid reference format: repository name (App) must be lowercase"],
  ["nginx:", "invalid reference format"],
  ["a//b", "invalid reference format"],
  ["-a", "invalid reference format"],
  ["two words", "invalid reference format"],
  ["ko://github.com/a/b", "invalid reference format"],
  ["nginx@sha256:abc", "invalid reference format"],
  [`nginx:${"t".repeat(129)}`, "invalid reference format"],
  ["a".repeat(64), `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings`],
  ["n".repeat(300), "repository name must not be more than 255 characters"],
])("the image reference %s is refused: %s", (image, problem) => {
  expect(imageNameProblem(image)).toBe(problem);
});
