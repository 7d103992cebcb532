import { pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import { entryOf, isText, type SourceEntry, type SourceList, type SourceMap, type SourceNode } from './source-node.ts';

/** Built-in types, whose `params` are keys of the node itself; of all others they are the settings. */
const OWN_KEYS: ReadonlySet<string> = new Set(['transform', 'wait', 'map', 'subgraph', 'join', 'fail']);
const QUESTIONS: ReadonlySet<string> = new Set(['ask', 'decision']);

/** `[{ name, type, params, … }]` as a map from name to node. Of two with one name the first is read. */
export function nodesFromList(list: SourceList, pointer: string, conversion: Conversion): SourceMap {
  const entries = new Map<string, SourceEntry>();
  list.items.forEach((item, index) => {
    const place = pointerTo(pointer, index);
    conversion.mark(place, item);
    if (!isNamed(item)) conversion.doubtAt(pointer, 'nodes');
    if (item.kind !== 'map') {
      conversion.wrong(item, place, 'a map with `name` and `type`');
      return;
    }
    const named = nameOfNode(item);
    if (named === undefined) {
      conversion.fault('MissingKey', place, 'A node in a list needs `name`.');
      return;
    }
    conversion.mark(pointerTo(place, named.key), named.value, named.keyAt);
    if (!isText(named.value)) {
      if (named.value.kind === 'scalar') conversion.textWanted(named.value, pointerTo(place, named.key), 'a text');
      else conversion.wrong(named.value, pointerTo(place, named.key), 'a text');
      return;
    }
    const name = named.value.value;
    if (entries.has(name)) {
      const hint = 'Give one of them another name.';
      const message = `There are two nodes with the name \`${name}\`.`;
      conversion.fault('DuplicateNode', pointerTo(place, named.key), message, { hint });
    } else entries.set(name, { key: name, keyAt: named.value.at, value: without(item, named) });
  });
  return { kind: 'map', at: list.at, entries: [...entries.values()] };
}

function nameOfNode(node: SourceMap): SourceEntry | undefined {
  return entryOf(node, 'name') ?? entryOf(node, 'id');
}

function isNamed(node: SourceNode): boolean {
  return node.kind === 'map' && isText(nameOfNode(node)?.value);
}

/** The node with `params` where they now belong. Whoever writes both meets the fault of a key said twice. */
export function placeParams(node: SourceMap): SourceMap {
  const params = entryOf(node, 'params');
  if (params === undefined) return node;
  const { entries: rest } = without(node, params);
  const type = entryOf(node, 'type')?.value;
  const word = isText(type) ? type.value : '';
  const own = OWN_KEYS.has(word) || (QUESTIONS.has(word) && isMapWith(params, 'request'));
  if (own && params.value.kind === 'map') return { ...node, entries: [...rest, ...params.value.entries] };
  return { ...node, entries: [...rest, { ...params, key: QUESTIONS.has(word) ? 'request' : 'with' }] };
}

function without(node: SourceMap, left: SourceEntry): SourceMap {
  return { ...node, entries: node.entries.filter(entry => entry !== left) };
}

function isMapWith({ value }: SourceEntry, key: string): boolean {
  return value.kind === 'map' && entryOf(value, key) !== undefined;
}
