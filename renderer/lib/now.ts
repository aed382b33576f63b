import { useSyncExternalStore } from 'react'

/** The time of day for every relative time on the page, in milliseconds; one timer for all of them. */
const tickMs = 15_000
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, tickMs)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now)
