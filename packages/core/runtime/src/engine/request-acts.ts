import { type CommandBody, closedError, isSignalboxError, type Principal, SignalboxError } from '@signalbox/kernel';
import type { Identity, RequestRow } from '@signalbox/ports';
import type { Engine } from './engine.ts';

export interface ClaimOptions {
  /** From whoever has claimed it. */
  readonly takeOver?: boolean;
}

/** Says who means to answer, and keeps the others off. Returns the run. */
export async function claimRequest(
  engine: Engine,
  requestId: string,
  { takeOver }: ClaimOptions,
  by: Principal,
): Promise<string> {
  const row = await requestOf(engine, requestId);
  const roles = await rolesOf(engine.identity, by, row.tenant);
  const body = {
    type: 'claimRequest' as const,
    request: requestId,
    ...(takeOver === undefined ? {} : { takeOver }),
    ...roles,
  };
  return await act(engine, row, body, by);
}

export async function releaseRequest(
  engine: Engine,
  requestId: string,
  reason: string | undefined,
  by: Principal,
): Promise<string> {
  const body = { type: 'releaseRequest' as const, request: requestId, ...(reason === undefined ? {} : { reason }) };
  return await act(engine, await requestOf(engine, requestId), body, by);
}

/** Takes a question back: its node goes on as after `cancel`. */
export async function withdrawRequest(
  engine: Engine,
  requestId: string,
  reason: string,
  by: Principal,
): Promise<string> {
  const body = { type: 'withdrawRequest' as const, request: requestId, reason };
  return await act(engine, await requestOf(engine, requestId), body, by);
}

async function act(engine: Engine, row: RequestRow, body: CommandBody, by: Principal): Promise<string> {
  try {
    await engine.command(row.runId, body, by);
  } catch (error) {
    // What was closed long ago the run knows no more of; the store tells what became of it.
    if (!isSignalboxError(error) || error.code !== 'UnknownRequest' || row.status === 'open') throw error;
    throw closedError({ id: row.requestId, status: row.status });
  }
  return row.runId;
}

/** @throws SignalboxError `UnknownRequest` */
export async function requestOf(engine: Engine, requestId: string): Promise<RequestRow> {
  const row = await engine.store.request(requestId);
  if (row !== undefined) return row;
  throw new SignalboxError('UnknownRequest', `There is no request "${requestId}".`, {
    hint: 'See `signalbox inbox`.',
    details: { request: requestId },
  });
}

/**
 * The part of a command that says which roles its actor has; nothing where nobody knows.
 *
 * @throws SignalboxError `IdentityFailed`
 */
export async function rolesOf(
  identity: Identity | undefined,
  principal: Principal,
  tenant: string,
): Promise<{ readonly roles?: readonly string[] }> {
  if (identity === undefined) return {};
  try {
    return { roles: [...(await identity.rolesOf(principal, tenant))] };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SignalboxError('IdentityFailed', `Who ${principal.kind}:${principal.id} is cannot be found out: ${why}`, {
      hint: 'Nothing was decided; try again.',
      cause,
    });
  }
}
