/** Distance between neighbors, wide enough for many later insertions. */
const step = 2 ** 32

/** Default of the column: the organization was never ordered. */
export const unpositioned = Number.MAX_SAFE_INTEGER

export interface Positioned {
  id: string
  position: number
}

/** The fewest changes of position that bring the items into the given order. */
export function newPositions(wanted: readonly Positioned[]): Positioned[] {
  const changes: Positioned[] = []
  let before: number | undefined
  let from = 0
  for (const next of [...longestIncreasing(wanted), wanted.length]) {
    const after = wanted[next]?.position
    const found = between(wanted.slice(from, next), before, after)
    if (!found) return wanted.map(({ id }, at) => ({ id, position: at * step }))
    changes.push(...found)
    before = after
    from = next + 1
  }
  return changes
}

/** Spread evenly; null where there is no room. */
function between(
  some: readonly Positioned[],
  before: number | undefined,
  after: number | undefined,
): Positioned[] | null {
  if (some.length === 0) return []
  const room = step * (some.length + 1)
  const low = before ?? (after === undefined ? 0 : after - room)
  const high = after ?? low + room
  const apart = Math.floor((high - low) / (some.length + 1))
  if (apart < 1 || low <= -unpositioned || high >= unpositioned) return null
  return some.map(({ id }, at) => ({ id, position: low + apart * (at + 1) }))
}

/** Indexes of a longest increasing subsequence of positions: these items need not move. */
function longestIncreasing(values: readonly Positioned[]): number[] {
  const positionOf = (at = 0) => values[at]?.position ?? unpositioned
  /** By the length of a subsequence less one: the index of its smallest last position. */
  const ends: number[] = []
  const previous = new Map<number, number | undefined>()
  for (const [at, { position }] of values.entries()) {
    if (position >= unpositioned) continue
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (positionOf(ends[middle]) < position) low = middle + 1
      else high = middle
    }
    previous.set(at, ends[low - 1])
    ends[low] = at
  }
  const indexes: number[] = []
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) indexes.push(at)
  return indexes.reverse()
}
