import type { TlsClock } from './tls.ts'

const day = 86_400_000

/** Lets a complaint through, and then again once a day has passed, however often it is raised. A clock set back by more counts, too. */
export function onceADay(clock: TlsClock): (complain: () => void) => void {
  let last = -Infinity
  return (complain) => {
    const now = clock.now()
    if (Math.abs(now - last) < day) return
    last = now
    complain()
  }
}
