import { backoffMs } from '../../../shared/backoff.ts'
import { hour, second } from '../clock.ts'

/**
 * The pause after so many failures of a task, in milliseconds: five seconds, twice as long each time, an hour at most.
 * Up to a tenth less, at random, so that tasks that failed together are not retried together.
 */
export function retryPauseMs(failures: number): number {
  const pause = backoffMs(failures, { firstMs: 5 * second, capMs: hour })
  return Math.round(pause * (1 - Math.random() / 10))
}
