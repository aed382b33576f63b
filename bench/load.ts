import autocannon, { type Request } from 'autocannon'

/** Load on a server over loopback, and what came of it. */

export interface Target {
  url: string
  /** Sent one after the other by each connection, every connection beginning at another one. */
  requests: Request[]
}

export interface Outcome {
  /** Answered requests a second. */
  rate: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** As many requests as the connections get answered in `seconds`. Any answer but a success is an error. */
export async function hammer(target: Target, seconds: number, connections = 10): Promise<Outcome> {
  let next = 0
  return collect(target, {
    connections,
    duration: seconds,
    sampleInt: 10,
    setupClient: (client) => {
      const from = Math.floor((next++ * target.requests.length) / connections)
      if (target.requests.length > 1)
        client.setRequests([...target.requests.slice(from), ...target.requests.slice(0, from)])
    },
  })
}

/** So many requests, however long they take. */
export const untilDone = (target: Target, amount: number, connections: number): Promise<Outcome> =>
  collect(target, { connections, amount, sampleInt: 10 })

/** `amount` requests one after the other: the time of a request without competing ones. */
export const oneByOne = (target: Target, amount: number): Promise<Outcome> => untilDone(target, amount, 1)

async function collect({ url, requests }: Target, options: Partial<autocannon.Options>): Promise<Outcome> {
  const times: number[] = []
  const began = performance.now()
  let last = began
  let failed = 0
  const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon({ url, requests, timeout: 60, ...options }, (error, result) =>
      error ? reject(error) : resolve(result),
    )
    run.on('response', (_client, status, _bytes, milliseconds) => {
      last = performance.now()
      times.push(milliseconds)
      if (status < 200 || status > 299) failed++
    })
  })
  if (failed + errors > 0 || times.length === 0)
    throw new Error(`${url}${requests[0]?.path}: ${failed} refusals, ${errors} errors of ${times.length}`)
  return { rate: times.length / ((last - began) / 1000), ...percentiles(times) }
}

export function percentiles(times: readonly number[]): { p50: number; p99: number; max: number } {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

export const median = (values: readonly number[]): number => percentiles(values).p50
