import type { Fault } from '../error/fault.ts';

/**
 * A fault without its place in the definition; `offset` counts characters of the source from 0. Codes:
 * `ExpressionSyntax`, `ExpressionTooLarge`, `ExpressionType`, `OptionalRead`, and the warnings `NullRead`, `ImpossibleComparison`.
 */
export type ExpressionFault = Omit<Fault, 'pointer'>;
