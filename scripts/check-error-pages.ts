// Every error and fault code has a page docs/errors/<Code>.md, and every page has a code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCodes, productSources } from './error-codes.ts';
import { pageFaults } from './error-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = join(ROOT, 'docs/errors');

const uses = new Map<string, string>();
for (const { code, at } of findCodes(ROOT, productSources(ROOT))) if (!uses.has(code)) uses.set(code, at);

const problems: string[] = [];
for (const [code, at] of [...uses].toSorted()) {
  const page = join(PAGES, `${code}.md`);
  if (!existsSync(page)) problems.push(`docs/errors/${code}.md is missing (the code is used at ${at})`);
  else problems.push(...pageFaults(code, readFileSync(page, 'utf8')).map(fault => `docs/errors/${code}.md ${fault}`));
}
const index = existsSync(join(PAGES, 'README.md')) ? readFileSync(join(PAGES, 'README.md'), 'utf8') : '';
for (const page of readdirSync(PAGES).filter(name => name.endsWith('.md') && name !== 'README.md')) {
  const code = page.slice(0, -'.md'.length);
  if (!uses.has(code)) problems.push(`docs/errors/${page} explains a code that nothing uses`);
  if (!index.includes(`(${page})`)) problems.push(`docs/errors/README.md does not list ${code}`);
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(`\n${problems.length} problems with the error pages.`);
  process.exitCode = 1;
} else {
  console.log(`Error pages: ${uses.size} codes, each with its page.`);
}
