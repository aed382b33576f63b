/** Where links lead to, as `restic ls --long` prints it; it says so nowhere else. */

/** Mode, owner, group, size, day and time stand before the path. */
const linkLine = /^L\S+ +\d+ +\d+ +\d+ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d (.*)$/
const arrow = ' -> '

interface LinkTarget {
  path: string
  target: string
}

/** What a line can mean: names may have an arrow in them, too. None for what is no link. */
export function linkTargetsIn(line: string): LinkTarget[] {
  const [, text = ''] = linkLine.exec(line) ?? []
  const found: LinkTarget[] = []
  for (let at = text.indexOf(arrow); at >= 0; at = text.indexOf(arrow, at + 1))
    found.push({ path: text.slice(0, at), target: text.slice(at + arrow.length) })
  return found
}

/** Whether a path stands in the line as it is: some versions write other letters in another way. */
export const isPlain = (path: string): boolean => !/["\\\p{C}\uFFFD]/u.test(path)
