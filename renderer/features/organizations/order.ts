/** Ids of all organizations in list order: the saved order, then the others, the oldest first. */
export function currentOrder(saved: readonly string[], all: readonly { id: string; createdAt: string }[]): string[] {
  const ordered = new Set(saved)
  const age = (one: { id: string; createdAt: string }) => `${one.createdAt} ${one.id}`
  const newer = all.filter(({ id }) => !ordered.has(id)).sort((a, b) => (age(a) < age(b) ? -1 : 1))
  return [...saved, ...newer.map(({ id }) => id)]
}

/**
 * `order` with `id` moved to `position` (from 1) among the `shown` ids; a position beyond the last counts as the
 * last. Others, such as archived ones, keep their neighbours.
 */
export function orderAfterMove(
  order: readonly string[],
  shown: ReadonlySet<string>,
  id: string,
  position: number,
): string[] {
  const others = order.filter((one) => one !== id)
  const shownOthers = others.filter((one) => shown.has(one))
  const next = shownOthers[position - 1]
  const last = shownOthers.at(-1)
  const at = next === undefined ? (last === undefined ? 0 : others.indexOf(last) + 1) : others.indexOf(next)
  return others.toSpliced(at, 0, id)
}
