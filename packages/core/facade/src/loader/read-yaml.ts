import { DANGEROUS_KEYS, MAX_JSON_DEPTH, pointerTo } from '@signalbox/kernel';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { PlacedFault } from './located-fault.ts';
import { tooDeepAt } from './nesting.ts';
import type { SourceEntry, SourceNode, SourceScalar } from './source-node.ts';

export interface ParsedSource {
  /** Absent when the text cannot be read at all. */
  readonly root?: SourceNode;
  readonly faults: readonly PlacedFault[];
}

/**
 * YAML 1.2, core schema, one document, nothing that a reader of the text would not see at that place: no aliases, tags or
 * merge keys. `yes`, `12:30` and `2026-03-04` are texts. All that is refused is told at once.
 */
export function readYaml(text: string): ParsedSource {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { faults: [fault('TooDeep', deep, '', 'The text nests too deeply.')] };
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const syntax = document.errors.map(({ code, pos, message }) =>
    code === 'MULTIPLE_DOCS'
      ? fault('YamlDocuments', pos[0], '', 'The file holds more than one document.', 'Keep one graph in a file.')
      : fault('InvalidYaml', pos[0], '', `This is no valid YAML: ${message}.`),
  );
  if (syntax.length > 0) return { faults: firstOfEachLine(syntax, text) };
  const reader = new YamlReader(text);
  reader.checkDirectives(document);
  return { root: reader.node(document.contents, '', 0, text.length), faults: reader.faults };
}

/** After a mistake the parser often stumbles again in the same line. */
function firstOfEachLine(faults: readonly PlacedFault[], text: string): PlacedFault[] {
  const told = new Set<number>();
  return faults.filter(({ at }) => {
    const lineStart = text.lastIndexOf('\n', at - 1);
    return told.size !== told.add(lineStart).size;
  });
}

class YamlReader {
  readonly faults: PlacedFault[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  checkDirectives(document: Document.Parsed): void {
    const { explicit, version } = document.directives.yaml;
    if (explicit !== true || version === '1.2') return;
    this.refuse('YamlDirective', 0, '', 'The text asks for YAML 1.1.', 'Graphs are YAML 1.2; leave the directive out.');
  }

  /** `fallback` is where a value stands that was left out. */
  node(node: ParsedNode | null, pointer: string, depth: number, fallback: number): SourceNode {
    if (node === null) return { kind: 'scalar', at: fallback, value: null, raw: '', style: 'plain' };
    const at = node.range[0];
    if (isAlias(node))
      return this.refuse('YamlAlias', at, pointer, `The alias \`*${node.source}\` is not read.`, WRITE_OUT);
    if (node.anchor !== undefined) {
      this.refuse('YamlAlias', at, pointer, `The anchor \`&${node.anchor}\` is not read.`, WRITE_OUT);
    }
    if (node.tag !== undefined) {
      const hint = 'Write the value plainly; quote it where it is a text.';
      return this.refuse('YamlTag', at, pointer, `The tag \`${node.tag}\` is not read.`, hint);
    }
    if (isScalar(node)) return this.scalar(node, pointer);
    if (depth >= MAX_JSON_DEPTH) return this.refuse('TooDeep', at, pointer, `Nested deeper than ${MAX_JSON_DEPTH}.`);
    return isMap(node) ? this.map(node, pointer, depth) : this.list(node, pointer, depth);
  }

  private list(node: YAMLSeq.Parsed, pointer: string, depth: number): SourceNode {
    const items = node.items.map((item, index) => {
      const place = pointerTo(pointer, index);
      if (isSeq(item) || isMap(item) || isScalar(item) || isAlias(item)) {
        return this.node(item, place, depth + 1, node.range[0]);
      }
      return this.node(null, place, depth + 1, node.range[0]);
    });
    return { kind: 'list', at: node.range[0], items };
  }

  private map(node: YAMLMap.Parsed, pointer: string, depth: number): SourceNode {
    const entries = new Map<string, SourceEntry>();
    for (const pair of node.items) {
      const keyAt = pair.key?.range[0] ?? node.range[0];
      const key = this.key(pair, keyAt, pointer);
      if (key === undefined) continue;
      const place = pointerTo(pointer, key);
      const value = this.node(pair.value, place, depth + 1, pair.key?.range[1] ?? keyAt);
      if (entries.has(key)) {
        const hint = 'Keep one of them; which one was meant cannot be told.';
        this.refuse('DuplicateKey', keyAt, place, `The key \`${key}\` stands twice.`, hint);
      } else entries.set(key, { key, keyAt, value });
    }
    return { kind: 'map', at: node.range[0], entries: [...entries.values()] };
  }

  private key({ key }: Pair<ParsedNode, ParsedNode | null>, at: number, pointer: string): string | undefined {
    if (!isScalar(key)) {
      this.refuse('InvalidYaml', at, pointer, 'A key must be a text.');
      return undefined;
    }
    const node = this.node(key, pointer, 0, at);
    if (node.kind !== 'scalar') return undefined;
    if (typeof node.value !== 'string') {
      const hint = `Quote it: "${node.raw === '' ? 'null' : node.raw}".`;
      this.refuse('TextWanted', at, pointer, 'A key must be a text.', hint);
    } else if (node.value === '<<') {
      this.refuse('YamlMergeKey', at, pointer, 'The merge key `<<` is not read.', WRITE_OUT);
    } else if (DANGEROUS_KEYS.has(node.value)) {
      this.refuse('DangerousKey', at, pointerTo(pointer, node.value), `\`${node.value}\` is not allowed as a key.`);
    } else return node.value;
    return undefined;
  }

  private scalar(node: Scalar.Parsed, pointer: string): SourceNode {
    const { value } = node;
    const at = node.range[0];
    const raw = this.text.slice(at, node.range[1]);
    if (typeof value === 'string' && /\0/.test(value)) {
      return this.refuse('InvalidText', at, pointer, 'NUL (U+0000) is not allowed in a text.');
    }
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) {
      return this.refuse('InvalidText', at, pointer, 'Half a surrogate pair is no character.');
    }
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
      return { kind: 'scalar', at, value: value === 0 ? 0 : value, raw, style: styleOf(node) };
    }
    return this.refuse('InvalidYaml', at, pointer, 'A value must be a text, a number, true, false or null.');
  }

  private refuse(code: string, at: number, pointer: string, message: string, hint?: string): SourceNode {
    this.faults.push(fault(code, at, pointer, message, hint));
    return { kind: 'broken', at };
  }
}

const WRITE_OUT = 'Write the value out where it belongs.';

function styleOf({ type }: Scalar.Parsed): SourceScalar['style'] {
  if (type === 'PLAIN') return 'plain';
  if (type === 'QUOTE_SINGLE') return 'single';
  return type === 'QUOTE_DOUBLE' ? 'double' : 'block';
}

function fault(code: string, at: number, pointer: string, message: string, hint?: string): PlacedFault {
  return { code, severity: 'error', pointer, at, message, ...(hint === undefined ? {} : { hint }) };
}
