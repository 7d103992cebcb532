import { userInfo } from 'node:os';
import { createSignalbox, type SessionHandle, type Signalbox } from 'signalbox';
import { type CompanionGraph, createCompanion } from './companion.ts';
import { openServices } from './services.ts';

/** A companion at work for one user, whose conversation goes on from start to start. */
export interface OpenCompanion {
  readonly box: Signalbox;
  readonly graph: CompanionGraph;
  readonly session: SessionHandle;
  /** Who speaks, as a principal. */
  readonly user: `user:${string}`;
  close(): Promise<void>;
}

// After a crash the next process waits this long, in ms, for a sign of life of the last one before it goes on for it.
const LEASE = 1_500;

/** Keeps its runs, and what was done on the desktop, in `folder`. */
export async function openCompanion(folder: string, name = userOfMachine()): Promise<OpenCompanion> {
  const services = openServices(`${folder}/desktop.db`);
  const graph = createCompanion(services);
  const box = createSignalbox({ path: `${folder}/signalbox.db`, lease: LEASE, graphs: [graph] });
  await box.ready();
  const user = `user:${name}` as const;
  return {
    box,
    graph,
    user,
    session: await box.sessions.open({ id: `ses_companion-${name}`, user: name, as: user }),
    async close() {
      await box.close();
      services.ledger.close();
    },
  };
}

function userOfMachine(): string {
  return userInfo()
    .username.replaceAll(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 32);
}
