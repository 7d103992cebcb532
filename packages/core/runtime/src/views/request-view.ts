import {
  type Action,
  askedDisplays,
  askedFields,
  type CompiledRequest,
  commitTime,
  type Display,
  type Field,
  type Gap,
  type JsonObject,
  type JsonValue,
  type Principal,
  type Program,
  type RequestDefinition,
  type RequestKind,
  type RequestState,
  type RuleDefinition,
  type Run,
  requestOf,
  zoneOf,
} from '@signalbox/kernel';

/** An open question as library, command line and console show it. A member that the question does not have is absent. */
export interface RequestView {
  readonly id: string;
  readonly kind: RequestKind;
  readonly title: string;
  readonly message?: string;
  readonly gap?: Gap;
  /** What the reasoning is about. */
  readonly summary?: string;
  /** What the answer is used for. */
  readonly purpose?: string;
  readonly context?: JsonValue;
  readonly fields: readonly Field[];
  /** What must hold across fields, as CEL over `values` and `now`. */
  readonly rules?: readonly RuleDefinition[];
  readonly displays?: readonly Display[];
  /** Labels of the actions where the question has its own. */
  readonly actions?: Readonly<Partial<Record<Action, string>>>;
  readonly proposal?: JsonValue;
  /** Empty: anybody entitled. */
  readonly assignees: readonly string[];
  readonly openedAt: string;
  readonly deadline?: string;
  /** How many persons must approve; absent: one. */
  readonly quorum?: number;
  /** Those who have, of what stands now, in order. */
  readonly endorsedBy?: readonly Principal[];
  /** What they approve. */
  readonly standing?: JsonObject;
  /** Who asked for it cannot answer. */
  readonly fourEyes?: true;
  readonly requester?: string;
  /** Who means to answer, so that the others keep off. */
  readonly claimedBy?: Principal;
  /** In which local times are read. */
  readonly zone: string;
  readonly node: string;
  /** Path of the token that asks; '' is the root. */
  readonly token: string;
  /** `ask`, or what of the engine's own asks: `doubt`, `compensation`, `limit`. */
  readonly about: RequestState['about'];
  /** Digest of exactly what is approved. */
  readonly subject?: string;
}

/** What was evaluated when the question was opened stands before what the definition says. */
export function requestView(run: Run, request: RequestState, program?: Program): RequestView {
  const compiled = program === undefined ? undefined : requestOf(program, run, request);
  const definition: Partial<RequestDefinition> = compiled?.definition ?? request.definition ?? {};
  const { message, summary, context, proposal } = { ...constantsOf(definition), ...request.filled };
  return {
    id: request.id,
    kind: definition.kind ?? request.kind ?? 'form',
    title: request.title === '' && typeof definition.title === 'string' ? definition.title : request.title,
    ...texts({ message, summary, purpose: definition.purpose }),
    ...present({ gap: definition.gap, context, actions: definition.actions, proposal }),
    fields: compiled === undefined ? [] : askedFields(request, compiled),
    ...(definition.rules === undefined ? {} : { rules: definition.rules }),
    ...displaysOf(request, compiled),
    zone: program === undefined ? run.zone : zoneOf(program, run, request),
    assignees: request.assignees,
    ...whoParts(request, definition),
    openedAt: commitTime(request.openedAt),
    ...(request.deadline === undefined ? {} : { deadline: commitTime(request.deadline) }),
    node: request.node,
    token: request.token,
    about: request.about,
    ...(request.subject === undefined ? {} : { subject: request.subject }),
  };
}

function whoParts(
  { endorsements = [], claim, filled }: RequestState,
  { quorum, fourEyes, requester }: Partial<RequestDefinition>,
): Partial<RequestView> {
  const standing = endorsements.at(-1)?.values;
  return {
    ...texts({ requester: filled.requester ?? requester }),
    ...present({ quorum, standing, claimedBy: claim?.by }),
    ...(fourEyes === true ? { fourEyes } : {}),
    ...(endorsements.length === 0 ? {} : { endorsedBy: endorsements.map(({ by }) => by) }),
  };
}

function displaysOf(request: RequestState, compiled: CompiledRequest | undefined): Pick<RequestView, 'displays'> {
  if (compiled === undefined) return {};
  const displays = askedDisplays(request, compiled);
  return displays.length === 0 ? {} : { displays };
}

/** Members without a template in them; a filled one replaces the others. */
function constantsOf({ message, summary, context, proposal }: Partial<RequestDefinition>): JsonObject {
  return present({ message, summary, context, proposal }) as JsonObject;
}

function texts(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function present<Members extends object>(members: Members): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Members>;
}
