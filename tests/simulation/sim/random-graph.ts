import {
  compileGraph,
  type GraphDefinition,
  type JoinMode,
  type JsonObject,
  type NodeDefinition,
  type Program,
  type RequestDefinition,
  type RouteDefinition,
} from '@signalbox/kernel';
import { type Behaviour, randomBehaviour } from './behaviour.ts';
import { createRandom, type Random } from './random.ts';

export interface RandomGraph {
  readonly definition: GraphDefinition;
  readonly program: Program;
  /** By handler key. */
  readonly behaviours: ReadonlyMap<string, Behaviour>;
}

const OUTPUT: JsonObject = {
  type: 'object',
  required: ['n', 'ops'],
  properties: { n: { type: 'integer' }, ops: { type: 'object', additionalProperties: true } },
};

const STATE: GraphDefinition['state'] = {
  count: { schema: { type: 'integer' }, reducer: 'sum' },
  log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
  flags: { schema: { type: 'object', additionalProperties: true }, reducer: 'merge' },
  last: { schema: { type: 'string', default: '' } },
};

export function formOf(title: string, extra: Partial<RequestDefinition> = {}): RequestDefinition {
  const fields = [{ name: 'x', type: 'number', label: 'X', required: true, min: 0, max: 100 }] as const;
  return { kind: 'form', title, fields, ...extra };
}

interface Level {
  readonly nodes: Record<string, NodeDefinition>;
  readonly routes: Record<string, RouteDefinition[]>;
  readonly graphs: Record<string, GraphDefinition>;
  /** Inside a fork nothing writes a `replace` key, which the compiler would refuse. */
  readonly forked: boolean;
}

/** A valid graph of about `size` nodes, put together from blocks that each lead on to what comes after. */
class Generator {
  readonly behaviours = new Map<string, Behaviour>();
  readonly #random: Random;
  #left: number;
  #names = 0;

  constructor(random: Random, size: number) {
    this.#random = random;
    this.#left = size;
  }

  graph(name: string, depth: number): GraphDefinition {
    const level: Level = { nodes: {}, routes: {}, graphs: {}, forked: false };
    const entry = this.#sequence(level, 'end', depth);
    const { nodes, routes, graphs } = level;
    return {
      name,
      input: {},
      state: STATE,
      entry,
      nodes,
      routes,
      ...(Object.keys(graphs).length === 0 ? {} : { graphs }),
    };
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }

  /** One block at least, more as long as there is something left; gives its first node. */
  #sequence(level: Level, next: string, depth: number): string {
    let entry = this.#block(level, next, depth);
    while (this.#left > 0 && this.#random.chance(0.6)) entry = this.#block(level, entry, depth);
    return entry;
  }

