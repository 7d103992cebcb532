#!/usr/bin/env node
import { main } from '@signalbox/cli';

process.exitCode = await main(process.argv.slice(2));
// A handler that was left behind may still wait for something; what was printed goes out first.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
