const everyMs = 1000
/** The server takes a longer silence for a backup that has stopped. */
const atLeastEveryMs = 60_000

/**
 * Passes progress on once a second at most, the newest, and repeats the last one once a minute: restic is silent while it
 * reads an index or waits.
 */
export function throttled<Progress extends { phase: string }>(send: (progress: Progress) => void) {
  let latest: Progress | undefined
  let isNew = false
  let sentAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(() => flush(), everyMs)

  function flush(): void {
    if (!latest || !(isNew || performance.now() - sentAt >= atLeastEveryMs)) return
    sentAt = performance.now()
    isNew = false
    send(latest)
  }

  return {
    take(progress: Progress): void {
      const isOtherPhase = progress.phase !== latest?.phase
      latest = progress
      isNew = true
      if (isOtherPhase) flush()
    },
    end: () => clearInterval(timer),
  }
}
