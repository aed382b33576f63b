import { useSyncExternalStore } from 'react'

export const hourMs = 60 * 60 * 1000
export const dayMs = 24 * hourMs

/** Interval at which times on the page are rendered again, with one timer for all. */
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

/** The current time in milliseconds at rendering, so that new data is not compared with an old clock. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => ticks)
  return Date.now()
}
