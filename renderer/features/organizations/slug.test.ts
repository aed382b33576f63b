import { expect, test } from 'vitest'
import { slugFrom } from './slug.ts'

test.each([
  ['Müller & Söhne GmbH', 'muller-sohne-gmbh'],
  ['  ACME   Inc. ', 'acme-inc'],
  ['Ørsted', 'rsted'],
  ['北京', ''],
  ['a'.repeat(120), 'a'.repeat(100)],
])('%j becomes %j', (name, slug) => {
  expect(slugFrom(name)).toBe(slug)
})
