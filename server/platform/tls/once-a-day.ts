import { day } from '../clock.ts'
import type { TlsClock } from './tls.ts'

/** Lets a complaint through at once and then once a day, however often it is raised; also after the clock was set back by a day. */
export function onceADay(clock: TlsClock): (complain: () => void) => void {
  let last = -Infinity
  return (complain) => {
    const now = clock.now()
    if (Math.abs(now - last) < day) return
    last = now
    complain()
  }
}
