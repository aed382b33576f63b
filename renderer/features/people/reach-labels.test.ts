import { expect, test } from 'vitest'
import { reachDetails, reachSummary } from './reach-labels.ts'

const nameOf = (id: string) => ({ a: 'Berlin', b: 'Aachen' })[id] ?? null

test.each<[Parameters<typeof reachSummary>[0], string, string[]]>([
  [{ orgAccess: 'all' }, 'All organizations', [expect.stringContaining('including future ones')]],
  [{ orgAccess: 'none' }, 'No organization', [expect.stringContaining('No organization')]],
  [{ orgAccess: 'selected', orgIds: ['a', 'b'] }, '2 organizations', ['Only these organizations: Aachen, Berlin.']],
  [{ orgAccess: 'selected', orgIds: ['x'] }, '1 organization', ['Only these organizations: 1 organization.']],
  [{ orgId: 'o', siteIds: null }, 'The whole organization', [expect.stringContaining('all its sites')]],
  [{ orgId: 'o', siteIds: [] }, 'No site', ['No sites and no devices.']],
  [
    { orgId: 'o', siteIds: ['a', 'x'], deviceGroupIds: ['b'] },
    'Only 2 sites, 1 device group',
    ['Only these sites: Berlin and 1 more.', 'Only devices in these groups: Aachen.'],
  ],
])('the reach %j reads "%s"', (reach, short, full) => {
  expect(reachSummary(reach)).toBe(short)
  expect(reachDetails(reach, nameOf)).toEqual(full)
})

test('of very many organizations the first twelve are named', () => {
  const orgIds = Array.from({ length: 14 }, (_, n) => `${n + 10}`)
  const [line] = reachDetails({ orgAccess: 'selected', orgIds }, (id) => `Org ${id}`)
  expect(line).toMatch(/: Org 10, .*, Org 21 and 2 more\.$/)
})
