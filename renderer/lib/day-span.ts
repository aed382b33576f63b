/**
 * The first and the last moment of a day where the user is.
 * @param day `2026-11-24`
 */
export function daySpan(day: string): { from: string; to: string } {
  const start = new Date(`${day}T00:00:00`)
  const end = new Date(start)
  end.setDate(end.getDate() + 1)
  return { from: start.toISOString(), to: new Date(end.getTime() - 1).toISOString() }
}
