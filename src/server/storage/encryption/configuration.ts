/** kube-apiserver's EncryptionConfiguration (apiserver.config.k8s.io/v1): how objects are encrypted in the storage. */
export interface EncryptionConfiguration {
  /** The first entry that names a resource has its providers. */
  readonly resources: readonly EncryptedResources[];
}

export interface EncryptedResources {
  /** "secrets", "deployments.apps"; all of a group: "*.apps", "*." for the core one; all there are: "*.*". */
  readonly resources: readonly string[];
  /** The first one encrypts. All of them read, those that encrypt what is stored already. */
  readonly providers: readonly EncryptionProvider[];
}

/** One encryption provider: exactly one of its fields is set. */
export interface EncryptionProvider {
  readonly aesgcm?: EncryptionKeys;
  readonly aescbc?: EncryptionKeys;
  readonly secretbox?: EncryptionKeys;
  /** Stores objects as they are. */
  readonly identity?: object;
  readonly kms?: KmsConfiguration;
}

export interface EncryptionKeys {
  /** The first one encrypts, all of them read. */
  readonly keys: readonly EncryptionKey[];
}

export interface EncryptionKey {
  /** Stored in front of each value. */
  readonly name: string;
  /** In base64. */
  readonly secret: string;
}

export interface KmsConfiguration {
  /** "v2"; "v1", the default, needs the feature gate KMSv1. */
  readonly apiVersion?: string;
  /** Stored in front of each value. */
  readonly name: string;
  /** How many keys are kept decrypted; none where it is negative. Of v1 alone. Default 1000. */
  readonly cachesize?: number;
  /** The Unix socket of the plugin: "unix:///run/kms.sock". */
  readonly endpoint: string;
  /** How long each call of the plugin may take, as Go writes it. Default "3s". */
  readonly timeout?: string;
}

/** The resource that an entry of {@link EncryptedResources.resources} names; "*" is any. */
export function parseGroupResource(text: string): { readonly group: string; readonly resource: string } {
  const dot = text.indexOf(".");
  return dot < 0 ? { group: "", resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}
