import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defineGraph } from '../builder/define-graph.ts';
import type { Graph, GraphShape } from '../builder/graph.ts';
import type { GraphBuilder } from '../builder/graph-builder.ts';
import { type NodeRecipe, type NodeSpec, nodeSpec, SPEC } from '../builder/node-spec.ts';
import { present } from '../builder/present.ts';
import type { EndCode } from './find-end.ts';
import { moderatorType } from './moderator.ts';
import { END_DEFAULTS, type EndRules, type PersonRules } from './moderator-settings.ts';
import type { Turn } from './turn.ts';
import { STATE } from './turns-schema.ts';

interface TurnsState {
  readonly view: { readonly turns: readonly Turn[] };
  readonly update: { readonly turns?: readonly Turn[] };
}

/** Makes the nodes of a conversation; see `GraphBuilder`. */
export type ConversationBuilder<Name extends string, Input extends StandardSchemaV1> = Omit<
  GraphBuilder<{
    readonly name: Name;
    readonly start: StandardSchemaV1.InferInput<Input>;
    readonly input: StandardSchemaV1.InferOutput<Input>;
    readonly state: TurnsState;
  }>,
  'build'
>;

export interface ConversationOptions<Name extends string, Input extends StandardSchemaV1> extends EndRules {
  readonly name: Name;
  readonly title?: string;
  readonly description?: string;
  readonly input: Input;
  /** In the order in which they speak: agents, steps or any other nodes. What one gives out is what it says. */
  readonly speakers: (talk: ConversationBuilder<Name, Input>) => Readonly<Record<string, NodeSpec>>;
  /** CEL that gives a name, or a node whose output has the name as `speaker`; default: each in turn. */
  readonly choose?: string | ((talk: ConversationBuilder<Name, Input>) => NodeSpec);
  /** CEL over `state.turns`, and `output`, what was said last; looked at after each turn. */
  readonly until?: string;
  /** `ask`: CEL; where it holds a person is asked between two turns. */
  readonly person?: PersonRules & { readonly ask?: string };
}

/** No interface, so that it is a `JsonValue`. */
export type ConversationOutput = {
  readonly code: EndCode;
  readonly reason: string;
  /** The numbers of the turns that show it. */
  readonly evidence: readonly number[];
  readonly turns: readonly Turn[];
};

interface ConversationShape<Name extends string> extends GraphShape {
  readonly name: Name;
  readonly state: TurnsState['view'];
}

/**
 * Several speakers under a moderator, as a graph: moderator → a speaker → moderator … → end. Its output says why it
 * ended and what was said. A turn whose content does not fit its speaker's `output` schema is none: nobody hears it.
 * @throws SignalboxError `InvalidGraph` with all faults.
 */
export function conversation<const Name extends string, Input extends StandardSchemaV1>(
  options: ConversationOptions<Name, Input>,
): Graph<StandardSchemaV1.InferInput<Input>, ConversationOutput, ConversationShape<Name>> {
  const { name, title, description, input, choose } = options;
  const named = present({ title, description });
  const talk = defineGraph({ ...named, name, input, state: STATE, limits: limitsFor(options.maxTurns) });
  const made = options.speakers(talk as never);
  const names = Object.keys(made);
  const chooser = typeof choose === 'function' ? { chooser: choosing(choose(talk as never), names) } : {};
  const nodes = {
    moderator: moderatorOf(options, names),
    ...chooser,
    ...Object.fromEntries(Object.entries(made).map(([speaker, spec]) => [speaker, speaking(spec, speaker)])),
  };
  const output = {
    code: 'nodes.moderator.output.code',
    reason: 'nodes.moderator.output.reason',
    evidence: 'nodes.moderator.output.evidence',
    turns: 'state.turns',
  };
  // The builder's types know nodes by name; here the names come with the speakers.
  const build = talk.build as (parts: object) => unknown;
  return build({ entry: 'moderator', nodes, routes: routesOf(names, 'chooser' in chooser), output }) as never;
}

/** Steps of a turn: the moderator's, perhaps the chooser's, the speaker's. */
const STEPS = 3;

/** Room for every turn twice, so that a rollback within the conversation finds some; what ends it is the moderator. */
function limitsFor(maxTurns: number = END_DEFAULTS.maxTurns) {
  const visits = 2 * (maxTurns + 1);
  return { maxVisits: visits, maxSteps: STEPS * visits };
}

type Moderated = Omit<ConversationOptions<string, StandardSchemaV1>, 'speakers' | 'choose'> & {
  readonly choose?: unknown;
};

function moderatorOf(
  { choose, until, person: { ask, ...person } = {}, ...rules }: Moderated,
  speakers: readonly string[],
): NodeSpec {
  const { maxTurns, repeated, agreement, noProgress } = rules;
  const chooser = typeof choose === 'function' ? 'chooser' : undefined;
  return nodeSpec({
    kind: 'typed',
    type: moderatorType,
    options: {
      timeout: '30s',
      input: present({
        until: until === undefined ? 'false' : `state.turns.size() > 0 && (${until})`,
        next: typeof choose === 'string' ? choose : undefined,
        ask,
      }),
      with: present({ speakers, chooser, maxTurns, repeated, agreement, noProgress, person }),
      update: { turns: 'output.said' } as never,
    },
  });
}

function speaking(spec: NodeSpec, name: string): NodeSpec {
  const turn = `{'turn': state.turns.size() + 1, 'speaker': '${name}', 'content': output}`;
  const recipe = spec[SPEC];
  const update = { ...recipe.options.update, turns: `[${turn}]` };
  return nodeSpec({ ...recipe, options: { ...recipe.options, update } } as NodeRecipe);
}

function choosing(spec: NodeSpec, options: readonly string[]): NodeSpec {
  const recipe = spec[SPEC];
  const decides = { point: 'speaker', chosen: 'output.speaker', options, ...recipe.options.decides };
  return nodeSpec({ ...recipe, options: { ...recipe.options, decides } } as NodeRecipe);
}

function routesOf(speakers: readonly string[], hasChooser: boolean) {
  const to = (said: string) => speakers.map(name => ({ to: name, when: `${said} == '${name}'` }));
  return {
    moderator: [
      ...to('output.next'),
      ...(hasChooser ? [{ to: 'chooser', when: "output.next == 'chooser'" }] : []),
      { to: 'end', because: 'the conversation is over' },
    ],
    ...(hasChooser ? { chooser: to('output.speaker') } : {}),
    ...Object.fromEntries(speakers.map(name => [name, [{ to: 'moderator', because: 'a turn was taken' }]])),
  };
}
