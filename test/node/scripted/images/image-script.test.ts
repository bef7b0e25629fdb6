import { expect, test } from "vitest";
import { matchesImage } from "../../../../src/node/scripted/images/image-script.js";

test.each([
  ["nginx", "nginx", true],
  ["nginx", "nginx:1.27", true],
  ["nginx", "nginx@sha256:0000", true],
  ["nginx", "nginx:1.27@sha256:0000", true],
  ["nginx", "docker.io/library/nginx:1", true],
  ["docker.io/library/nginx", "nginx", true],
  ["docker.io/bitnami/kubectl", "bitnami/kubectl:1.30", true],
  ["bitnami/kubectl", "docker.io/bitnami/kubectl", true],
  ["bitnami/*", "docker.io/bitnami/kubectl", true],
  ["*/kubectl", "localhost:5000/tools/kubectl", true],
  ["*certgen*", "registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.1", true],
  ["registry.example.com:5000/app", "registry.example.com:5000/app:2", true],
  ["nginx:1.*", "nginx:1.27", true],
  ["nginx:1.*", "nginx:2.0", false],
  ["nginx:1.*", "nginx", false],
  ["nginx", "my-nginx", false],
  ["nginx", "example.com/nginx", false],
  ["nginx", "example/nginx", false],
  ["library/nginx", "example.com/library/nginx", false],
  ["kubectl", "bitnami/kubectl", false],
])("the image pattern %s matches the image %s: %s", (pattern, image, matches) => {
  expect(matchesImage(pattern, image)).toBe(matches);
});
