import { canonicalJson, type JsonValue, type Run, stateObject, toJsonValue } from '@signalbox/kernel';

/**
 * What a history must fold to, for ever: the meaning of a run, by name and not as it happens to be held in memory, so that
 * a later version may hold more or hold it otherwise.
 */
export function foldedState(run: Run): string {
  const picked = {
    id: run.id,
    tenant: run.tenant,
    graph: run.graph,
    version: run.version,
    semantics: run.semantics,
    seq: run.seq,
    at: run.at,
    status: run.status,
    suspend: run.suspend,
    input: run.input,
    output: run.output,
    error: run.error,
    completion: run.completion,
    compensation: run.compensation,
    term: run.term,
    owner: run.owner,
    episode: run.episode,
    generation: run.generation,
    fork: run.fork,
    executed: run.executed,
    tokens: sorted(run.tokens, tokenOf),
    requests: sorted(new Map([...run.requests, ...run.closedRequests]), requestOf),
    timers: sorted(run.timers, ({ at, kind, node }) => ({ at, kind, node })),
    signals: sorted(run.signals, values => values),
    compensations: run.compensations.map(({ token, node, visit }) => ({ token, node, visit })),
  };
  const json = toJsonValue(picked);
  if (!json.ok) throw new Error(`The fold of ${run.id} is not JSON at ${json.pointer}.`);
  return canonicalJson(json.value);
}

type TokenOf<Tokens> = Tokens extends ReadonlyMap<string, infer Token> ? Token : never;

function tokenOf(token: TokenOf<Run['tokens']>) {
  const { at } = token;
  return {
    at: at.kind,
    node: 'node' in at ? at.node : undefined,
    visit: 'visit' in at ? at.visit : undefined,
    status: 'status' in at ? at.status : undefined,
    state: stateObject(token.state) as JsonValue,
    last: token.last,
    steps: token.steps,
    visits: token.visits,
    nodes: token.nodes,
    trail: token.trail.toList(),
    answers: token.answers,
  };
}

function requestOf(request: TokenOf<Run['requests']>) {
  const { status, title, node, about, deadline, answer } = request;
  return { status, title, node, about, deadline, answer };
}

function sorted<Value, Picked>(map: ReadonlyMap<string, Value>, pick: (value: Value) => Picked) {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, value]) => [id, pick(value)]));
}
