import { registerAnswer } from './answer.ts';
import { registerBlame } from './blame.ts';
import { registerCancel } from './cancel.ts';
import { registerClaim, registerRelease, registerWithdraw } from './claim.ts';
import type { Register } from './command.ts';
import { registerContract } from './contract.ts';
import { registerDeliveries } from './deliveries.ts';
import { registerDoctor } from './doctor.ts';
import { registerEdit } from './edit.ts';
import { registerErase } from './erase.ts';
import { registerEvents } from './events.ts';
import { registerExport } from './export.ts';
import { registerFork } from './fork.ts';
import { registerGraph } from './graph.ts';
import { registerHeads } from './heads.ts';
import { registerImport } from './import.ts';
import { registerInbox } from './inbox.ts';
import { registerJump } from './jump.ts';
import { registerMemory } from './memory.ts';
import { registerMigrate } from './migrate.ts';
import { registerNote } from './note.ts';
import { registerPause } from './pause.ts';
import { registerReopen } from './reopen.ts';
import { registerReplay } from './replay.ts';
import { registerResume } from './resume.ts';
import { registerRetry } from './retry.ts';
import { registerRewrap } from './rewrap.ts';
import { registerRollback } from './rollback.ts';
import { registerRun } from './run.ts';
import { registerRuns } from './runs.ts';
import { registerSession } from './session.ts';
import { registerShow } from './show.ts';
import { registerSignal } from './signal.ts';
import { registerState } from './state.ts';
import { registerStep } from './step.ts';
import { registerTimeline } from './timeline.ts';
import { registerVerify } from './verify.ts';
import { registerWhy } from './why.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Register[] = [
  registerGraph,
  registerContract,
  registerRun,
  registerInbox,
  registerAnswer,
  registerClaim,
  registerRelease,
  registerWithdraw,
  registerDeliveries,
  registerRuns,
  registerSession,
  registerMemory,
  registerShow,
  registerTimeline,
  registerEvents,
  registerState,
  registerBlame,
  registerWhy,
  registerPause,
  registerResume,
  registerStep,
  registerCancel,
  registerRetry,
  registerReopen,
  registerEdit,
  registerJump,
  registerRollback,
  registerFork,
  registerMigrate,
  registerSignal,
  registerNote,
  registerVerify,
  registerHeads,
  registerReplay,
  registerExport,
  registerImport,
  registerErase,
  registerRewrap,
  registerDoctor,
];
