import { expect, test } from 'vitest'
import { membershipReasonText } from './group-labels.ts'

test('the reason why a device joined or left a group names the person or the rule', () => {
  const why = (
    action: 'added' | 'removed' | 'pinned',
    reason: Parameters<typeof membershipReasonText>[0]['reason'],
    by?: string,
  ) => membershipReasonText({ action, reason, changedByName: by ?? null })
  expect(why('added', 'manual', 'Kim')).toBe('By Kim')
  expect(why('removed', 'manual', 'Kim')).toBe('By Kim')
  expect(why('removed', 'manual')).toBe('It moved to another site')
  expect(why('added', 'pinned', 'Kim')).toBe('Pinned by Kim')
  expect(why('pinned', 'pinned', 'Kim')).toBe('By Kim')
  expect(why('added', 'filter_match')).toBe('Matches the rule')
  expect(why('removed', 'filter_unmatch')).toBe('No longer matches the rule')
})
