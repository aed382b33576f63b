import { expect, test } from 'vitest'
import type { FilterConditions } from '../../../shared/device-filter.ts'
import { freshDatabase } from '../../../test/helpers/test-app.ts'
import { toJson } from '../../lib/json.ts'
import { RuleCache } from './rule-cache.ts'
import { matchDevices } from './rule-matching.ts'

test('preparing 50 rules pauses 100 times, so that other work can run in between', () => {
  const db = freshDatabase()
  const groups = Array.from({ length: 50 }, (_, n) => ({
    org_id: 'o',
    site_id: null,
    filter_conditions: toJson<FilterConditions>({
      operator: 'OR',
      conditions: [{ field: 'software.installed', operator: 'equals', value: `é${n}` }],
    }),
  }))
  const steps = matchDevices(db, new RuleCache(), groups, [], 0)
  let pauses = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) pauses++
  expect([step.value.length, pauses]).toEqual([50, 100])
  db.close()
})
