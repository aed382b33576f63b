/** How something grows, from one figure a day. Pure. */

export interface DayFigure {
  /** Days since 1970. */
  day: number
  bytes: number
}

export interface Trend {
  bytesPerDay: number
  /** With 95 % certainty it is between these, if the days to come are like those before. */
  least: number
  most: number
}

/** Fewer days say nothing of weeks to come. */
export const fewestDays = 14
/** Older ones say little of what comes. */
export const mostDays = 56
const fewestFigures = 10

/**
 * The median of what each pair of days makes of it, after Theil and Sen: a few days on which something large came or went
 * do not move it. Null when too little is known.
 */
export function trendOf(figures: readonly DayFigure[]): Trend | null {
  const [first, last] = [figures[0], figures.at(-1)]
  if (!first || !last || figures.length < fewestFigures || last.day - first.day < fewestDays) return null
  const slopes: number[] = []
  for (const [at, one] of figures.entries())
    for (const other of figures.slice(at + 1)) slopes.push((other.bytes - one.bytes) / (other.day - one.day))
  slopes.sort((one, other) => one - other)
  // How far chance shifts the ranks, after Kendall.
  const { length } = figures
  const spread = 1.96 * Math.sqrt((length * (length - 1) * (2 * length + 5)) / 18)
  const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? 0
  return {
    bytesPerDay: at((slopes.length - 1) / 2),
    least: at((slopes.length - spread) / 2 - 1),
    most: at((slopes.length + spread) / 2),
  }
}

/** Days until so many bytes more are there; null when that takes longer than anybody should plan for. */
export function daysUntil(leftBytes: number, bytesPerDay: number): number | null {
  if (leftBytes <= 0) return 0
  const days = leftBytes / bytesPerDay
  return bytesPerDay > 0 && days <= furthestDays ? days : null
}

const furthestDays = 3 * 365
