/** Local hours of the appliance, as for the maintenance of repositories. */
const [begins, ends] = [1, 5]

export function isNight(now: number): boolean {
  const hours = new Date(now).getHours()
  return hours >= begins && hours < ends
}
