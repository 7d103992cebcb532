/** A process that is killed while its run waits. */
import { join } from 'node:path';
import { serveParkedProcess } from '@signalbox/conformance';
import { createSqliteStore } from 'signalbox';

serveParkedProcess(folder => createSqliteStore({ path: join(folder, 'signalbox.db') }));
