import { useSyncExternalStore } from 'react'

export const dayMs = 24 * 60 * 60 * 1000

/** Lets everything that depends on the time of day be drawn again now and then; one timer for the whole page. */
const tickMs = 15_000
let ticks = 0
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function tick() {
  ticks++
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  if (listeners.size === 0) timer = setInterval(tick, tickMs)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** The time of drawing, in milliseconds; a data change between two ticks must not meet an older clock. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => ticks)
  return Date.now()
}
