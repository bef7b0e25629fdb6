/** What keeps a server from starting: an admission plugin that cannot be made as it is configured. In kube-apiserver's words. */
export const admissionFailure = (message: string): Error => new Error(`failed to apply admission: ${message}`);

/**
 * A configuration that could be read and that a plugin cannot work with. A plugin's function in the table throws it; what else it
 * throws means that the plugin could not be made at all.
 */
export class PluginInitializationError extends Error {
  override readonly name = "PluginInitializationError";
}
