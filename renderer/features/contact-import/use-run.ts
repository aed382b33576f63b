import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { firstPiece, type PreparedRow } from './mapping.ts'

export interface Run<Answer> {
  /** By `index` of the row. */
  answers: ReadonlyMap<number, Answer>
  isRunning: boolean
  error: Error | null
  /** Nobody knows whether the piece that failed was done. */
  isUncertain: boolean
  start: (rows: readonly PreparedRow[]) => Promise<void>
  /** After the piece that is under way. */
  stop: () => void
  reset: () => void
}

type Send<Answer> = (piece: PreparedRow[], mayBeDone: boolean) => Promise<Iterable<[number, Answer]>>

/** Sends rows one piece after the other. What was answered is kept: the next start goes on with the rest. */
export function useRun<Answer>(send: Send<Answer>): Run<Answer> {
  const [answers, setAnswers] = useState<ReadonlyMap<number, Answer>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const current = useRef<AbortController | null>(null)
  const isUncertain = error !== null && mayBeDone(error)

  const reset = () => {
    current.current?.abort()
    current.current = null
    setAnswers(new Map())
    setRunning(false)
    setError(null)
  }
  useEffect(() => () => current.current?.abort(), [])

  const start = async (rows: readonly PreparedRow[]) => {
    if (current.current) return
    const mine = new AbortController()
    current.current = mine
    setRunning(true)
    setError(null)
    let isAgain = isUncertain
    const known = new Map(answers)
    let rest = rows.filter(({ index }) => !known.has(index))
    try {
      while (rest.length > 0 && !mine.signal.aborted) {
        const piece = firstPiece(rest)
        const told = await patiently(() => send(piece, isAgain), mine.signal)
        // Another file, or other columns, in the meantime: what comes now answers nothing any more.
        if (current.current !== mine) return
        for (const [index, answer] of told) known.set(index, answer)
        setAnswers(new Map(known))
        rest = rest.slice(piece.length)
        isAgain = false
      }
    } catch (problem) {
      if (current.current === mine) setError(problem as Error)
    } finally {
      if (current.current === mine) {
        current.current = null
        setRunning(false)
      }
    }
  }
  return { answers, isRunning, error, isUncertain, start, stop: () => current.current?.abort(), reset }
}

const mayBeDone = (error: Error): boolean => !(error instanceof ApiError) || (error.isTransient && error.status !== 429)

const longestWaitMs = 60_000

/** A long file may be more than the appliance takes from one person in a minute: it says how long to wait. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const waitMs = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 1) * 1000 : null
      if (waitMs === null || waitMs > longestWaitMs || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}
