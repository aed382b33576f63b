import type { devicePresence } from '../../../shared/api/device-presence.ts'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'

type Answer = ReplyOf<typeof devicePresence>

/** When a device was in which status. */
export type Presence = Pick<Answer, 'since' | 'until'> & Pick<Answer['data'][number], 'changes'>

type Shown = 'online' | 'offline' | 'maintenance'

/** Whether it was there; what waits for approval or is out of service is left blank. */
const shownAs: Partial<Record<DeviceStatus, Shown>> = {
  online: 'online',
  updating: 'online',
  offline: 'offline',
  maintenance: 'maintenance',
}

/** Some columns next to each other that look the same. */
export interface Bar {
  shown: Shown
  from: number
  to: number
  /** Of the columns of an online device: how many quarters of their time it was. */
  quarters: number
}

interface Span {
  status: DeviceStatus
  from: number
  to: number
}

/** In order of time, in milliseconds. */
export function spansOf({ since, until, changes }: Presence): Span[] {
  const [start, end] = [Date.parse(since), Date.parse(until)]
  const within = (at: string) => Math.min(end, Math.max(start, Date.parse(at)))
  return changes
    .map(({ at, status }, n) => ({ status, from: within(at), to: within(changes[n + 1]?.at ?? until) }))
    .filter(({ from, to }) => to > from)
}

/** The day as columns of equal width; those of which nothing is known, or nothing shown, are left out. */
export function barsOf(presence: Presence, columns: number): Bar[] {
  const start = Date.parse(presence.since)
  const width = (Date.parse(presence.until) - start) / columns
  const spans = spansOf(presence)
  const bars: Bar[] = []
  for (let column = 0; column < columns; column++) {
    const look = lookOf(spans, start + column * width, start + (column + 1) * width)
    if (!look) continue
    const last = bars.at(-1)
    if (last?.to === column && last.shown === look.shown && last.quarters === look.quarters) last.to++
    else bars.push({ ...look, from: column, to: column + 1 })
  }
  return bars
}

function lookOf(spans: readonly Span[], from: number, to: number): Pick<Bar, 'shown' | 'quarters'> | undefined {
  const ms = { online: 0, offline: 0, maintenance: 0 }
  for (const span of spans) {
    const shown = shownAs[span.status]
    if (shown) ms[shown] += Math.max(0, Math.min(to, span.to) - Math.max(from, span.from))
  }
  const known = ms.online + ms.offline + ms.maintenance
  if (known === 0) return undefined
  if (ms.maintenance * 2 >= known) return { shown: 'maintenance', quarters: 0 }
  if (ms.online === 0) return { shown: 'offline', quarters: 0 }
  return { shown: 'online', quarters: quartersOf(ms.online / (ms.online + ms.offline)) }
}

/** All of them only for a device that was never offline, so that the shortest time shows. */
const quartersOf = (share: number) => (share === 1 ? 4 : Math.min(3, Math.max(1, Math.round(share * 4))))
