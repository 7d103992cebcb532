import type { Validator } from '@signalbox/kernel';
import type {
  Clock,
  EventStore,
  Host,
  Identity,
  IdGenerator,
  KeyRing,
  LongTermMemory,
  ModelPort,
  SecretSource,
} from '@signalbox/ports';
import type { ModelRecords } from '../agent/request-record.ts';
import type { Check, Observer } from '../drive/driver-deps.ts';
import type { RequestCodec } from '../journal/context.ts';

/** What an engine is made of. */
export interface EngineOptions {
  readonly store: EventStore;
  readonly host: Host;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly codec: RequestCodec;
  /** Names this build of the user's code in `run.claimed`, so that a log tells which code did what; default `unknown`. */
  readonly build?: string;
  readonly checks?: readonly Check[];
  readonly observer?: Observer;
  /** What the metadata of a session is, where it is given and changed; none: any JSON. */
  readonly sessionMetadata?: Validator;
  /** A long-term memory of users, beside the box's own. */
  readonly memory?: LongTermMemory;
  /** What agents call; none: an agent fails with `NoModels`. */
  readonly models?: ModelPort;
  /**
   * What the log keeps of what models are told, where an agent does not say it itself. `full` (default): every text once; `digest`: who
   * was told, and how much. A digest of the whole request, and the reply, are kept by both.
   */
  readonly modelRecords?: ModelRecords;
  /** Where secrets are that tools and models name by reference; default: the environment. */
  readonly secrets?: SecretSource;
  /** Keys under which sensitive values are kept; default: those of `SIGNALBOX_KEY`, and without it none. */
  readonly keys?: KeyRing;
  /** Who has which roles; absent: whoever answers counts as what the caller lets them in as. */
  readonly identity?: Identity;
  /** Drivers that may die at one point before the node fails; default 3. */
  readonly crashLimit?: number;
  /**
   * Steps of a run that may be on their way to the disk at once; default 4. Their effects, and whatever is told to anybody,
   * wait for the disk all the same. 1: each step is on disk before the next begins.
   */
  readonly runAhead?: number;
  /** How long a cancelled handler may take to stop, ms; default 5,000. */
  readonly cancelGrace?: number;
  /** Data larger than this stand as payloads, in UTF-16 units of JSON; default 65,536. */
  readonly payloadLimit?: number;
  /** How long this process counts as alive after its last sign of life, ms; default 10,000. */
  readonly lease?: number;
}
