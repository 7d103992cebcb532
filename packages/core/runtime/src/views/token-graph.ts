import type { Program } from '@signalbox/kernel';

/**
 * The graph that a token runs in, as a key of the program. A token's path names the nodes that opened the scopes it lies in
 * (`each#1.0/fork#2.1`): maps and subgraphs lead into a graph of their own, forks stay where they are.
 */
export function graphKeyOf(program: Program, token: string): string {
  let key = '';
  for (const part of token === '' ? [] : token.split('/')) {
    const node = part.slice(0, part.indexOf('#'));
    key = program.graphs.get(key)?.nodes.get(node)?.graph ?? key;
  }
  return key;
}
