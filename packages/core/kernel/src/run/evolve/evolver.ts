import type { RunEvents } from '../../event/run-event.ts';
import type { Draft } from '../draft.ts';

/** What an event of that type changes in its run. */
export type Evolve<Type extends keyof RunEvents> = (draft: Draft, data: RunEvents[Type]) => void;
