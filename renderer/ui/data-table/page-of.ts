/** One page of a list that is loaded as a whole; for a page behind the end, the last one. */
export function pageOf<Row>(list: readonly Row[], page: number, limit: number) {
  const shown = Math.min(page, Math.max(1, Math.ceil(list.length / limit)))
  return {
    rows: list.slice((shown - 1) * limit, shown * limit),
    pagination: { page: shown, limit, total: list.length },
  }
}
