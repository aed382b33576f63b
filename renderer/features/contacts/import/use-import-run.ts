import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api-error.ts'
import { pause } from '../../../lib/pause.ts'
import { firstPiece, type PreparedRow } from './column-mapping.ts'

export interface Run<Answer> {
  /** By `index` of the row. */
  answers: ReadonlyMap<number, Answer>
  isRunning: boolean
  error: Error | null
  /** Nobody knows whether the piece that failed was done. */
  isUncertain: boolean
  /** Sends those without an answer, and those named `again`; only for these, what is under way is given up. */
  start: (rows: readonly PreparedRow[], again?: ReadonlySet<number>) => Promise<void>
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
    const mine = new AbortController()
    current.current = mine
    // Another file, or other columns, in the meantime: what comes then answers nothing any more.
    const isCurrent = () => current.current === mine
    const known = new Map(answers)
    for (const index of again ?? []) known.delete(index)
    setAnswers(new Map(known))
    const keep = (told: Iterable<[number, Answer]>) => {
      if (!isCurrent()) return
      for (const [index, answer] of told) known.set(index, answer)
      setAnswers(new Map(known))
      setUncertain(false)
    }
    setRunning(true)
    setError(null)
    const rest = rows.filter(({ index }) => !known.has(index))
    const problem = await sendAll(rest, send, isUncertain, mine.signal, keep)
    if (!isCurrent()) return
    current.current = null
    setRunning(false)
    setError(problem)
    // Once lost, an answer stays lost, whatever keeps the next try from being made.
    if (problem && mayBeDone(problem)) setUncertain(true)
  }
  return { answers, isRunning, error, isUncertain, start, stop: () => current.current?.abort(), reset }
}

/** Piece by piece, until all are sent, somebody stops it, or one fails: then the failure is the answer. */
async function sendAll<Answer>(
  rows: PreparedRow[],
  send: Send<Answer>,
  isUncertain: boolean,
  signal: AbortSignal,
  keep: (told: Iterable<[number, Answer]>) => void,
): Promise<Error | null> {
  let isAgain = isUncertain
  try {
    for (let rest = rows; rest.length > 0 && !signal.aborted; ) {
      const piece = firstPiece(rest)
      const mayBeDone = isAgain
      keep(await patiently(() => send(piece, mayBeDone), signal))
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

/** A long file may be more than the appliance takes from one person in a minute: it says how long to wait. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
