import { useEffect, useState } from 'react'
import { ApiError } from './api-error.ts'

/** Counts whole seconds down to zero by the clock, so that a sleeping tab does not distort it. */
export function useCountdown() {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(0)
  useEffect(() => {
    if (until <= Date.now()) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= until) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [until])
  const start = (seconds: number) => {
    setNow(Date.now())
    setUntil(Date.now() + seconds * 1000)
  }
  return {
    seconds: Math.max(0, Math.ceil((until - now) / 1000)),
    start,
    /** Starts with the waiting time of a refusal, if it has one. */
    startAfter: (error: Error) => {
      if (error instanceof ApiError && error.retryAfter) start(error.retryAfter)
    },
  }
}
