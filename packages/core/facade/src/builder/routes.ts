import type { GivenAnswer, JsonValue } from '@signalbox/kernel';
import type { NodeView, RunView } from './context.ts';
import type { GraphTypes } from './graph-types.ts';
import type { NodeSpec, OnOf, OutputOf, RefOf, SPEC } from './node-spec.ts';
import type { DeepReadonly } from './state-types.ts';

/** By the bare mark: with the types of `NodeSpec` here, a node made in place would take them for its own. */
export type NodeSpecs = Readonly<Record<string, Pick<NodeSpec, typeof SPEC>>>;

/** What a guard written in TypeScript sees; the same names as in CEL. */
export interface GuardView<Types extends GraphTypes, Output> {
  readonly input: DeepReadonly<Types['input']>;
  readonly state: Types['state']['view'];
  readonly output: DeepReadonly<Output>;
  readonly nodes: Readonly<Record<string, NodeView | undefined>>;
  readonly answers: readonly GivenAnswer[];
  readonly run: RunView;
  readonly session: JsonValue | undefined;
}

/** One guarded way out. The first route whose `on` and guard both hold is taken. */
export interface RouteOptions<To, On, View> {
  /** A node or `end`; several open a scope with one token each, in this order. */
  readonly to: To | readonly To[];
  /** Absent: every outcome but `failed` and `limit`. */
  readonly on?: On | readonly On[];
  /** CEL, or a pure function of what it is given; a graph with one runs, but is not portable. */
  readonly when?: string | ((view: View) => boolean);
  /** CEL; goes on while it does not hold. Not together with `when`. */
  readonly until?: string;
  readonly because?: string;
}

/** Node → the names its routes lead to. */
export type Targets<Nodes extends NodeSpecs> = { readonly [Name in keyof Nodes]?: (keyof Nodes & string) | 'end' };

/** Makes nodes fail to compile that speak of a node that is not there. */
export type KnownRefs<Nodes extends NodeSpecs> = {
  readonly [Name in keyof Nodes]: [RefOf<Nodes[Name]>] extends [keyof Nodes]
    ? unknown
    : { readonly 'speaks of a node that is not there': Exclude<RefOf<Nodes[Name]>, keyof Nodes> };
};

/** What a graph is built from. */
export interface GraphParts<Types extends GraphTypes, Nodes extends NodeSpecs, To> {
  readonly entry: NoInfer<keyof Nodes & string>;
  readonly nodes: Nodes & KnownRefs<Nodes>;
  /** A node without routes ends its token. */
  readonly routes: {
    readonly [Name in keyof To]: readonly RouteOptions<
      To[Name],
      OnOf<Nodes[Name & keyof Nodes]>,
      GuardView<Types, OutputOf<Nodes[Name & keyof Nodes]>>
    >[];
  };
}

export type OutputsOf<Nodes extends NodeSpecs> = { readonly [Name in keyof Nodes]: OutputOf<Nodes[Name]> };

/** Under an `output` map its values, whose types only the run knows; else the outputs of the nodes at which a token can end. */
export type RunOutput<Nodes extends NodeSpecs, To, Key extends string> = [Key] extends [never]
  ? {
      [Name in keyof Nodes]: Name extends keyof To
        ? 'end' extends To[Name]
          ? OutputOf<Nodes[Name]>
          : never
        : OutputOf<Nodes[Name]>;
    }[keyof Nodes]
  : { readonly [Name in Key]: JsonValue };
