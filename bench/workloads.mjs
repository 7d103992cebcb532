/**
 * What is measured, and against what. A workload has cells (measurements, each in a process of its own) and rows (a
 * target each, computed from the results of one repetition, so that what is compared was measured side by side).
 */
const OURS = {
  floor: './floor.mjs',
  steps: './steps.mjs',
  suspend: './suspend.mjs',
  history: './history.mjs',
  many: './concurrent.mjs',
  gate: './gate.mjs',
  answer: './answer.mjs',
  contracts: './contracts.mjs',
  agent: './agent.mjs',
};
const PEER = '../peers/langgraph.mjs';

const cell = (file, name, options) => ({ file, name, options });
const atLeast = (target, of) => ({ target, of, met: value => value >= target, sign: '≥' });
const atMost = (target, of) => ({ target, of, met: value => value <= target, sign: '≤' });

export const WORKLOADS = {
  W1: {
    title: 'Durable steps of one run: 8 KB of state, and 100 bytes more per step',
    repetitions: 5,
    cells: {
      floorStrict: cell(OURS.floor, 'floor', { durability: 'strict', n: 2000 }),
      strict: cell(OURS.steps, 'steps', { durability: 'strict', sizes: [1000, 4000] }),
      floorStrictAgain: cell(OURS.floor, 'floor', { durability: 'strict', n: 2000 }),
      onceStrict: cell(OURS.steps, 'steps', { durability: 'strict', sizes: [1000], once: true }),
      floorRelaxed: cell(OURS.floor, 'floor', { durability: 'relaxed', n: 10000 }),
      relaxed: cell(OURS.steps, 'steps', { durability: 'relaxed', sizes: [1000, 4000] }),
      peer: cell(PEER, 'steps', { durability: 'relaxed', n: 1000 }),
    },
    rows: {
      'strict, N = 1,000, × bare strict insert loop': {
        ...atLeast(0.6, r => r.strict[1000].perSecond / floorOf(r)),
        show: r => `${round(r.strict[1000].perSecond)} of ${round(floorOf(r))} /s`,
      },
      'relaxed, N = 1,000, × bare relaxed insert loop': {
        ...atLeast(0.2, r => r.relaxed[1000].perSecond / r.floorRelaxed.perSecond),
        show: r => `${round(r.relaxed[1000].perSecond)} of ${round(r.floorRelaxed.perSecond)} /s`,
      },
      'relaxed, N = 1,000, × LangGraph.js (as shipped)': {
        ...atLeast(15, r => r.relaxed[1000].perSecond / r.peer.perSecond),
        show: r => `${round(r.relaxed[1000].perSecond)} and ${round(r.peer.perSecond)} /s`,
      },
      'W1b, one `once` operation a step, strict, × bare strict insert loop': {
        ...atLeast(0.35, r => r.onceStrict[1000].perSecond / floorOf(r)),
        show: r => `${round(r.onceStrict[1000].perSecond)} of ${round(floorOf(r))} /s`,
      },
      'strict, time per step at N = 4,000 ÷ at N = 1,000': {
        ...atMost(1.2, r => r.strict[4000].usPerStep / r.strict[1000].usPerStep),
        show: r => `${round(r.strict[4000].usPerStep)} and ${round(r.strict[1000].usPerStep)} µs`,
      },
      'disk, KB a step, N = 4,000': {
        ...atMost(1.5, r => r.strict[4000].bytesPerStep / 1024),
        show: r => `${round(r.strict[1000].bytesPerStep)} bytes at N = 1,000`,
      },
      'disk, W1b, KB a step, N = 1,000': {
        of: r => r.onceStrict[1000].bytesPerStep / 1024,
      },
    },
  },
  W2: {
    title: 'Runs that stop at a question, with 8 KB of state, one after the other',
    repetitions: 5,
    cells: {
      ours: cell(OURS.suspend, 'suspendAndResume', { n: 400 }),
      peer: cell(PEER, 'suspendAndResume', { durability: 'strict', n: 150 }),
      peerAsShipped: cell(PEER, 'suspendAndResume', { durability: 'relaxed', n: 150 }),
    },
    rows: {
      'strict, runs a second, × LangGraph.js with `synchronous = FULL`': {
        ...atLeast(5.5, r => r.ours.perSecond / r.peer.perSecond),
        show: r =>
          `${round(r.ours.perSecond)} and ${round(r.peer.perSecond)} /s; CPU ${r.ours.cpuPerRun.toFixed(1)} ms a run`,
      },
      'the same, × LangGraph.js as shipped (does not survive power loss)': {
        of: r => r.ours.perSecond / r.peerAsShipped.perSecond,
        show: r => `${round(r.ours.perSecond)} and ${round(r.peerAsShipped.perSecond)} /s`,
      },
    },
  },
  W2mass: {
    title: '100,000 runs that wait, with a small state (filled once; resumed in fresh processes)',
    repetitions: 5,
    prepare: { full: cell(OURS.suspend, 'fill', { n: 100_000, file: 'full.db' }) },
    cells: {
      few: cell(OURS.suspend, 'resumeSome', { n: 200 }),
      many: cell(OURS.suspend, 'resumeSome', { n: 200, file: 'full.db' }),
    },
    rows: {
      'disk per run beyond its state, KB': {
        ...atMost(4, r => (r.full.bytesPerRun - r.full.stateBytes) / 1024),
        show: r => `${round(r.full.bytesPerRun)} bytes, of them state ${round(r.full.stateBytes)}`,
      },
      'memory growth while they are made, MB (RSS)': {
        ...atMost(50, r => r.full.rssGrowth),
        show: r => `heap ${r.full.heapGrowth.toFixed(1)} MB`,
      },
      'resume, p50, ÷ in an empty store': {
        ...atMost(1.2, r => r.many.p50 / r.few.p50),
        show: r => `${r.many.p50.toFixed(2)} and ${r.few.p50.toFixed(2)} ms`,
      },
    },
  },
  W3: {
    title: '500 runs at once, 10 steps each, 8 KB of state',
    repetitions: 5,
    cells: {
      ours: cell(OURS.many, 'concurrent', { runs: 500, steps: 10 }),
      peer: cell(PEER, 'concurrent', { durability: 'strict', runs: 500, steps: 10 }),
    },
    rows: {
      'strict, steps a second, × LangGraph.js with `synchronous = FULL`': {
        ...atLeast(20, r => r.ours.perSecond / r.peer.perSecond),
        show: r =>
          `${round(r.ours.perSecond)} and ${round(r.peer.perSecond)} /s; CPU ${round(r.ours.cpuPerStep)} µs a step`,
      },
      'longest stall of the event loop, ms': {
        ...atMost(25, r => r.ours.stallMax),
        show: r => `p99 ${r.ours.stallP99.toFixed(1)} ms`,
      },
    },
  },
  W4: {
    title: 'Looking back into long runs',
    repetitions: 5,
    prepare: {
      short: cell(OURS.history, 'longRun', { steps: 4000, file: 'short.db' }),
      long: cell(OURS.history, 'longRun', { steps: 25_000, file: 'long.db' }),
      waiting: cell(OURS.history, 'waitingRun', { steps: 2_500, file: 'waiting.db' }),
    },
    cells: {
      half: cell(OURS.history, 'lookBack', { of: 'short', steps: 4000 }),
      anywhere: cell(OURS.history, 'lookAnywhere', { of: 'long', looks: 200 }),
      stream: cell(OURS.history, 'stream', { of: 'long' }),
      reopen: cell(OURS.history, 'reopen', { of: 'waiting' }),
    },
    rows: {
      'state at step 2,000 of 4,000, ms (median of 40 looks)': {
        ...atMost(5, r => r.half.p50),
        show: r => `first look ${r.half.first.toFixed(1)} ms`,
      },
      'state anywhere in a run of 100,000 events, p99, ms': {
        ...atMost(20, r => r.anywhere.p99),
        show: r => `p50 ${r.anywhere.p50.toFixed(1)} ms, ${round(r.long.events)} events`,
      },
      'the whole history of 100,000 events: growth of RSS, MB': {
        ...atMost(64, r => r.stream.peakGrowth),
        show: r => `${round(r.stream.ms)} ms`,
      },
      'opening a store with 10,000 events, to the open question, ms': {
        ...atMost(100, r => r.reopen.ms),
        show: r => `${round(r.waiting.events)} events`,
      },
    },
  },
  W5: {
    title: 'Steps without persistence, once warm',
    repetitions: 5,
    cells: { ours: cell(OURS.steps, 'stepsInMemory', { sizes: [1000, 4000] }) },
    rows: {
      'µs a step, N = 1,000': atMost(40, r => r.ours[1000].usPerStep),
      'µs a step, N = 4,000': atMost(40, r => r.ours[4000].usPerStep),
    },
  },
  W6: {
    title: 'One map over 1,000 items, concurrency 10',
    repetitions: 5,
    cells: { ours: cell(OURS.many, 'fan', { n: 1000 }) },
    rows: { 'strict, ms': atMost(100, r => r.ours.ms) },
  },
  W7: {
    title: 'Answers, strict, among 100,000 runs that wait (started and suspended by the engine, relaxed)',
    repetitions: 5,
    prepare: { full: cell(OURS.answer, 'fillApprovals', { n: 104_000, file: 'approvals.db' }) },
    cells: {
      floor: cell(OURS.floor, 'floor', { durability: 'strict', n: 500 }),
      here: cell(OURS.answer, 'answerHere', { of: 'full', n: 400 }),
      elsewhere: cell(OURS.answer, 'answerElsewhere', { of: 'full', n: 200 }),
      inbox: cell(OURS.answer, 'inbox', { of: 'full', looks: 50 }),
    },
    rows: {
      'from the accepted answer to the start of the next node, same process, p50, ms': atMost(
        3,
        r => r.here.fromAccepted.p50,
      ),
      'the same, p99, ms': atMost(15, r => r.here.fromAccepted.p99),
      'the same from the call of `answer`, its sync included, p50, ms': {
        of: r => r.here.fromCall.p50,
        show: r =>
          `p99 ${r.here.fromCall.p99.toFixed(1)} ms; a bare insert takes ${(1000 / r.floor.perSecond).toFixed(1)} ms`,
      },
      'from an answer that another process without the code has accepted, p50, ms': {
        ...atMost(40, r => r.elsewhere.fromAccepted.p50),
        show: r =>
          `p99 ${r.elsewhere.fromAccepted.p99.toFixed(1)} ms; from the call p50 ${r.elsewhere.fromCall.p50.toFixed(1)} ms`,
      },
      'the first page (100) of a role’s inbox, ms (slowest of three roles)': {
        ...atMost(20, r => r.inbox.p50),
        show: r => `first look of the process ${r.inbox.first.toFixed(1)} ms`,
      },
    },
  },
  W8: {
    title: 'The tool gate by itself: six arguments, with a condition, a bound argument, a limit and a rule',
    repetitions: 5,
    cells: { ours: cell(OURS.gate, 'judge', { n: 20_000 }) },
    rows: {
      'µs a call, median': atMost(20, r => r.ours.declared.p50),
      'µs a call, p99': atMost(100, r => r.ours.declared.p99),
      'µs a call with four arguments in other spellings, median': {
        of: r => r.ours.spelled.p50,
        show: r => `p99 ${round(r.ours.spelled.p99)} µs`,
      },
    },
  },
  W9: {
    title: 'A contract of 100 tools with six fields each, in a process that has just started',
    repetitions: 5,
    cells: {
      start: cell(OURS.contracts, 'start', { tools: 100 }),
      check: cell(OURS.contracts, 'check', { tools: 100 }),
      ajv: cell(OURS.contracts, 'ajvAlone', { tools: 100 }),
    },
    rows: {
      'ready to judge by, ms': {
        ...atMost(12, r => r.start.ms),
        show: r => `its hash ${r.start.hash.toFixed(1)} ms, the first validation ${r.start.firstCall.toFixed(1)} ms`,
      },
      'the same, ÷ validators of the arguments made at once (ajv alone)': {
        of: r => r.start.ms / r.ajv.ms,
        show: r => `ajv ${r.ajv.ms.toFixed(0)} ms`,
      },
      'checked for all faults, ms': {
        ...atMost(200, r => r.check.ms),
        show: r => `${(r.check.ms / r.ajv.ms).toFixed(2)} × ajv alone`,
      },
    },
  },
  W10: {
    title: 'An agent of ten turns, each a call of the model and of a `read` tool, over the same calls by a bare loop',
    repetitions: 5,
    cells: {
      relaxed: cell(OURS.agent, 'turns', { durability: 'relaxed', conversations: 300, turns: 10 }),
      strict: cell(OURS.agent, 'turns', { durability: 'strict', conversations: 50, turns: 10 }),
    },
    rows: {
      'relaxed, a turn, p50, ms': {
        ...atMost(1, r => over(r.relaxed, 'turn')),
        show: r => `CPU ${over(r.relaxed, 'cpuPerTurn').toFixed(2)} ms, start and end of the run included`,
      },
      'of it from the result of a tool to the next call of the model': { of: r => over(r.relaxed, 'toModel') },
      'of it from the reply of the model to the tool, the gate included': { of: r => over(r.relaxed, 'toTool') },
      'strict, a turn, p50, ms': {
        of: r => over(r.strict, 'turn'),
        show: r =>
          `to the model ${over(r.strict, 'toModel').toFixed(1)}, to the tool ${over(r.strict, 'toTool').toFixed(1)}`,
      },
    },
  },
};

function over({ ours, bare }, what) {
  return ours[what] - bare[what];
}

function floorOf(results) {
  return (results.floorStrict.perSecond + results.floorStrictAgain.perSecond) / 2;
}

function round(value) {
  return Math.round(value).toLocaleString('en');
}
