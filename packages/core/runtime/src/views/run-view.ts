import { commitTime, type ErrorData, type JsonObject, type JsonValue, type Program, type Run } from '@signalbox/kernel';
import { type RequestView, requestView } from './request-view.ts';
import { type WaitsView, waitsView } from './wait-views.ts';

interface RunViewBase extends WaitsView {
  readonly runId: string;
  readonly tenant: string;
  readonly graph: string;
  /** The graph's version hash. */
  readonly version: string;
  readonly label?: string;
  readonly session?: string;
  /** Start key. */
  readonly key?: string;
  readonly requestId: string;
  /** The run that this one is a fork of, and the sequence number up to which they have one past. */
  readonly fork?: { readonly parent: string; readonly at: number };
  /** Sequence number of the last event. */
  readonly seq: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** Open questions in the order in which they were asked. */
  readonly requests: readonly RequestView[];
}

interface EndedBase extends RunViewBase {
  readonly endedAt: string;
}

export type Compensation = 'complete' | 'incomplete';

/** A run as library and command line show it: a union on `status`. */
export type RunView =
  | (RunViewBase & { readonly status: 'running' | 'paused' })
  | (RunViewBase & { readonly status: 'suspended'; readonly reason: string; readonly details?: JsonObject })
  | (RunViewBase & { readonly status: 'cancelling'; readonly reason: string })
  | (RunViewBase & { readonly status: 'compensating'; readonly reason: string; readonly error?: ErrorData })
  | (EndedBase & { readonly status: 'completed'; readonly output: JsonValue; readonly reason?: 'noArrival' })
  | (EndedBase & { readonly status: 'failed'; readonly error: ErrorData; readonly compensation?: Compensation })
  | (EndedBase & { readonly status: 'cancelled'; readonly compensation?: Compensation });

/**
 * @param program of the run's version; without it a request of an `ask` node shows what the log holds of it, no fields.
 */
export function runView(run: Run, program?: Program): RunView {
  return { ...baseOf(run, program), ...statusPart(run) } as RunView;
}

function baseOf(run: Run, program: Program | undefined): RunViewBase {
  return {
    runId: run.id,
    tenant: run.tenant,
    graph: run.graph,
    version: run.version,
    ...(run.label === undefined ? {} : { label: run.label }),
    ...(run.session === undefined ? {} : { session: run.session }),
    ...(run.key === undefined ? {} : { key: run.key }),
    requestId: run.requestId,
    ...(run.fork === undefined ? {} : { fork: run.fork }),
    seq: run.seq,
    startedAt: commitTime(run.startedAt),
    updatedAt: commitTime(run.at),
    ...(run.endedAt === undefined ? {} : { endedAt: commitTime(run.endedAt) }),
    requests: [...run.requests.values()].map(request => requestView(run, request, program)),
    ...waitsView(run),
  };
}

/** `handlerMissing` is not in the log: who drives the run adds it. */
function statusPart(run: Run): Partial<RunView> {
  const compensation = run.compensation === undefined ? {} : { compensation: run.compensation };
  switch (run.status) {
    case 'running':
    case 'paused':
      return { status: run.status };
    case 'suspended': {
      if (run.place === 'queued') return { status: run.status, reason: 'session' };
      const { reason = 'waiting', details } = run.suspend ?? {};
      return { status: run.status, reason, ...(details === undefined ? {} : { details }) };
    }
    case 'cancelling':
      return { status: run.status, reason: run.cancelling?.reason ?? '' };
    case 'compensating': {
      const { reason = '', error } = run.compensating ?? {};
      return { status: run.status, reason, ...(error === undefined ? {} : { error }) };
    }
    case 'completed': {
      const { output = null, completion } = run;
      return { status: run.status, output, ...(completion === undefined ? {} : { reason: completion }) };
    }
    case 'failed':
      return { status: run.status, error: run.error ?? { code: 'Failed', message: 'failed' }, ...compensation };
    case 'cancelled':
      return { status: run.status, ...compensation };
  }
}
