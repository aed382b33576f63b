/**
 * What is left out, in restic's words. As arguments, not as a file: there `$NAME` would be replaced and `#` would begin a
 * comment.
 * @param excludes a name at any depth, or with a slash a path at any depth, whose `**` spans folders
 */
export const excludeArguments = (excludes: readonly string[], platform = process.platform): string[] =>
  excludes
    .filter((pattern) => pattern.trim() !== '')
    .flatMap((pattern) => [platform === 'win32' ? '--iexclude' : '--exclude', excludePattern(pattern)])

export function excludePattern(pattern: string): string {
  // A leading exclamation mark would take the pattern back.
  const plain = pattern.replaceAll('\\', '/').replace(/^!/, '[!]')
  const isAbsolute = plain.startsWith('/') || /^[a-z]:\//i.test(plain)
  return !plain.includes('/') || isAbsolute || plain.startsWith('**/') ? plain : `**/${plain}`
}

/** A path of a snapshot as a pattern that matches exactly it. A replacement character stands for bytes that are no UTF-8. */
export const literalPattern = (path: string): string =>
  path.replaceAll('\\', '\\\\').replace(/[[*?]/g, '[$&]').replaceAll('\uFFFD', '?')
