import type { Steps } from './pieces.ts'

/** So many are sorted, or put in their place, in a step. */
const atOnce = 1000

/** As `toSorted`, for lists so long that others get their turn meanwhile. */
export function* sortedInSteps<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  let runs: Item[][] = []
  for (let at = 0; at < items.length; at += atOnce) {
    runs.push(items.slice(at, at + atOnce).sort(compare))
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

function* mergeInSteps<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<Item[]> {
  const merged: Item[] = []
  let [a, b] = [0, 0]
  while (a < first.length || b < second.length) {
    const isFirst = b === second.length || (a < first.length && compare(first[a] as Item, second[b] as Item) <= 0)
    merged.push((isFirst ? first[a++] : second[b++]) as Item)
    if (merged.length % atOnce === 0) yield
  }
  return merged
}
