import { backoffMs } from '../../../shared/backoff.ts'
import { hour, second } from '../clock.ts'

/**
 * How long a task that has failed so many times is left alone, in milliseconds: five seconds, twice as long each time,
 * an hour at most. Up to a tenth less, at random, so that what failed together does not come back together.
 */
export function retryPauseMs(failures: number): number {
  const pause = backoffMs(failures, { firstMs: 5 * second, capMs: hour })
  return Math.round(pause * (1 - Math.random() / 10))
}
