import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api-error.ts'
import { pause } from '../../../lib/pause.ts'
import { firstBatch, type PreparedRow } from './column-mapping.ts'

export interface ImportRun<Answer> {
  /** By `index` of the row. */
  answers: ReadonlyMap<number, Answer>
  isRunning: boolean
  error: Error | null
  /** The reply of a failed batch was lost, so its rows may have been imported. */
  isUncertain: boolean
  /** Sends the rows without an answer, and those in `again`; with `again`, a running send is aborted. */
  start: (rows: readonly PreparedRow[], again?: ReadonlySet<number>) => Promise<void>
  /** Stops after the current batch. */
  stop: () => void
  reset: () => void
}

type Send<Answer> = (piece: PreparedRow[], mayBeDone: boolean) => Promise<Iterable<[number, Answer]>>

/** Sends rows in batches. Answers are kept, so that the next start continues with the rest. */
export function useImportRun<Answer>(send: Send<Answer>): ImportRun<Answer> {
  const [answers, setAnswers] = useState<ReadonlyMap<number, Answer>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const current = useRef<AbortController | null>(null)
  const [isUncertain, setUncertain] = useState(false)

  const reset = () => {
    current.current?.abort()
    current.current = null
    setAnswers(new Map())
    setRunning(false)
    setError(null)
    setUncertain(false)
  }
  useEffect(() => () => current.current?.abort(), [])

  const start = async (rows: readonly PreparedRow[], again?: ReadonlySet<number>) => {
    if (current.current && !again) return
    current.current?.abort()
    const run = new AbortController()
    current.current = run
    // Replies for another file, or for other columns, are ignored.
    const isCurrent = () => current.current === run
    const known = new Map(answers)
    for (const index of again ?? []) known.delete(index)
    setAnswers(new Map(known))
    const keep = (previewed: Iterable<[number, Answer]>) => {
      if (!isCurrent()) return
      for (const [index, answer] of previewed) known.set(index, answer)
      setAnswers(new Map(known))
      setUncertain(false)
    }
    setRunning(true)
    setError(null)
    const rest = rows.filter(({ index }) => !known.has(index))
    const problem = await sendAll(rest, send, isUncertain, run.signal, keep)
    if (!isCurrent()) return
    current.current = null
    setRunning(false)
    setError(problem)
    // Once a reply was lost, this stays true even if the next try fails earlier.
    if (problem && mayBeDone(problem)) setUncertain(true)
  }
  return { answers, isRunning, error, isUncertain, start, stop: () => current.current?.abort(), reset }
}

/** Sends batch after batch until all are sent, the user stops it, or one fails; resolves to that error. */
async function sendAll<Answer>(
  rows: PreparedRow[],
  send: Send<Answer>,
  isUncertain: boolean,
  signal: AbortSignal,
  keep: (previewed: Iterable<[number, Answer]>) => void,
): Promise<Error | null> {
  let isAgain = isUncertain
  try {
    for (let rest = rows; rest.length > 0 && !signal.aborted; ) {
      const piece = firstBatch(rest)
      const mayBeDone = isAgain
      keep(await waitForRateLimit(() => send(piece, mayBeDone), signal))
      rest = rest.slice(piece.length)
      isAgain = false
    }
    return null
  } catch (error) {
    return error as Error
  }
}

const mayBeDone = (error: Error): boolean => !(error instanceof ApiError) || (error.isTransient && error.status !== 429)

const longestWaitMs = 60_000

/** A long file can exceed the rate limit; the refusal says how long to wait. */
async function waitForRateLimit<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const waitMs = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 1) * 1000 : null
      if (waitMs === null || waitMs > longestWaitMs || signal.aborted) throw error
      await pause(waitMs)
    }
  }
}
