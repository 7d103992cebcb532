#!/usr/bin/env node
import { main } from '@signalbox/cli';

process.exitCode = await main(process.argv.slice(2));
