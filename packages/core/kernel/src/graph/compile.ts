import { SignalboxError } from '../error/error.ts';
import type { Fault } from '../error/fault.ts';
import { checkMeaning } from './check/meaning.ts';
import { checkShape } from './check/shape.ts';
import { CompileContext } from './compile-context.ts';
import { compileParts } from './compile-parts.ts';
import type { GraphDefinition } from './definition.ts';
import { ExpressionCompiler } from './expression-compiler.ts';
import { versionHash } from './normalize.ts';
import { checkPredicates, usesPredicates } from './predicates.ts';
import type { CompiledGraph, GraphCode, Program } from './program.ts';
import { mentionsRestart } from './restart-targets.ts';

/** `program` is there exactly when no fault is an error. */
export interface Compilation {
  readonly program?: Program;
  readonly faults: readonly Fault[];
}

/**
 * Checks a definition and makes it ready to run; all faults together, each with the JSON pointer of its place.
 * What is not shaped as it should be is told, left out, and the rest is checked all the same.
 */
export function compileGraph(definition: GraphDefinition, code?: GraphCode): Compilation {
  const { graph, faults: shape } = checkShape(definition);
  if (graph === undefined) return { faults: shape };
  const compiled = compileAll(graph, code);
  const faults = [
    ...shape,
    ...checkMeaning(graph, compiled.graphs, compiled.expressions),
    ...compiled.faults,
    ...checkPredicates(graph, code),
  ];
  if (faults.some(fault => fault.severity === 'error')) return { faults };
  return { program: programOf(definition, compiled.graphs), faults };
}

/** All that is wrong with a definition, warnings included. */
export function checkDefinition(definition: GraphDefinition): readonly Fault[] {
  return compileGraph(definition).faults.filter(fault => fault.code !== 'UnknownPredicate');
}

/**
 * Makes a definition ready that was checked before it was stored. The same program as from {@link compileGraph}.
 *
 * @throws SignalboxError `InvalidDefinition` when something in it cannot be compiled, `HandlerMissing` for a predicate
 * that `code` does not have.
 */
export function loadProgram(definition: GraphDefinition, code?: GraphCode): Program {
  const missing = checkPredicates(definition, code)[0];
  if (missing !== undefined) throw new SignalboxError('HandlerMissing', missing.message, { hint: missing.hint ?? '' });
  const compiled = compileAll(definition, code);
  const fault = compiled.faults.find(({ severity }) => severity === 'error');
  if (fault === undefined) return programOf(definition, compiled.graphs);
  throw new SignalboxError(
    'InvalidDefinition',
    `The graph \`${definition.name}\` cannot be compiled: ${fault.message}`,
    {
      hint: 'Check it with `signalbox graph check`.',
      details: { code: fault.code, pointer: fault.pointer },
    },
  );
}

function compileAll(graph: GraphDefinition, code: GraphCode | undefined) {
  const compiler = new ExpressionCompiler();
  const graphs = new Map<string, CompiledGraph>();
  const context = new CompileContext({ graph, compiler, code, graphs, restarts: mentionsRestart(graph) });
  compileParts(context, { key: '', pointer: '', isItem: false });
  return { graphs, faults: compiler.faults, expressions: compiler.compiled };
}

function programOf(definition: GraphDefinition, graphs: Program['graphs']): Program {
  return { hash: versionHash(definition), definition, graphs, portable: !usesPredicates(definition) };
}
