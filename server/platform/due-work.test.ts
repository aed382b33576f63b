import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test/helpers/eventually.ts'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { iso } from './clock.ts'
import { DueWork } from './due-work.ts'
import { createLog } from './log.ts'

function workOf(doDue: () => void | Promise<void>, nextDueAt: () => string | null = () => null) {
  const lines: string[] = []
  const clock = new FakeClock()
  const log = createLog('error', { write: (line) => void lines.push(line) })
  const work = new DueWork(clock, log, doDue, nextDueAt)
  onTestFinished(() => work.stop())
  return { work, lines, clock }
}

test('work that fails is logged and done again at the next wake-up', async () => {
  let runs = 0
  const { work, lines } = workOf(() => {
    if (++runs === 1) throw new Error('disk full')
  })
  work.start()
  await eventually(() => expect(lines.join()).toContain('disk full'))
  work.wake()
  await eventually(() => expect(runs).toBe(2))
})

test('work runs when the next item is due, and never twice at once', async () => {
  let runs = 0
  let open = 0
  const { work, lines, clock } = workOf(
    async () => {
      runs++
      expect(++open).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      open--
    },
    () => (runs < 3 ? iso(clock.now() + 120) : null),
  )
  work.start()
  const poke = setInterval(() => runs === 1 && work.wake(), 5)
  await eventually(() => expect(runs).toBeGreaterThanOrEqual(3))
  clearInterval(poke)
  expect(lines).toEqual([])
})
