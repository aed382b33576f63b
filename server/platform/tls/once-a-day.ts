import type { TlsClock } from './tls.ts'

/** Lets a standing complaint through once a day, however often it is raised. */
export function onceADay(clock: TlsClock): (complain: () => void) => void {
  let last: number | null = null
  return (complain) => {
    const day = Math.floor(clock.now() / 86_400_000)
    if (day === last) return
    last = day
    complain()
  }
}
