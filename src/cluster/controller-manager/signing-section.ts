import type { ComponentFlag, FlagSection } from "../../component/component-flag.js";
import { positiveDuration } from "./flag-parts.js";

const NOT_SIGNED = "the controller signs certificates of clients alone";

/** The pair of flags with the authority of one signer. */
const signing = (signer: string, name: string): readonly ComponentFlag[] => [
  {
    name: `cluster-signing-${name}-cert-file`,
    type: "string",
    usage: `A file with the authority of certificates by kubernetes.io/${signer}, PEM; in place of --cluster-signing-cert-file.`,
  },
  {
    name: `cluster-signing-${name}-key-file`,
    type: "string",
    usage: `A file with the private key of that authority, PEM.`,
  },
];

/** The same, of a signer that the controller does not have. */
const unsigned = (signer: string, name: string): readonly ComponentFlag[] =>
  signing(signer, name).map((flag) => ({ ...flag, withoutEffect: NOT_SIGNED }));

/** The flags about signing certificates. */
export const signingSection: FlagSection = {
  name: "certificatesigningrequest-signing-controller",
  flags: [
    {
      name: "cluster-signing-cert-file",
      type: "string",
      usage: "A file with the authority that signs certificates, PEM. Without authorities nothing is signed.",
    },
    {
      name: "cluster-signing-duration",
      type: "duration",
      default: "8760h0m0s",
      usage: "How long a signed certificate is valid at most.",
      check: positiveDuration,
    },
    {
      name: "cluster-signing-key-file",
      type: "string",
      usage: "A file with the private key of that authority, PEM.",
    },
    ...signing("kube-apiserver-client", "kube-apiserver-client"),
    ...signing("kube-apiserver-client-kubelet", "kubelet-client"),
    ...unsigned("kubelet-serving", "kubelet-serving"),
    ...unsigned("legacy-unknown", "legacy-unknown"),
  ],
};
