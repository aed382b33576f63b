import { expect, test } from 'vitest'
import { firstTimeZone } from './time-zone.ts'

test.each([
  [['Europe/Berlin', 'UTC'], 'Europe/Berlin'],
  [[undefined, 'Asia/Tokyo'], 'Asia/Tokyo'],
  [['Mars/Olympus', '', '+02:00', null, 7, 'America/New_York'], 'America/New_York'],
  [['utc', 'Europe/Berlin'], 'UTC'],
  [[null, 'nowhere'], 'UTC'],
  [[], 'UTC'],
])('of %j it is %s', (candidates, zone) => {
  expect(firstTimeZone(candidates)).toBe(zone)
})
