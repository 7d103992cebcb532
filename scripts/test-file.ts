/** Tests and what only they use: never shipped, and free of the rules for what is (the boundary rules say the same). */
export function isTestFile(path: string): boolean {
  return /\.(test|test-d)\.ts$|\/src\/(.+\/)?testing\//.test(path.replaceAll('\\', '/'));
}
