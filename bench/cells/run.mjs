/** One measurement in a process of its own: `node cells/run.mjs FILE NAME OPTIONS`; the last line it prints is the result. */
const [, , file, name, options] = process.argv;
const cell = await import(new URL(file, import.meta.url));
console.log(JSON.stringify(await cell[name](JSON.parse(options))));
