import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { Database } from '../../db/database.ts'
import { hour, iso } from '../../platform/clock.ts'

/** When the sample devices were there in the last day. */

/** Every seventh device left two hours ago. */
export const hasLeft = (n: number): boolean => n % 7 === 6

type Change = [hoursAgo: number, status: DeviceStatus]
const sinceYesterday: Change = [30, 'online']

/** What device `n` was, the last of it until now. */
function pastOf(n: number): Change[] {
  if (hasLeft(n)) return [sinceYesterday, [2, 'offline']]
  if (n === 1) return [sinceYesterday, [9, 'maintenance'], [7, 'online']]
  if (n === 4) return [sinceYesterday, ...comingAndGoing(10)]
  if (n === 12) return [[5, 'online']]
  const isServer = n % 2 === 1
  if (isServer) return n % 8 === 3 ? [sinceYesterday, [13.3, 'offline'], [13.1, 'online']] : [sinceYesterday]
  const later = (n % 5) * 0.4
  return n % 3 === 0 ? [sinceYesterday] : [sinceYesterday, [17 - later, 'offline'], [6.5 - later, 'online']]
}

/** Offline for a quarter of an hour in every hour. */
const comingAndGoing = (hours: number): Change[] =>
  Array.from({ length: hours }, (_, n): Change[] => [
    [hours - n, 'offline'],
    [hours - n - 0.25, 'online'],
  ]).flat()

/** Whether device `n` sent heartbeats at that time. */
export function wasHeard(n: number, at: number): boolean {
  const hoursAgo = (Date.now() - at) / hour
  const status = pastOf(n).findLast(([since]) => since >= hoursAgo)?.[1]
  return status !== undefined && status !== 'offline'
}

/** Instead of what is recorded of the device since it was enrolled, a moment ago. */
export function writePresence(db: Database, deviceId: string, n: number): void {
  db.statement('DELETE FROM device_presence WHERE device_id = ?').run(deviceId)
  const insert = db.statement('INSERT INTO device_presence (device_id, at, status) VALUES (?, ?, ?)')
  for (const [hoursAgo, status] of pastOf(n)) insert.run(deviceId, iso(Date.now() - hoursAgo * hour), status)
}
