/** Far enough apart that something fits in between again and again. */
const step = 2 ** 32

/** Where everything stands that was never put anywhere; the default of the column. */
export const nowhere = Number.MAX_SAFE_INTEGER

export interface Placed {
  id: string
  place: number
}

/** The places that change, as few as can be, for things to stand in the order they are given in. */
export function newPlaces(wanted: readonly Placed[]): Placed[] {
  const changes: Placed[] = []
  let before: number | undefined
  let from = 0
  for (const next of [...longestRise(wanted), wanted.length]) {
    const after = wanted[next]?.place
    const found = between(wanted.slice(from, next), before, after)
    if (!found) return wanted.map(({ id }, at) => ({ id, place: at * step }))
    changes.push(...found)
    before = after
    from = next + 1
  }
  return changes
}

/** Spread evenly; null where there is no room. */
function between(some: readonly Placed[], before: number | undefined, after: number | undefined): Placed[] | null {
  if (some.length === 0) return []
  const room = step * (some.length + 1)
  const low = before ?? (after === undefined ? 0 : after - room)
  const high = after ?? low + room
  const apart = Math.floor((high - low) / (some.length + 1))
  if (apart < 1 || low <= -nowhere || high >= nowhere) return null
  return some.map(({ id }, at) => ({ id, place: low + apart * (at + 1) }))
}

/** Indexes of as many as possible whose places rise already. */
function longestRise(values: readonly Placed[]): number[] {
  const placeOf = (at = 0) => values[at]?.place ?? nowhere
  /** The lowest end of a rise, by its length. */
  const ends: number[] = []
  const previous = new Map<number, number | undefined>()
  for (const [at, { place }] of values.entries()) {
    if (place >= nowhere) continue
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (placeOf(ends[middle]) < place) low = middle + 1
      else high = middle
    }
    previous.set(at, ends[low - 1])
    ends[low] = at
  }
  const rise: number[] = []
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) rise.push(at)
  return rise.reverse()
}
