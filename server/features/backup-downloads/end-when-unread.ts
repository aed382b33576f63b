import type { ServerResponse } from 'node:http'
import { type Clock, minute, second } from '../../platform/clock.ts'

/** Somebody who has stopped reading does not keep others waiting for longer. */
const patienceMs = minute

/** Breaks the connection when there is something to send and nothing of it is taken for a minute. */
export function endWhenUnread(response: ServerResponse, clock: Pick<Clock, 'monotonic'>): void {
  let waiting = 0
  let since = clock.monotonic()
  const isTaken = () => {
    since = clock.monotonic()
  }
  const look = setInterval(() => {
    const { writableLength } = response
    if (writableLength === 0 || writableLength !== waiting) isTaken()
    waiting = writableLength
    if (clock.monotonic() - since >= patienceMs) response.destroy()
  }, second)
  response.on('drain', isTaken)
  response.once('close', () => clearInterval(look))
}
