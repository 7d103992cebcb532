import { type Run, SignalboxError, type Task, type Token } from '@signalbox/kernel';

/**
 * The token of a task. That of a compensation may be gone with its scope: then the nearest one around it that is still
 * there, without state where that runs another graph.
 */
export function tokenOf(run: Run, task: Task): Token {
  for (let id = task.token; ; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
    const token = run.tokens.get(id);
    if (token !== undefined) return sharesState(token, task) ? token : { ...token, graph: task.graph, state: {} };
    if (id === '') throw new SignalboxError('UnknownToken', `The run has no token "${task.token}".`);
  }
}

/** The body of a map that is a single node reads the state around it; its graph is named after both. */
function sharesState(token: Token, task: Task): boolean {
  return token.graph === task.graph || task.graph.startsWith(`${token.graph}#`);
}
