import { defaultIngress } from "../../defaults/retired/ingress-v1beta1.js";
import type { VersionTable } from "../version-table.js";
import { ingressV1beta1 } from "./ingress.js";

/** networking.k8s.io/v1beta1. The scope of a class's parameters has a default in v1 alone. */
export const NETWORKING: VersionTable = {
  "networking.k8s.io/v1beta1/Ingress": { conversion: ingressV1beta1, applyDefaults: defaultIngress },
  "networking.k8s.io/v1beta1/IngressClass": { applyDefaults: nothing },
};

function nothing(): void {}
