import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { reportedResult } from '../shared/device/commands.ts'
import { type CommandDirective, commandDirective } from '../shared/device/heartbeat.ts'
import { writeFileDurably } from '../shared/node/files.ts'
import { makePrivateFolder, readIfPresent } from './files.ts'
import type { Log } from './log.ts'

/**
 * The state of every command, one small file each, written before the next step is taken: so a command runs once
 * however often it arrives and wherever the agent dies, and its result is sent until the server has it.
 */
export interface Journal {
  state(id: string): Entry['state'] | undefined
  result(id: string): CommandResult | undefined
  /** Of a secret command the payload stays out of the file. */
  accept(directive: CommandDirective, options?: { isSecret: boolean }): void
  start(id: string): void
  finish(id: string, result: CommandResult): void
  acknowledge(id: string): void
  /** Commands accepted but not begun, with what to do; oldest first. */
  waiting(): CommandDirective[]
  /** Commands that were running when the agent died. */
  interrupted(): CommandDirective[]
  /** Ids whose result the server does not have yet; oldest first. */
  unreported(): string[]
}

const entry = z.object({
  directive: commandDirective,
  state: z.enum(['accepted', 'running', 'finished', 'reported']),
  acceptedAt: z.number(),
  result: reportedResult.optional(),
})
type Entry = z.infer<typeof entry>
export type CommandResult = z.infer<typeof reportedResult>

const keptReported = 200
const keptMs = 7 * 24 * 60 * 60 * 1000
const keptResultLength = 64 * 1024

export function openJournal(folder: string, log: Log, now: () => number = Date.now): Journal {
  makePrivateFolder(folder)
  const entries = readEntries(folder, log)
  let newest = Math.max(0, ...[...entries.values()].map(({ acceptedAt }) => acceptedAt))
  forgetOld()

  function write(changed: Entry): void {
    writeFileDurably(join(folder, fileName(changed.directive.id)), JSON.stringify(changed))
    entries.set(changed.directive.id, changed)
  }

  function update(id: string, change: Partial<Entry>): void {
    const known = entries.get(id)
    if (known) write({ ...known, ...change })
  }

  function forgetOld(): void {
    const reported = [...entries.values()]
      .filter(({ state }) => state === 'reported')
      .sort(byAge)
      .reverse()
    for (const [index, { directive, acceptedAt }] of reported.entries()) {
      if (index < keptReported && now() - acceptedAt < keptMs) continue
      rmSync(join(folder, fileName(directive.id)), { force: true })
      entries.delete(directive.id)
    }
  }

  const inState = (state: Entry['state']) =>
    [...entries.values()]
      .filter((one) => one.state === state)
      .sort(byAge)
      .map(({ directive }) => directive)

  return {
    state: (id) => entries.get(id)?.state,
    result: (id) => entries.get(id)?.result,
    accept(directive, { isSecret } = { isSecret: false }) {
      newest = Math.max(now(), newest + 1) // several a millisecond, or a clock put back, must not lose their order
      write({ directive: isSecret ? withoutPayload(directive) : directive, state: 'accepted', acceptedAt: newest })
    },
    start: (id) => update(id, { state: 'running' }),
    finish(id, result) {
      const directive = entries.get(id)?.directive
      if (directive) update(id, { directive: withoutPayload(directive), state: 'finished', result })
    },
    acknowledge(id) {
      if (entries.get(id)?.state !== 'finished') return
      const result = entries.get(id)?.result
      const isSmall = JSON.stringify(result ?? null).length <= keptResultLength
      update(id, { state: 'reported', result: isSmall ? result : undefined })
      forgetOld()
    },
    waiting: () => inState('accepted'),
    interrupted: () => inState('running'),
    unreported: () => inState('finished').map(({ id }) => id),
  }
}

const byAge = (a: Entry, b: Entry) => a.acceptedAt - b.acceptedAt

/** A script may carry secrets, and is not needed once it has run. */
const withoutPayload = (directive: CommandDirective): CommandDirective => ({ ...directive, payload: {} })

/** Ids come from outside and need not be valid file names. */
const fileName = (id: string) => `${createHash('sha256').update(id).digest('hex')}.json`

function readEntries(folder: string, log: Log): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) {
      rmSync(join(folder, name), { force: true }) // a draft the agent died over
      continue
    }
    try {
      const read = entry.parse(JSON.parse(readIfPresent(join(folder, name)) ?? ''))
      entries.set(read.directive.id, read)
    } catch {
      log.warn(`journal: ${name} is unreadable and left aside`)
    }
  }
  return entries
}
