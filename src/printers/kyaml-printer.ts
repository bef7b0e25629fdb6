import { sortedByKey } from "../machinery/meta/sorted-by-key.js";
import { emitKyaml } from "../machinery/text/yaml/kyaml.js";
import { YamlError } from "../machinery/text/yaml/yaml-error.js";
import { inGoOrder } from "./object-printers.js";
import { isPrintableEvent, type Printer, requireKind } from "./printer.js";

export interface KyamlPrintOptions {
  /** The objects come from Go types, whose order is kept. */
  readonly inGivenOrder: boolean;
}

/** -o kyaml: each object is a document with a `---` of its own, the first one too. */
export function kyamlPrinter({ inGivenOrder }: KyamlPrintOptions): Printer {
  return {
    print(object, out) {
      if (isPrintableEvent(object)) {
        out(emit({ type: object.type, object: sortedByKey(object.object) }, true));
        return;
      }
      requireKind(object);
      const status = inGoOrder(object);
      out(emit(status ?? object, inGivenOrder || status !== undefined));
    },
  };
}

function emit(object: object, inGivenOrder: boolean): string {
  try {
    return emitKyaml(object, { inGivenOrder });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`error decoding: ${error.message}`, { cause: error });
  }
}
