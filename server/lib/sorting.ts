import type { Steps } from './pieces.ts'

/** Items that are sorted or merged in one step. */
const itemsPerStep = 1000

/** As `toSorted`, for lists so long that others get their turn meanwhile. */
export function* sortedInSteps<Item extends {}>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<Item[]> {
  let runs: Item[][] = []
  for (let at = 0; at < items.length; at += itemsPerStep) {
    runs.push(items.slice(at, at + itemsPerStep).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: Item[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeInSteps(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergeInSteps<Item extends {}>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<Item[]> {
  const merged: Item[] = []
  let [a, b] = [0, 0]
  for (;;) {
    const [left, right] = [first[a], second[b]]
    if (left !== undefined && (right === undefined || compare(left, right) <= 0)) {
      merged.push(left)
      a++
    } else if (right !== undefined) {
      merged.push(right)
      b++
    } else return merged
    if (merged.length % itemsPerStep === 0) yield
  }
}
