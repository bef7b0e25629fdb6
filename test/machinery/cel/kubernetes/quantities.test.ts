import { describe } from "vitest";
import { testFailures, testIssues, testValues } from "./evaluate.js";

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

describe("Kubernetes' CEL functions of quantities", () => {
  testValues([
    ["isQuantity('1.3G')", true],
    ["isQuantity('1.3Gi')", true],
    ["isQuantity('1,3G')", false],
    ["isQuantity('10000k')", true],
    ["isQuantity('200K')", false],
    ["isQuantity('Three')", false],
    // Kubernetes' documentation says otherwise, but what stands before a suffix may be missing.
    ["isQuantity('Mi') && quantity('Mi') == quantity('0')", true],
    ["isQuantity('20Mo')", false],
    ["isQuantity('10Mm')", false],
    ["isQuantity('1e3')", true],
    ["isQuantity('')", false],
    ["quantity('200M') == quantity('0.2G')", true],
    ["quantity('2M') == quantity('0.002G') && quantity('2000k') == quantity('2M')", true],
    ["quantity('200M') == quantity('0.3G')", false],
    ["quantity('50M').isLessThan(quantity('50Mi'))", true],
    ["quantity('50M').isLessThan(quantity('100M'))", true],
    ["quantity('100M').isLessThan(quantity('50M'))", false],
    ["quantity('50Mi').isGreaterThan(quantity('50M'))", true],
    ["quantity('150Mi').isGreaterThan(quantity('100Mi'))", true],
    ["quantity('50Mi').isGreaterThan(quantity('100Mi'))", false],
    ["quantity('200M').compareTo(quantity('0.2G'))", 0],
    ["quantity('50M').compareTo(quantity('50Mi'))", -1],
    ["quantity('50Mi').compareTo(quantity('50M'))", 1],
    ["sign(quantity('50Mi'))", 1],
    ["sign(quantity('-1m'))", -1],
    ["sign(quantity('0'))", 0],
    ["quantity('50k').add(quantity('20')) == quantity('50.02k')", true],
    ["quantity('50k').add(20).isLessThan(quantity('50020'))", false],
    ["quantity('50k').sub(quantity('20')) == quantity('49.98k')", true],
    ["quantity('50k').sub(20) == quantity('49980')", true],
    ["quantity('50k').add(20).sub(quantity('100k')).asInteger()", -49980],
    ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger()", 20],
    ["quantity('50k').asInteger()", 50000],
    ["quantity('999999999999999999').asInteger() == 999999999999999999", true],
    ["quantity('9223372036854775807').isInteger()", false],
    ["quantity('7Ei').isInteger()", false],
    ["quantity('7Ti').isInteger()", true],
    ["quantity('50000000G').isInteger()", true],
    ["quantity('50').isInteger()", true],
    ["quantity('9999999999999999999999999999999999999G').isInteger()", false],
    ["quantity('9223372036854775807').add(1).isInteger()", false],
    // Kubernetes looks at how a quantity is held: as a fraction it is no integer, whatever it counts.
    ["quantity('1000m').isInteger()", false],
    ["quantity('1.0').isInteger()", false],
    ["quantity('1.5Gi').isInteger()", false],
    ["quantity('1536Mi').isInteger()", true],
    ["quantity('50.703k').asApproximateFloat()", 50703],
    ["quantity('50k').sub(20000).asApproximateFloat()", 30000],
    ["quantity('1m').asApproximateFloat()", 0.001],
    ["quantity('1e308').asApproximateFloat() > 1e307", true],
    ["quantity('1.000Mi').sub(quantity('1000Mi')).asApproximateFloat()", -1047527424.0000001],
    ["quantity('1') == dyn(null)", false],
    ["quantity('1') != quantity('1').add(0)", true],
    ["quantity('1').add(0) == quantity('1')", true],
  ]);

  testFailures([
    ["quantity('200K')", "unable to parse quantity's suffix"],
    ["quantity('10Mo')", FORMAT],
    ["quantity('10Mm')", "unable to parse quantity's suffix"],
    ["quantity('Three')", FORMAT],
    ["quantity('')", FORMAT],
    ["quantity('9999999999999999999999999999999999999G').asInteger()", "cannot convert value to integer"],
    ["quantity('0.5').asInteger()", "cannot convert value to integer"],
    // Kubernetes cannot compare with a sum on the right.
    ["quantity('70k') == quantity('50k').add(quantity('20k'))", "no such overload"],
    ["quantity('1') == dyn(1)", "no such overload"],
  ]);

  testIssues([
    ["isQuantity([1, 2, 3])", "found no matching overload for 'isQuantity' applied to '(list(int))'"],
    ["quantity('1').add('1')", "found no matching overload for 'add' applied to 'kubernetes.Quantity.(string)'"],
    [
      "quantity('1') < quantity('2')",
      "found no matching overload for '_<_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
    ],
    ["quantity('1').sign()", "found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"],
  ]);
});
