import { hammer, median, type Outcome, type Target, untilDone } from './load.ts'

/** One question of the report: how fast is this, and which part of the ceilings is that? */
export interface Question {
  name: string
  target: Target
  /** The raw statement it is compared with. */
  raw: Target
  /** Smallest wanted share of the raw statement's rate. */
  aim?: number
  /** For what is slow by nature: each turn ends with the last of so many requests, so that none is left behind. */
  slow?: { connections: number; amount: number }
}

export interface Answer extends Outcome {
  name: string
  rawRate: number
  /** Shares of the two ceilings, 1 being as fast. */
  ofRaw: number
  ofConstant: number
  aim: number | undefined
}

const warmUpSeconds = 0.7
const seconds = 0.4
const rounds = 9
const slowRounds = 3

/**
 * Measures a server and both ceilings in turns: whatever else the machine does meanwhile slows all three. Ratios are
 * taken within a turn, then the middle one of all turns counts.
 */
export async function answer({ name, target, raw, aim, slow }: Question, constant: Target): Promise<Answer> {
  const run = (each: Target, forSeconds = seconds) =>
    slow ? untilDone(each, slow.amount, slow.connections) : hammer(each, forSeconds)
  for (const each of [target, raw]) await run(each, warmUpSeconds)
  const turns = []
  for (let round = 0; round < (slow ? slowRounds : rounds); round++)
    turns.push({
      ours: await run(target),
      raw: await run(raw),
      constant: await hammer(constant, seconds / 2),
    })
  return {
    name,
    aim,
    rate: median(turns.map(({ ours }) => ours.rate)),
    p50: median(turns.map(({ ours }) => ours.p50)),
    p99: median(turns.map(({ ours }) => ours.p99)),
    rawRate: median(turns.map((turn) => turn.raw.rate)),
    ofRaw: median(turns.map((turn) => turn.ours.rate / turn.raw.rate)),
    ofConstant: median(turns.map((turn) => turn.ours.rate / turn.constant.rate)),
  }
}