  #block(level: Level, next: string, depth: number): string {
    this.#left -= 1;
    const deep = depth > 0 && this.#left > 0;
    const kind = this.#random.weighted([
      [6, 'step'],
      [2, 'ask'],
      [2, 'transform'],
      [2, 'wait'],
      [1, 'loop'],
      [deep ? 2 : 0, 'choice'],
      [deep ? 4 : 0, 'fork'],
      [deep ? 2 : 0, 'map'],
      [deep ? 2 : 0, 'subgraph'],
      [deep ? 1 : 0, 'caught'],
    ]);
    switch (kind) {
      case 'step':
        return this.#put(level, 's', this.#step(level), [{ to: [next] }]);
      case 'ask':
        return this.#ask(level, next);
      case 'transform':
        return this.#put(level, 't', { type: 'transform', output: { n: 'state.count' }, update: this.#update(level) }, [
          { to: [next] },
        ]);
      case 'wait':
        return this.#put(level, 'w', this.#wait(), [{ to: [next] }]);
      case 'loop':
        return this.#loop(level, next);
      case 'choice':
        return this.#choice(level, next, depth);
      case 'fork':
        return this.#fork(level, next, depth);
      case 'map':
        return this.#map(level, next, depth);
      case 'subgraph':
        return this.#subgraph(level, next, depth);
      case 'caught':
        return this.#caught(level, next, depth);
    }
  }

  #put(level: Level, prefix: string, node: NodeDefinition, routes: RouteDefinition[], given?: string): string {
    const name = given ?? this.#name(prefix);
    level.nodes[name] = node;
    level.routes[name] = routes;
    return name;
  }

  #update(level: Level): Record<string, string> {
    return this.#random.pick<Record<string, string>>([
      { count: '1' },
      { log: "['t']" },
      { flags: "{'a': state.count}" },
      level.forked ? { count: '2' } : { last: "'t'" },
    ]);
  }

  #step(_level: Level): NodeDefinition {
    const random = this.#random;
    const handler = this.#handler();
    return {
      type: 'step',
      handler,
      output: OUTPUT,
      ...(random.chance(0.4) ? { retry: { attempts: 2 + random.int(2), backoff: random.pick(['100ms', '3s']) } } : {}),
      ...(random.chance(0.15) ? { compensate: { handler: this.#handler('undo') } } : {}),
      ...(random.chance(0.1) ? { fallback: { lastGood: { maxAge: '1h' } } } : {}),
      ...(random.chance(0.05) ? { deadline: '10s' } : {}),
      ...(random.chance(0.05) ? { timeout: '10s' } : {}),
    };
  }

  #handler(kind = 'h'): string {
    const name = this.#name(kind);
    const key = `sim/${name}@1`;
    const undo: Behaviour = {
      acts: [{ do: 'run', name: 'undo', once: false, failures: 0 }],
      end: 'success',
      update: false,
    };
    this.behaviours.set(key, kind === 'undo' ? undo : randomBehaviour(this.#random, name));
    return key;
  }

  #ask(level: Level, next: string): string {
    const deadline = this.#random.chance(0.4)
      ? { deadline: { after: '1h', onExpire: this.#random.pick(['route', 'fail'] as const) } }
      : {};
    const hold = this.#random.chance(0.1) ? { hold: 'run' as const } : {};
    const request = formOf('Well?', { ...deadline, ...hold });
    return this.#put(level, 'q', { type: 'ask', request, update: { count: '1' } }, [{ to: [next] }]);
  }

  #wait(): NodeDefinition {
    return this.#random.pick<NodeDefinition>([
      { type: 'wait', for: '1h' },
      { type: 'wait', for: '1s' },
      { type: 'wait', signal: 'go' },
      { type: 'wait', first: { late: { for: '2h' }, go: { signal: 'come' }, counted: { when: 'state.count > 2' } } },
      { type: 'wait', first: { late: { for: '2s' }, said: { ask: formOf('Sooner?') } } },
    ]);
  }

  #loop(level: Level, next: string): string {
    const name = this.#name('l');
    const node = { ...this.#step(level), update: { count: '1' } } as NodeDefinition;
    return this.#put(level, 'l', node, [{ to: [name], when: `run.visits.${name} < 3` }, { to: [next] }], name);
  }

  #choice(level: Level, next: string, depth: number): string {
    const one = this.#sequence(level, next, depth - 1);
    const other = this.#sequence(level, next, depth - 1);
    return this.#put(level, 'c', this.#step(level), [{ to: [one], when: 'output.n % 2 == 0' }, { to: [other] }]);
  }

  #fork(level: Level, next: string, depth: number): string {
    const random = this.#random;
    const size = 2 + random.int(2);
    const mode = random.weighted<JoinMode>([
      [3, 'all'],
      [1, 'any'],
      [1, { count: 2 }],
    ]);
    const join = this.#put(level, 'j', { type: 'join', join: mode }, [{ to: [next] }]);
    const inner = { ...level, forked: true };
    const to = Array.from({ length: size }, (_, index) => {
      const mayEnd = index > 0 && mode === 'all' && random.chance(0.1);
      return this.#sequence(inner, mayEnd ? 'end' : join, depth - 1);
    });
    return this.#put(level, 'f', { type: 'transform', output: { n: 'state.count' } }, [{ to }]);
  }

  #map(level: Level, next: string, depth: number): string {
    const random = this.#random;
    const name = this.#name('m');
    let body: Extract<NodeDefinition, { type: 'map' }>['body'];
    if (random.chance(0.5)) body = { node: this.#step(level) };
    else {
      level.graphs[`${name}g`] = this.graph(`${name}g`, depth - 1);
      body = { graph: `${name}g`, ...(random.chance(0.5) ? { share: ['count', 'log'] } : {}) };
    }
    const node: NodeDefinition = {
      type: 'map',
      items: random.pick(['[1, 2, 3]', '[1]', '[]', '[1, 2]']),
      body,
      concurrency: 1 + random.int(3),
      ...(random.chance(0.5) ? { onError: 'collect' } : {}),
    };
    return this.#put(level, 'm', node, [{ to: [next] }], name);
  }

  #subgraph(level: Level, next: string, depth: number): string {
    const name = this.#name('g');
    level.graphs[name] = this.graph(name, depth - 1);
    const share = this.#random.chance(0.5) ? { share: ['count', 'log'] } : {};
    return this.#put(level, 'g', { type: 'subgraph', graph: name, ...share }, [{ to: [next] }]);
  }

  /** A step whose failure has a way of its own. */
  #caught(level: Level, next: string, depth: number): string {
    const rescue = this.#sequence(level, next, depth - 1);
    return this.#put(level, 's', this.#step(level), [{ to: [rescue], on: ['failed'] }, { to: [next] }]);
  }
}

const cache = new Map<string, RandomGraph>();

/** The graph of a seed. @throws Error naming seed and faults when the generator made one that does not compile. */
export function randomGraph(seed: number, size: number): RandomGraph {
  const key = `${seed}/${size}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const generator = new Generator(createRandom(seed, 'graph'), size);
  const definition = generator.graph('sim', 2);
  const { program, faults } = compileGraph(definition);
  if (program === undefined)
    throw new Error(
      `Graph ${key} does not compile:\n${faults.map(({ code, pointer, message }) => `${pointer} ${code}: ${message}`).join('\n')}\n${JSON.stringify(definition)}`,
    );
  const graph = { definition, program, behaviours: generator.behaviours };
  if (cache.size > 500) cache.clear();
  cache.set(key, graph);
  return graph;
}
