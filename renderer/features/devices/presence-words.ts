import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { deviceStatusNames } from '../../domain/devices/device-status-names.ts'
import { shortTime, timeSpan } from '../../lib/format.ts'
import { type Presence, spansOf } from './presence-bars.ts'

const mostChanges = 8

/** How long it was in each status, the longest first; updating belongs to online. */
function totalsOf(presence: Presence): [DeviceStatus, ms: number][] {
  const totals = new Map<DeviceStatus, number>()
  for (const { status, from, to } of spansOf(presence)) {
    const counted = status === 'updating' ? 'online' : status
    totals.set(counted, (totals.get(counted) ?? 0) + to - from)
  }
  return [...totals].sort(([, one], [, other]) => other - one)
}

/** To the minute, and never none; `24 h`, not a day. */
function spanText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  return minutes < 24 * 60 ? timeSpan(minutes * 60) : '24 h'
}

export const presenceTotals = (presence: Presence): { status: DeviceStatus; span: string }[] =>
  totalsOf(presence).map(([status, ms]) => ({ status, span: spanText(ms) }))

/** `Online 22 h, offline 2 h in the last 24 hours`. */
export function presenceText(presence: Presence): string {
  const totals = presenceTotals(presence)
  if (totals.length === 0) return 'Nothing recorded in the last 24 hours'
  const parts = totals.map(({ status, span }) => `${deviceStatusNames[status].toLowerCase()} ${span}`)
  const text = `${parts.join(', ')} in the last 24 hours`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Below it the changes, the latest first: `Nov 22, 22:10: Offline`. */
export function presenceTooltip(presence: Presence, now: number): string {
  const changes = presence.changes.filter(({ at }) => at > presence.since).toReversed()
  const lines = changes
    .slice(0, mostChanges)
    .map(({ at, status }) => `${shortTime(at, now)}: ${deviceStatusNames[status]}`)
  const more = changes.length - lines.length
  return [presenceText(presence), ...lines, ...(more > 0 ? [`and ${more} before`] : [])].join('\n')
}
