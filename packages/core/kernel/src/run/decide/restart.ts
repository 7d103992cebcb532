import type { AnswerEntry } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { shownValues } from '../../request/shown-values.ts';
import { reduceWrites } from '../../state/reduce.ts';
import { answerOutput } from '../answer-output.ts';
import { askedFields } from '../asked.ts';
import { askedUpTo } from '../asked-so-far.ts';
import type { RequestState } from '../request-state.ts';
import type { Token } from '../token.ts';
import { bindings } from './bindings.ts';
import { cancelToken } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { evaluateMap, fail } from './finish.ts';

/**
 * A fresh pass in which the answer counts as established (design 4.7): the asking token, or the whole run, goes back to
 * where it was first entered, with the state of then, plus `carry` and the asking node's own `update`.
 */
export function restart(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  const resume = compiled.definition.resume;
  if (resume?.mode !== 'restart') return;
  const asking = d.token(request.token);
  const target = resume.in === 'run' ? d.token('') : asking;
  const at = resume.at ?? target.first ?? d.graphOf(target).entry;
  if (!d.graphOf(target).nodes.has(at) || target.entries[at] === undefined)
    return fail(
      d,
      refOf(request),
      errorData(
        'RestartTargetUnknown',
        `A restart cannot go back to "${at}": it was not entered in this scope, or no node names it in its restartTargets.`,
        {
          permanent: true,
        },
      ),
    );
  const operands = carried(d, asking, request, compiled, entry);
  if ('error' in operands) return fail(d, refOf(request), operands.error);
  const state = target.entries[at].state;
  const reduced = reduceWrites(d.graphOf(target).state, state, operands.values, request.node);
  if (!reduced.ok)
    return fail(
      d,
      refOf(request),
      errorData(reduced.code, reduced.message, { permanent: true, details: { pointer: reduced.pointer } }),
    );
  const asked = askedUpTo(d.run, asking.id);
  cancelToken(d, request.token, 'restarted');
  if (target.id !== asking.id) cancelToken(d, target.id, 'restarted');
  d.emit('episode.started', {
    episode: d.run.episode + 1,
    token: target.id,
    at,
    request: request.id,
    answer: entry,
    ...shownParts(request, compiled, entry),
    ...nameGiven(d.node(asking, request.node).definition.type, request.op),
    ...(target.id === asking.id ? {} : { asked }),
    ...(resume.dedupe === undefined ? {} : { dedupe: resume.dedupe }),
  });
  if (reduced.changes.length > 0) d.emit('state.changed', { token: target.id, changes: reduced.changes });
}

/** The form is gone when the answer is read again, so what people saw of it goes along. */
function shownParts(request: RequestState, compiled: CompiledRequest, { action, values = {} }: AnswerEntry) {
  const shown = shownValues(askedFields(request, compiled), values);
  const actionLabel = compiled.definition.actions?.[action];
  return {
    ...(Object.keys(shown).length === 0 ? {} : { shown }),
    ...(actionLabel === undefined ? {} : { actionLabel }),
  };
}

/** What tells the answers of one handler apart. */
function nameGiven(nodeType: string, op: string) {
  return nodeType === 'ask' ? {} : { name: op.replace(/#\d+$/, '') };
}

function carried(d: Decider, asking: Token, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry) {
  const see = bindings({ run: d.run, token: asking, graph: d.graphOf(asking), at: d.at, output: answerOutput(entry) });
  const node = d.node(asking, request.node);
  const carry = evaluateMap(compiled.carry ?? new Map(), see, 'carry of the restart');
  if ('error' in carry) return carry;
  const own =
    node.definition.type === 'ask'
      ? evaluateMap(node.update ?? new Map(), see, `update of "${node.name}"`)
      : { values: {} };
  return 'error' in own ? own : { values: { ...carry.values, ...own.values } };
}
