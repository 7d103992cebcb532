const SECTIONS = ['What happened', 'What to do', 'Example'];

/** What is wrong with the page of a code: its title, its sections and their order, sections without a word in them. */
export function pageFaults(code: string, text: string): string[] {
  const faults: string[] = [];
  if (!text.startsWith(`# ${code}\n`)) faults.push(`does not begin with "# ${code}"`);
  const parts = text.split(/^## /m).slice(1);
  const titles = parts.map(part => part.split('\n', 1)[0]!.trim());
  if (titles.join() !== SECTIONS.join()) faults.push(`needs the sections ${SECTIONS.join(', ')}, in this order`);
  const empty = parts.filter(part => part.split('\n').slice(1).join('').trim() === '');
  return [...faults, ...empty.map(part => `says nothing under "${part.split('\n', 1)[0]!.trim()}"`)];
}
