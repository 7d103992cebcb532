/**
 * Arrows point inward: kernel ← ports ← runtime ← facade; kernel, ports ← stores, hosts, delivery; facade, embedded host,
 * testkit ← conformance suites, which drive whole processes. Siblings never see each other; only a composition root (cli,
 * testkit, signalbox, examples, tests, bench) names a concrete store or host. Type-only imports count like any other. The
 * table says what a folder may import of ours and from outside.
 */
/** Tests and, in folders named `testing` inside a package's sources, what only they use. */
const TEST_FILES = ['\\.test\\.ts$', '\\.test-d\\.ts$', '/src/testing/', '/src/.+/testing/'];

const KERNEL = '^packages/core/kernel/';
const PORTS = '^packages/core/ports/';
const RUNTIME = '^packages/core/runtime/';
const FACADE = '^packages/core/facade/';
const CONFORMANCE = '^packages/testing/conformance/';
const INSIDE = [KERNEL, PORTS, RUNTIME, FACADE];
/** What tests of the shell need to have something to run on. */
const TEST_EXTRAS = [
  CONFORMANCE,
  '^packages/stores/memory/',
  '^packages/hosts/embedded/',
  '^packages/testing/testkit/',
];

const KERNEL_PACKAGES = [
  '@bufbuild/cel',
  '@bufbuild/protobuf',
  '@noble/hashes',
  '@standard-schema/spec',
  'ajv',
  'ajv-formats',
  're2js',
  'temporal-polyfill',
];

/** `packages`: undefined means whatever its package.json declares. `builtins`: may it import `node:`? */
const LAYERS = [
  { name: 'kernel', from: KERNEL, may: [], testsMay: [], packages: KERNEL_PACKAGES, builtins: false },
  { name: 'ports', from: PORTS, may: [KERNEL], testsMay: [], packages: [], builtins: false },
  { name: 'runtime', from: RUNTIME, may: [KERNEL, PORTS], testsMay: TEST_EXTRAS, packages: [], builtins: true },
  {
    name: 'facade',
    from: FACADE,
    may: [KERNEL, PORTS, RUNTIME],
    testsMay: TEST_EXTRAS,
    packages: ['yaml', '@standard-schema/spec'],
    builtins: true,
  },
  {
    name: 'stores',
    from: '^packages/stores/([^/]+)/',
    own: '^packages/stores/$1/',
    may: [KERNEL, PORTS],
    testsMay: [CONFORMANCE],
    builtins: true,
  },
  {
    name: 'hosts',
    from: '^packages/hosts/([^/]+)/',
    own: '^packages/hosts/$1/',
    may: [KERNEL, PORTS],
    testsMay: [CONFORMANCE],
    builtins: true,
  },
  {
    name: 'delivery',
    from: '^packages/delivery/([^/]+)/',
    own: '^packages/delivery/$1/',
    may: [KERNEL, PORTS],
    testsMay: [],
    builtins: true,
  },
  {
    name: 'models',
    from: '^packages/models/([^/]+)/',
    own: '^packages/models/$1/',
    may: [KERNEL, PORTS],
    testsMay: [CONFORMANCE],
    builtins: true,
  },
  {
    name: 'conformance',
    from: CONFORMANCE,
    may: [KERNEL, PORTS, FACADE, '^packages/hosts/embedded/', '^packages/testing/testkit/'],
    testsMay: TEST_EXTRAS,
    builtins: true,
  },
  {
    name: 'testkit',
    from: '^packages/testing/testkit/',
    may: [...INSIDE, '^packages/stores/', '^packages/hosts/'],
    testsMay: [],
    builtins: true,
  },
  {
    name: 'terminal-form',
    from: '^packages/surfaces/terminal-form/',
    may: [KERNEL, RUNTIME],
    testsMay: [FACADE, ...TEST_EXTRAS],
    builtins: true,
  },
  {
    name: 'cli',
    from: '^packages/surfaces/cli/',
    may: [...INSIDE, '^packages/stores/', '^packages/hosts/', '^packages/surfaces/terminal-form/'],
    testsMay: TEST_EXTRAS,
    builtins: true,
  },
];

const OURS = '^(packages|examples|tests|bench|scripts)/';

function arrowRules({ name, from, own = from, may, testsMay }) {
  const comment = `${name} may import of ours: ${may.length === 0 ? 'nothing' : may.map(plain).join(', ')}.`;
  return [
    {
      name: `${name}-arrows`,
      comment,
      severity: 'error',
      from: { path: from, pathNot: TEST_FILES },
      to: { path: OURS, pathNot: [own, ...may] },
    },
    // A rule for each, since `$1` of `own` counts the groups of one pattern only.
    ...TEST_FILES.map(testFile => ({
      name: `${name}-test-arrows`,
      comment: `Tests of ${name} may import as well: ${testsMay.length === 0 ? 'nothing more' : testsMay.map(plain).join(', ')}.`,
      severity: 'error',
      from: { path: `${from}.*${testFile}` },
      to: { path: OURS, pathNot: [own, ...may, ...testsMay] },
    })),
  ];
}

function packageRules({ name, from, packages, builtins }) {
  const rules = [];
  if (!builtins) {
    rules.push({
      name: `${name}-no-node`,
      comment: `${name} does no I/O: no node builtin.`,
      severity: 'error',
      from: { path: from, pathNot: TEST_FILES },
      to: { dependencyTypes: ['core'] },
    });
  }
  if (packages !== undefined) {
    rules.push({
      name: `${name}-packages`,
      comment: `${name} may import from outside: ${packages.length === 0 ? 'nothing' : packages.join(', ')}.`,
      severity: 'error',
      from: { path: from, pathNot: TEST_FILES },
      to: { path: 'node_modules/', pathNot: packages.map(each => `node_modules/${each}/`) },
    });
  }
  return rules;
}

function plain(path) {
  return path.replaceAll('^', '');
}

module.exports = {
  forbidden: [
    ...LAYERS.flatMap(arrowRules),
    ...LAYERS.flatMap(packageRules),
    {
      name: 'roots-are-outermost',
      comment: 'Nothing under packages/ imports examples, tests, bench or scripts.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(examples|tests|bench|scripts)/' },
    },
    {
      name: 'tests-are-not-shipped',
      comment: 'What is shipped does not import tests or their helpers.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST_FILES },
      to: { path: TEST_FILES },
    },
    {
      name: 'front-door-only',
      comment: 'Another package is entered by what its package.json exports, never by a path into its sources.',
      severity: 'error',
      from: { path: '^(packages/(?:signalbox|[^/]+/[^/]+)|examples/[^/]+|bench)/' },
      to: { path: '^packages/.+/src/', pathNot: ['^$1/', '^packages/.+/src/(index|testing|text)\\.ts$'] },
    },
    {
      name: 'front-door-only-of-tests',
      comment:
        'The tests of the whole use a package as its users do; of its sources they may use what stands in for the world.',
      severity: 'error',
      from: { path: '^tests/' },
      to: { path: '^packages/.+/src/', pathNot: '^packages/.+/src/((index|testing|text)\\.ts$|testing/)' },
    },
    {
      name: 'no-cycles',
      comment: 'Modules that need each other are one module, or lack a third. Type-only imports count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'declared-dependencies',
      comment: 'What a package imports stands in its own package.json.',
      severity: 'error',
      from: { path: '^(packages|examples)/', pathNot: TEST_FILES },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^bench/peers/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@signalbox/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
